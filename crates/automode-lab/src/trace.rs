//! System calls of a traced case, as short lines: `read PATH`, `run PATH`, `connect ADDRESS`.

use std::collections::BTreeSet;

use crate::world::PROJECT;

/// Reads the record of `strace`; calls that failed did nothing and are left out.
#[must_use]
pub fn read(record: &str) -> Vec<String> {
    let lines: BTreeSet<String> = record.lines().filter_map(line).collect();
    lines.into_iter().collect()
}

fn line(line: &str) -> Option<String> {
    let call = line.split_once(' ')?.1.trim_start();
    let (name, rest) = call.split_once('(')?;
    if rest.contains(" = -1 ") && !rest.contains("EINPROGRESS") {
        return None;
    }
    match name {
        "open" | "openat" | "openat2" => {
            let verb = if rest.contains("O_WRONLY") || rest.contains("O_RDWR") {
                "write"
            } else if rest.contains("O_DIRECTORY") {
                "list"
            } else {
                "read"
            };
            Some(format!("{verb} {}", absolute(quoted(rest)?)))
        }
        "execve" | "execveat" => Some(format!("run {}", absolute(quoted(rest)?))),
        "unlink" | "unlinkat" | "rmdir" => Some(format!("delete {}", absolute(quoted(rest)?))),
        "connect" => {
            let address = rest.split("inet_addr(\"").nth(1)?.split('"').next()?;
            let port = rest.split("htons(").nth(1)?.split(')').next()?;
            Some(format!("connect {address}:{port}"))
        }
        _ => None,
    }
}

fn quoted(rest: &str) -> Option<&str> {
    rest.split('"').nth(1)
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{PROJECT}/{}", path.trim_start_matches("./"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_lines() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        };
        check(
            "7 openat(AT_FDCWD, \"a.txt\", O_RDONLY) = 3",
            Some("read /home/dev/app/a.txt"),
        );
        check(
            "7 openat(AT_FDCWD, \"/x\", O_WRONLY|O_CREAT, 0666) = 3",
            Some("write /x"),
        );
        check(
            "7 openat(AT_FDCWD, \"/y\", O_RDONLY) = -1 ENOENT (No such file)",
            None,
        );
        check(
            "7 execve(\"/bin/ls\", [\"ls\"], 0x7 /* 9 vars */) = 0",
            Some("run /bin/ls"),
        );
        check(
            "7 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"198.18.0.1\")}, 16) = 0",
            Some("connect 198.18.0.1:80"),
        );
    }
}
