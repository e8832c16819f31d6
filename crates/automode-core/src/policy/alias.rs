//! Other spellings of the same command, as data.
//!
//! `cargo t` is `cargo test`, and `docker-compose up` is `docker compose up`: a veto on
//! one is a veto on the other. A spelling here never serves a permit.

/// A beginning of a command, and what it stands for.
const SPELLINGS: &[(&[&str], &[&str])] = &[
    (&["cargo", "t"], &["cargo", "test"]),
    (&["cargo", "nextest", "run"], &["cargo", "test"]),
    (&["cargo", "b"], &["cargo", "build"]),
    (&["cargo", "c"], &["cargo", "check"]),
    (&["cargo", "d"], &["cargo", "doc"]),
    (&["cargo", "r"], &["cargo", "run"]),
    (&["cargo", "rm"], &["cargo", "remove"]),
    (&["npm", "t"], &["npm", "test"]),
    (&["npm", "tst"], &["npm", "test"]),
    (&["npm", "run", "test"], &["npm", "test"]),
    (&["npm", "test"], &["npm", "run", "test"]),
    (&["npm", "t"], &["npm", "run", "test"]),
    (&["npm", "tst"], &["npm", "run", "test"]),
    (&["npm", "run-script"], &["npm", "run"]),
    (&["npm", "rum"], &["npm", "run"]),
    (&["npm", "urn"], &["npm", "run"]),
    (&["npm", "i"], &["npm", "install"]),
    (&["npm", "in"], &["npm", "install"]),
    (&["npm", "ins"], &["npm", "install"]),
    (&["npm", "inst"], &["npm", "install"]),
    (&["npm", "insta"], &["npm", "install"]),
    (&["npm", "instal"], &["npm", "install"]),
    (&["npm", "isnt"], &["npm", "install"]),
    (&["npm", "isnta"], &["npm", "install"]),
    (&["npm", "isntal"], &["npm", "install"]),
    (&["npm", "isntall"], &["npm", "install"]),
    (&["npm", "add"], &["npm", "install"]),
    (&["npm", "ic"], &["npm", "ci"]),
    (&["npm", "clean-install"], &["npm", "ci"]),
    (&["npm", "x"], &["npm", "exec"]),
    (&["npm", "un"], &["npm", "uninstall"]),
    (&["npm", "r"], &["npm", "uninstall"]),
    (&["npm", "rm"], &["npm", "uninstall"]),
    (&["npm", "remove"], &["npm", "uninstall"]),
    (&["npm", "unlink"], &["npm", "uninstall"]),
    (&["npm", "up"], &["npm", "update"]),
    (&["npm", "upgrade"], &["npm", "update"]),
    (&["npm", "udpate"], &["npm", "update"]),
    (&["npm", "c"], &["npm", "config"]),
    (&["npm", "set"], &["npm", "config", "set"]),
    (&["npm", "author"], &["npm", "owner"]),
    (&["npm", "dist-tags"], &["npm", "dist-tag"]),
    (&["pnpm", "i"], &["pnpm", "install"]),
    (&["pnpm", "t"], &["pnpm", "test"]),
    (&["pnpm", "rm"], &["pnpm", "remove"]),
    (&["pnpm", "uninstall"], &["pnpm", "remove"]),
    (&["pnpm", "up"], &["pnpm", "update"]),
    (&["bun", "i"], &["bun", "install"]),
    (&["bun", "a"], &["bun", "add"]),
    (&["bun", "rm"], &["bun", "remove"]),
    // The same script of the same manifest, whoever reads it.
    (&["yarn", "test"], &["npm", "test"]),
    (&["pnpm", "test"], &["npm", "test"]),
    (&["yarn", "run"], &["npm", "run"]),
    (&["pnpm", "run"], &["npm", "run"]),
    (&["bun", "run"], &["npm", "run"]),
    (&["deno", "task"], &["npm", "run"]),
    (&["node", "--run"], &["npm", "run"]),
    (&["yarn", "add"], &["npm", "install"]),
    (&["pnpm", "add"], &["npm", "install"]),
    (&["bun", "add"], &["npm", "install"]),
    (&["yarn", "install"], &["npm", "install"]),
    (&["pnpm", "install"], &["npm", "install"]),
    (&["bun", "install"], &["npm", "install"]),
    (&["yarn", "publish"], &["npm", "publish"]),
    (&["yarn", "npm", "publish"], &["npm", "publish"]),
    (&["pnpm", "publish"], &["npm", "publish"]),
    (&["bun", "publish"], &["npm", "publish"]),
    (&["py.test"], &["pytest"]),
    (&["unlink"], &["rm"]),
    (&["docker", "compose"], &["docker-compose"]),
    (&["docker-compose"], &["docker", "compose"]),
    (&["podman-compose"], &["podman", "compose"]),
    (&["docker", "container"], &["docker"]),
    (&["podman", "container"], &["podman"]),
    (&["docker", "image", "rm"], &["docker", "rmi"]),
    (&["docker", "image", "push"], &["docker", "push"]),
    (&["docker", "image", "pull"], &["docker", "pull"]),
    (&["docker", "image", "build"], &["docker", "build"]),
    (&["docker", "buildx", "build"], &["docker", "build"]),
    (&["docker", "builder", "build"], &["docker", "build"]),
    (&["docker", "rmi"], &["docker", "image", "rm"]),
    (&["docker", "rm"], &["docker", "container", "rm"]),
    (&["docker", "run"], &["docker", "container", "run"]),
    (&["docker", "exec"], &["docker", "container", "exec"]),
    (&["git", "stage"], &["git", "add"]),
    (&["git", "update-index", "--add"], &["git", "add"]),
    (&["git", "send-pack"], &["git", "push"]),
    (&["git", "lfs", "push"], &["git", "push"]),
    (&["git", "subtree", "push"], &["git", "push"]),
    (&["git", "svn", "dcommit"], &["git", "push"]),
    (&["git", "annotate"], &["git", "blame"]),
    (&["git", "fetch-pack"], &["git", "fetch"]),
    (&["git", "switch"], &["git", "checkout"]),
    (&["git", "restore"], &["git", "checkout"]),
    (&["git", "whatchanged"], &["git", "log"]),
    (&["pip3"], &["pip"]),
    (&["kubectl", "rm"], &["kubectl", "delete"]),
    (&["oc"], &["kubectl"]),
    (&["helm", "del"], &["helm", "uninstall"]),
    (&["helm", "delete"], &["helm", "uninstall"]),
    (&["helm", "un"], &["helm", "uninstall"]),
    (
        &["terraform", "destroy"],
        &["terraform", "apply", "-destroy"],
    ),
    (&["tofu"], &["terraform"]),
    (&["brew", "rm"], &["brew", "uninstall"]),
    (&["brew", "remove"], &["brew", "uninstall"]),
    (&["apt-get"], &["apt"]),
    (&["apt"], &["apt-get"]),
    (&["nodejs"], &["node"]),
    (&["gmake"], &["make"]),
    (&["mvnw"], &["mvn"]),
    (&["gradlew"], &["gradle"]),
    (&["poetry", "run"], &[]),
    (&["uv", "run"], &[]),
    (&["uv", "pip"], &["pip"]),
    (&["pdm", "run"], &[]),
    (&["hatch", "run"], &[]),
    (&["bundle", "exec"], &[]),
    (&["pnpm", "exec"], &[]),
    (&["npm", "exec"], &[]),
    (&["npx"], &[]),
    (&["bunx"], &[]),
    (&["pnpm", "dlx"], &[]),
    (&["yarn", "dlx"], &[]),
    (&["yarn", "exec"], &[]),
    (&["uvx"], &[]),
    (&["pipx", "run"], &[]),
    (&["dotnet", "tool", "run"], &[]),
];

