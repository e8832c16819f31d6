//! Programs whose wildcard lets arbitrary code run, as data.
//!
//! The first three groups and the strict one are the lists auto mode has always
//! had; the kin are programs that do the same under another name. A name stands
//! for its versions too (`python` for `python3.12`) and for itself at any path.

use super::Strip;

/// A program, or a program with its subcommand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) words: &'static [&'static str],
    pub(super) opens: Opens,
    pub(super) from: Strip,
}

/// What an open end behind the program would choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// The next operand names the code: a script, a task, a package. Spelled out, it is fixed.
    Code,
    /// The arguments are a command of their own, behind so many operands.
    Command(usize),
    /// The arguments are read as text by a shell, or are as powerful in any place.
    Anything,
}

const fn standard(words: &'static [&'static str], opens: Opens) -> Entry {
    Entry {
        words,
        opens,
        from: Strip::Standard,
    }
}

const fn strict(words: &'static [&'static str]) -> Entry {
    Entry {
        words,
        opens: Opens::Code,
        from: Strip::Strict,
    }
}

#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    // Everywhere.
    standard(&["python"], Opens::Code),
    standard(&["node"], Opens::Code),
    standard(&["deno"], Opens::Code),
    standard(&["tsx"], Opens::Code),
    standard(&["ruby"], Opens::Code),
    standard(&["perl"], Opens::Code),
    standard(&["php"], Opens::Code),
    standard(&["lua"], Opens::Code),
    standard(&["npx"], Opens::Code),
    standard(&["bunx"], Opens::Code),
    standard(&["npm", "run"], Opens::Code),
    standard(&["yarn", "run"], Opens::Code),
    standard(&["pnpm", "run"], Opens::Code),
    standard(&["bun", "run"], Opens::Code),
    standard(&["bash"], Opens::Code),
    standard(&["sh"], Opens::Code),
    standard(&["ssh"], Opens::Anything),
    // Unix.
    standard(&["zsh"], Opens::Code),
    standard(&["fish"], Opens::Code),
    standard(&["eval"], Opens::Anything),
    standard(&["exec"], Opens::Command(0)),
    standard(&["env"], Opens::Command(0)),
    standard(&["xargs"], Opens::Command(0)),
    standard(&["sudo"], Opens::Command(0)),
    // PowerShell.
    standard(&["pwsh"], Opens::Code),
    standard(&["powershell"], Opens::Code),
    standard(&["cmd"], Opens::Anything),
    standard(&["wsl"], Opens::Anything),
    standard(&["invoke-expression"], Opens::Anything),
    standard(&["iex"], Opens::Anything),
    standard(&["invoke-command"], Opens::Anything),
    standard(&["icm"], Opens::Anything),
    standard(&["start-process"], Opens::Command(0)),
    standard(&["saps"], Opens::Command(0)),
    standard(&["start"], Opens::Command(0)),
    standard(&["start-job"], Opens::Anything),
    standard(&["sajb"], Opens::Anything),
    standard(&["start-threadjob"], Opens::Anything),
    standard(&["register-objectevent"], Opens::Anything),
    standard(&["register-engineevent"], Opens::Anything),
    // Kin: interpreters.
    standard(&["dash"], Opens::Code),
    standard(&["ksh"], Opens::Code),
    standard(&["csh"], Opens::Code),
    standard(&["tcsh"], Opens::Code),
    standard(&["ash"], Opens::Code),
    standard(&["busybox"], Opens::Command(0)),
    standard(&["nu"], Opens::Code),
    standard(&["pypy"], Opens::Code),
    standard(&["ipython"], Opens::Code),
    standard(&["nodejs"], Opens::Code),
    standard(&["ts-node"], Opens::Code),
    standard(&["deno", "run"], Opens::Code),
    standard(&["deno", "eval"], Opens::Anything),
    standard(&["deno", "task"], Opens::Code),
    standard(&["bun"], Opens::Code),
    standard(&["irb"], Opens::Code),
    standard(&["luajit"], Opens::Code),
    standard(&["tclsh"], Opens::Code),
    standard(&["rscript"], Opens::Code),
    standard(&["julia"], Opens::Code),
    standard(&["osascript"], Opens::Code),
    standard(&["awk"], Opens::Anything),
    standard(&["gawk"], Opens::Anything),
    standard(&["mawk"], Opens::Anything),
    standard(&["source"], Opens::Code),
    standard(&["."], Opens::Code),
    // Kin: runners of tasks and packages.
    standard(&["npm", "run-script"], Opens::Code),
    standard(&["npm", "exec"], Opens::Code),
    standard(&["npm", "x"], Opens::Code),
    standard(&["yarn", "dlx"], Opens::Code),
    standard(&["yarn", "exec"], Opens::Code),
    standard(&["pnpm", "dlx"], Opens::Code),
    standard(&["pnpm", "exec"], Opens::Command(0)),
    standard(&["pnpx"], Opens::Code),
    standard(&["bun", "x"], Opens::Code),
    standard(&["uvx"], Opens::Code),
    standard(&["uv", "run"], Opens::Command(0)),
    standard(&["uv", "tool", "run"], Opens::Code),
    standard(&["pipx", "run"], Opens::Code),
    standard(&["poetry", "run"], Opens::Command(0)),
    standard(&["pdm", "run"], Opens::Command(0)),
    standard(&["hatch", "run"], Opens::Command(0)),
    standard(&["conda", "run"], Opens::Command(0)),
    standard(&["bundle", "exec"], Opens::Command(0)),
    standard(&["go", "run"], Opens::Code),
    standard(&["docker", "run"], Opens::Anything),
    standard(&["docker", "exec"], Opens::Anything),
    standard(&["podman", "run"], Opens::Anything),
    standard(&["podman", "exec"], Opens::Anything),
    // Kin: programs that run their arguments.
    standard(&["timeout"], Opens::Command(1)),
    standard(&["nice"], Opens::Command(0)),
    standard(&["nohup"], Opens::Command(0)),
    standard(&["time"], Opens::Command(0)),
    standard(&["stdbuf"], Opens::Command(0)),
    standard(&["command"], Opens::Command(0)),
    standard(&["builtin"], Opens::Command(0)),
    standard(&["doas"], Opens::Command(0)),
    standard(&["su"], Opens::Anything),
    standard(&["pkexec"], Opens::Command(0)),
    standard(&["chroot"], Opens::Anything),
    standard(&["unshare"], Opens::Command(0)),
    standard(&["nsenter"], Opens::Command(0)),
    standard(&["setsid"], Opens::Command(0)),
    standard(&["ionice"], Opens::Command(0)),
    standard(&["flock"], Opens::Anything),
    standard(&["watch"], Opens::Anything),
    standard(&["parallel"], Opens::Anything),
    standard(&["entr"], Opens::Command(0)),
    standard(&["script"], Opens::Anything),
    standard(&["strace"], Opens::Command(0)),
    standard(&["direnv", "exec"], Opens::Anything),
    standard(&["devbox", "run"], Opens::Command(0)),
    standard(&["mise", "exec"], Opens::Anything),
    // Strict.
    strict(&["fa", "run"]),
    strict(&["coo"]),
    strict(&["gh"]),
    strict(&["gh", "api"]),
    Entry { words: &["curl"], opens: Opens::Anything, from: Strip::Strict },
    Entry { words: &["wget"], opens: Opens::Anything, from: Strip::Strict },
    Entry { words: &["invoke-webrequest"], opens: Opens::Anything, from: Strip::Strict },
    Entry { words: &["invoke-restmethod"], opens: Opens::Anything, from: Strip::Strict },
    strict(&["git"]),
    strict(&["kubectl"]),
    strict(&["aws"]),
    strict(&["gcloud"]),
    strict(&["gsutil"]),
    strict(&["az"]),
    strict(&["terraform"]),
];
