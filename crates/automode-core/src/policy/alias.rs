//! Other spellings of the same command.
//!
//! `cargo t` is `cargo test`, and `docker-compose up` is `docker compose up`: a veto on
//! one is a veto on the other. A spelling here never serves a permit.

use automode_shell::reference::SPELLINGS;
use automode_shell::{Nature, natures_of, natures_of_version};

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
    if chosen && words.first().is_some_and(|head| takes_toolchain(head)) {
        words.remove(1);
    }
    words
}

fn takes_toolchain(program: &str) -> bool {
    natures_of(program).contains(Nature::TakesToolchain)
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
        .filter(|spelling| {
            let typed = spelling.typed;
            // `yarn <script>`: any word that is no option and not `run`.
            let is = |own: &&str, word: &String| match *own {
                "<script>" => !word.starts_with('-') && word != "run",
                own => own == word,
            };
            words.len() >= typed.len() && typed.iter().zip(words).all(|(own, word)| is(own, word))
        })
        .map(|spelling| {
            let kept = spelling.typed.iter().filter(|own| **own == "<script>");
            let taken = spelling.typed.len().saturating_sub(kept.count());
            replaced(taken, spelling.stands_for)
        })
        .collect();
    let head = words.first().map_or("", String::as_str);
    // `git-push` is `git push`.
    if let Some((program, command)) = head.split_once('-')
        && natures_of(program).contains(Nature::Git)
    {
        found.push(replaced(1, &[program, command]));
    }
    // `python3 -m pytest` is `pytest`.
    let runs_modules = natures_of_version(head).contains(Nature::RunsModules);
    if runs_modules && words.get(1).is_some_and(|word| word == "-m") {
        found.push(replaced(2, &[]));
    }
    // `pip3.11` is `pip`.
    let bare =
        head.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter));
    if bare != head && !bare.is_empty() {
        found.push(replaced(1, &[bare]));
    }
    // A toolchain that was chosen says nothing of the command.
    if takes_toolchain(head) && words.get(1).is_some_and(|word| word.starts_with('+')) {
        found.push(replaced(2, &[head]));
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
        check("pip3.11 install x", "pip install x");
        check("python3.12 -m pytest", "pytest");
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