/// What a command is also called.
pub(super) fn others(words: &[String]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut seen: Vec<Vec<String>> = vec![named(words)];
    // A spelling of a spelling is one too; two rounds reach every row.
    for _ in 0..2 {
        let next: Vec<Vec<String>> = seen.iter().flat_map(|words| once(words)).collect();
        found.extend(next.iter().cloned());
        seen = next;
    }
    found
}

/// The command with the bare name of its program, and without the choice of a toolchain.
fn named(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(head) = words.first_mut()
        && let Some((_, base)) = head.rsplit_once('/')
    {
        *head = base.to_owned();
    }
    let chosen = words.get(1).is_some_and(|word| word.starts_with('+'));
    if chosen && words.first().is_some_and(|head| head == "cargo") {
        words.remove(1);
    }
    words
}

fn once(words: &[String]) -> Vec<Vec<String>> {
    let replaced = |length: usize, by: &[&str]| -> Vec<String> {
        let rest = words.iter().skip(length).cloned();
        by.iter()
            .map(|word| (*word).to_owned())
            .chain(rest)
            .collect()
    };
    let mut found: Vec<Vec<String>> = SPELLINGS
        .iter()
        .filter(|(spelling, _)| {
            words.len() >= spelling.len()
                && spelling.iter().zip(words).all(|(own, word)| own == word)
        })
        .map(|(spelling, by)| replaced(spelling.len(), by))
        .collect();
    let head = words.first().map_or("", String::as_str);
    // `git-push` is `git push`.
    if let Some(command) = head.strip_prefix("git-") {
        found.push(replaced(1, &["git", command]));
    }
    // `python3 -m pytest` is `pytest`.
    let python = head.starts_with("python") || head.starts_with("pypy") || head == "py";
    if python && words.get(1).is_some_and(|word| word == "-m") {
        found.push(replaced(2, &[]));
    }
    // `yarn build` is `yarn run build`.
    let script = words.get(1).filter(|word| !word.starts_with('-'));
    if matches!(head, "yarn" | "pnpm") && script.is_some_and(|word| word != "run") {
        found.push(replaced(1, &["npm", "run"]));
    }
    // A toolchain that was chosen says nothing of the command.
    if head == "cargo" && words.get(1).is_some_and(|word| word.starts_with('+')) {
        found.push(replaced(2, &["cargo"]));
    }
    found.retain(|words| !words.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_stands_for_the_command() {
        let check = |typed: &str, meant: &str| {
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            let all: Vec<String> = others(&words).iter().map(|words| words.join(" ")).collect();
            assert!(all.iter().any(|other| other == meant), "{typed}: {all:?}");
        };
        check("cargo t --all", "cargo test --all");
        check("cargo +nightly t", "cargo test");
        check("npm t", "npm test");
        check("npm run-script test", "npm run test");
        check("docker-compose up -d", "docker compose up -d");
        check("docker compose up -d", "docker-compose up -d");
        check("yarn test --watch", "npm test --watch");
        check("yarn build", "npm run build");
        check("bun run test", "npm test");
        check("py.test -q", "pytest -q");
        check("docker container rm x", "docker rm x");
        check("git stage .", "git add .");
        check("git lfs push origin main", "git push origin main");
        check("/usr/bin/git-push origin", "git push origin");
        check("python3 -m pytest -q", "pytest -q");
        check("poetry run python -m pytest", "pytest");
        check("npx jest", "jest");
    }
}
