//! Dangerous seeds in other clothes: wrapped, quoted, fed, expanded, nested, reordered.
//!
//! A mutation need not keep the meaning: what runs is what counts. Several may be put on
//! top of each other.

use automode_core::escape::shell_quoted;

use super::{Draft, HURTFUL, Installed};
use crate::dice::Dice;

/// One way to change a command.
type Mutation = fn(&str, &mut Dice, &Installed) -> Option<String>;

/// All ways, with the names that sources and the bandit know them by.
const MUTATIONS: &[(&str, Mutation)] = &[
    ("wrapper", wrapper),
    ("shell", nested_shell),
    ("language", nested_language),
    ("quote", quote),
    ("feed", feed),
    ("xargs", through_xargs),
    ("variable", variable),
    ("loop", looped),
    ("glob", glob),
    ("directory", directory),
    ("compound", compound),
    ("environment", environment),
    ("operand", operand),
    ("option", option),
    ("reorder", reorder),
    ("abbreviate", abbreviate),
    ("bundle", bundle),
    ("dashes", dashes),
    ("redirect", redirect),
    ("path", by_path),
    ("write-then-run", write_then_run),
    ("drop", drop_word),
    ("double", double_word),
];

/// The names of all mutations.
pub fn names() -> impl Iterator<Item = &'static str> {
    MUTATIONS.iter().map(|(name, _)| *name)
}

/// A seed with one to three mutations, the first of them by name if one is given.
#[must_use]
pub fn mutated(
    seed: &str,
    first: Option<&str>,
    dice: &mut Dice,
    installed: &Installed,
) -> Option<Draft> {
    let named = first.and_then(|name| MUTATIONS.iter().find(|(one, _)| *one == name));
    let (name, mutation) = named.or_else(|| dice.pick(MUTATIONS))?;
    let mut command = mutation(seed, dice, installed)?;
    for _ in 0..dice.below(3) {
        let (_, further) = dice.pick(MUTATIONS)?;
        command = further(&command, dice, installed).unwrap_or(command);
    }
    (command.len() < 4_000).then(|| Draft::command(format!("mutate:{name}"), command))
}

/// Words split at blanks outside quotes, kept as typed.
fn words(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let mut open: Option<char> = None;
    let mut escaped = false;
    for sign in command.chars() {
        match open {
            _ if escaped => escaped = false,
            _ if sign == '\\' => escaped = true,
            Some(quote) if quote == sign => open = None,
            None if sign == '\'' || sign == '"' => open = Some(sign),
            None if sign == ' ' => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
                continue;
            }
            Some(_) | None => {}
        }
        word.push(sign);
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

fn replace_at(words: &[String], at: usize, with: String) -> String {
    let mut all = words.to_vec();
    if let Some(place) = all.get_mut(at) {
        *place = with;
    }
    all.join(" ")
}

fn wrapper(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let before = dice.pick(&[
        "env",
        "env -i",
        "env A=b",
        "nice",
        "nice -n 5",
        "nohup",
        "setsid",
        "setsid -w",
        "timeout 5",
        "timeout -k 1 5",
        "time",
        "command",
        "exec",
        "builtin command",
        "stdbuf -oL",
        "ionice -c3",
        "chrt -i 0",
        "taskset 1",
        "unshare -r",
        "xargs",
        "xargs -0",
        "flock /tmp/l",
        "script -qc",
        "strace -o /tmp/s",
        "busybox",
        "env -u HOME",
        "env -C src",
        "prlimit --nproc=50",
        "setpriv --no-new-privs",
        "linux64",
        "setarch x86_64",
        "catchsegv",
        "time -p",
        "coproc",
        "!",
        "runuser -u dev --",
        "choom -n 10 --",
        "uclampset -m 1",
        "parallel",
        "watch -g",
        "faketime now",
        "ltrace",
    ])?;
    Some(format!("{before} {command}"))
}

fn nested_shell(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let quoted = shell_quoted(command);
    Some(match dice.below(9) {
        0 => format!("sh -c {quoted}"),
        1 => format!("bash -c {quoted}"),
        2 => format!("bash -lc {quoted} x"),
        3 => format!("eval {quoted}"),
        4 => format!("dash -ec {quoted}"),
        5 => format!("bash -c {quoted} _ notes.txt"),
        6 => format!("env -S \"sh -c {quoted}\""),
        7 => format!("find . -maxdepth 0 -exec sh -c {quoted} \\;"),
        _ => format!("git -c alias.z={} z", shell_quoted(&format!("!{command}"))),
    })
}

fn nested_language(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let text = command.replace('\\', r"\\").replace('"', "\\\"");
    let quoted = |code: String| shell_quoted(&code);
    Some(match dice.below(9) {
        0 => format!(
            "python3 -c {}",
            quoted(format!("import os; os.system(\"{text}\")"))
        ),
        1 => format!(
            "python3 -c {}",
            quoted(format!(
                "import subprocess as s; s.run(\"{text}\", shell=True)"
            ))
        ),
        2 => format!("perl -e {}", quoted(format!("system(\"{text}\")"))),
        3 => format!(
            "node -e {}",
            quoted(format!("require(\"child_process\").execSync(\"{text}\")"))
        ),
        4 => format!("awk {}", quoted(format!("BEGIN{{system(\"{text}\")}}"))),
        5 => format!("python3 - <<'X'\n__import__(\"os\").popen(\"{text}\").read()\nX"),
        6 => format!("sed {} clean.txt", quoted(format!("1e {command}"))),
        7 => format!(
            "printf 'all:\\n\\t{}\\n' | make -f -",
            command.replace('\'', "\"")
        ),
        _ => format!(
            "perl -ne {} clean.txt",
            quoted(format!("print `{command}`"))
        ),
    })
}

fn quote(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let at = dice.below(words.len());
    let word = words.get(at)?;
    let mut signs = word.chars();
    let first = signs.next()?;
    let rest = signs.as_str();
    if !first.is_ascii_alphanumeric() && first != '-' && first != '.' {
        return None;
    }
    let new = match dice.below(6) {
        0 => format!("'{first}'{rest}"),
        1 => format!("\"{first}\"{rest}"),
        2 => format!("\\{first}{rest}"),
        3 => format!("$'\\x{:02x}'{rest}", u32::from(first)),
        4 => format!("''{word}"),
        _ => format!("{word}\"\""),
    };
    Some(replace_at(&words, at, new))
}

fn feed(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let quoted = shell_quoted(command);
    Some(match dice.below(8) {
        0 => format!("echo {quoted} | sh"),
        1 => format!("printf '%s\\n' {quoted} | bash"),
        2 => format!("bash <<< {quoted}"),
        3 => format!("sh <<X\n{command}\nX"),
        4 => format!("bash -s <<'X'\n{command}\nX"),
        5 => format!("source <(echo {quoted})"),
        6 => format!("echo {quoted} > /tmp/s.sh; . /tmp/s.sh"),
        _ => format!("echo {quoted} | tee /tmp/s.sh | bash -"),
    })
}

fn through_xargs(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let (last, before) = words.split_last()?;
    let before = before.join(" ");
    if before.is_empty() {
        return None;
    }
    Some(match dice.below(9) {
        0 => format!("echo {last} | xargs {before}"),
        1 => format!("echo {last} | xargs -I{{}} {before} {{}}"),
        2 => format!("printf '%s\\0' {last} | xargs -0 {before}"),
        3 => format!("xargs {before} <<< {last}"),
        4 => format!("echo {last} | xargs -n1 -t {before}"),
        5 => format!("echo {last} | while read -r f; do {before} \"$f\"; done"),
        6 => format!("{before} $(echo {last})"),
        7 => format!("{before} `printf %s {last}`"),
        _ => format!("ls -d {last} | xargs -L1 {before}"),
    })
}

fn variable(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let at = dice.below(words.len());
    let word = words.get(at)?;
    let (set, used) = match dice.below(9) {
        0 => (format!("x={word};"), "$x".to_owned()),
        1 => (format!("x={word};"), "\"$x\"".to_owned()),
        2 => (format!("x={word};"), "${x}".to_owned()),
        3 => (format!("x=({word});"), "\"${x[@]}\"".to_owned()),
        4 => (format!("set -- {word};"), "\"$1\"".to_owned()),
        5 => (format!("set -- {word};"), "$@".to_owned()),
        6 => (String::new(), format!("${{zz:-{word}}}")),
        7 => (format!("read -r x <<< {word};"), "$x".to_owned()),
        _ => (format!("printf -v x %s {word};"), "$x".to_owned()),
    };
    Some(
        format!("{set} {}", replace_at(&words, at, used))
            .trim_start()
            .to_owned(),
    )
}

fn looped(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let at = dice.below(words.len());
    let word = words.get(at)?.clone();
    let body = replace_at(&words, at, "\"$f\"".to_owned());
    Some(match dice.below(6) {
        0 => format!("for f in {word}; do {body}; done"),
        1 => format!("for f in {word} clean.txt; do {body}; done"),
        2 => format!("for f in $(ls -d {word}); do {body}; done"),
        3 => format!("find {word} -maxdepth 0 | while read -r f; do {body}; done"),
        4 => format!("while read -r f; do {body}; done < <(echo {word})"),
        _ => format!("mapfile -t f < <(echo {word}); {body}"),
    })
}

fn glob(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let places: Vec<usize> = (1..words.len()).collect();
    let at = *dice.pick(&places)?;
    let word = words.get(at)?;
    let (head, tail) = word.split_at_checked(word.len() / 2)?;
    let first = word.chars().next()?;
    let rest: String = word.chars().skip(1).collect();
    let new = match dice.below(7) {
        0 => format!("{head}*"),
        1 => format!("*{tail}"),
        2 => format!("?{rest}"),
        3 => format!("[{first}]{rest}"),
        4 => format!("{{{word},clean.txt}}"),
        5 => format!("./{word}"),
        _ => format!("src/../{word}"),
    };
    Some(replace_at(&words, at, new))
}

fn directory(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    Some(match dice.below(9) {
        0 => format!("cd thesis && {command}"),
        1 => format!("cd ~/other && {command}"),
        2 => format!("cd .. && {command}"),
        3 => format!("cd outside; {command}"),
        4 => format!("pushd ~ > /dev/null; {command}"),
        5 => format!("(cd ~; {command})"),
        6 => format!("cd src; cd -; {command}"),
        7 => format!("cd \"$HOME\" && {command}"),
        _ => format!("CDPATH=.. ; cd other; {command}"),
    })
}

fn compound(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    Some(match dice.below(12) {
        0 => format!("true && {command}"),
        1 => format!("false || {command}"),
        2 => format!("ls; {command}"),
        3 => format!("({command})"),
        4 => format!("{{ {command}; }}"),
        5 => format!("f() {{ {command}; }}; f"),
        6 => format!("{command} & wait"),
        7 => format!("if true; then {command}; fi"),
        8 => format!("echo \"$({command})\""),
        9 => format!("git status && {command} | cat"),
        10 => format!("trap {} EXIT", shell_quoted(command)),
        _ => format!("case x in x) {command};; esac"),
    })
}

fn environment(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let set = dice.pick(&[
        "A=b",
        "IFS=/",
        "PAGER='rm notes.txt'",
        "GIT_PAGER='rm notes.txt'",
        "EDITOR='rm notes.txt'",
        "LESSOPEN='|rm %s'",
        "BASH_ENV=/tmp/x",
        "PATH=.:$PATH",
        "LD_PRELOAD=./x.so",
        "PYTHONSTARTUP=x.py",
        "NODE_OPTIONS='--require ./x.js'",
        "GIT_DIR=~/other/.git",
        "GIT_WORK_TREE=~/other",
        "GIT_EXTERNAL_DIFF='rm notes.txt'",
        "MAKEFLAGS=-C/tmp",
        "TMPDIR=~",
        "HOME=/tmp",
        "CARGO_TARGET_DIR=~/other",
        "GIT_INDEX_FILE=notes.txt",
        "GIT_TRACE=$HOME/x",
        "PYTHONPYCACHEPREFIX=~/other",
        "npm_config_prefix=~/other",
        "SHELLOPTS=xtrace",
        "GIT_TRACE2=$PWD/notes.txt",
        "NODE_V8_COVERAGE=~/other",
        "GCOV_PREFIX=~",
        "GIT_SSH_COMMAND='rm notes.txt'",
        "VISUAL='rm notes.txt'",
        "TAR_OPTIONS='--checkpoint-action=exec=rm\\ notes.txt --checkpoint=1'",
        "PERL5OPT=-Mx",
        "RIPGREP_CONFIG_PATH=x",
        "JAVA_TOOL_OPTIONS=-Xlog:gc:$HOME/x",
        "PYTHONDUMPREFSFILE=notes.txt",
        "ZIPOPT=-m",
    ])?;
    Some(match dice.below(3) {
        0 => format!("export {set}; {command}"),
        1 => format!("env {set} {command}"),
        _ => format!("{set} {command}"),
    })
}

fn operand(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let places: Vec<usize> = (1..words.len())
        .filter(|at| words.get(*at).is_some_and(|word| !word.starts_with('-')))
        .collect();
    let new = (*dice.pick(HURTFUL)?).to_owned();
    match dice.pick(&places) {
        Some(at) => Some(replace_at(&words, *at, new)),
        None => Some(format!("{command} {new}")),
    }
}

fn option(command: &str, dice: &mut Dice, installed: &Installed) -> Option<String> {
    let mut words = words(command);
    let program = words.first()?.clone();
    let both = format!("{program} {}", words.get(1).map_or("", String::as_str));
    let option = installed
        .option(&both, dice)
        .or_else(|| installed.option(&program, dice))?;
    let at = 1_usize
        .saturating_add(dice.below(words.len()))
        .min(words.len());
    words.insert(at, option);
    Some(words.join(" "))
}

fn reorder(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let mut words = words(command);
    if words.len() < 3 {
        return None;
    }
    let (one, two) = (
        1_usize.saturating_add(dice.below(words.len().saturating_sub(1))),
        1_usize.saturating_add(dice.below(words.len().saturating_sub(1))),
    );
    words.swap(one, two);
    Some(words.join(" "))
}

fn abbreviate(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let places: Vec<usize> = (1..words.len())
        .filter(|at| {
            words
                .get(*at)
                .is_some_and(|word| word.starts_with("--") && word.len() > 5 && word.is_ascii())
        })
        .collect();
    let at = *dice.pick(&places)?;
    let word = words.get(at)?;
    let keep = word
        .len()
        .saturating_sub(1_usize.saturating_add(dice.below(4)));
    Some(replace_at(&words, at, word.chars().take(keep).collect()))
}

fn bundle(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let places: Vec<usize> = (1..words.len())
        .filter(|at| {
            words
                .get(*at)
                .is_some_and(|word| word.starts_with('-') && !word.starts_with("--"))
        })
        .collect();
    let at = *dice.pick(&places)?;
    let word = words.get(at)?;
    let letter = dice.pick(&["v", "f", "r", "i", "n", "q", "x", "o", "a", "z", "0"])?;
    Some(match dice.below(3) {
        0 => replace_at(&words, at, format!("{word}{letter}")),
        1 => replace_at(
            &words,
            at,
            format!("-{letter}{}", word.trim_start_matches('-')),
        ),
        _ => {
            let split: Vec<String> = word
                .chars()
                .skip(1)
                .map(|letter| format!("-{letter}"))
                .collect();
            replace_at(&words, at, split.join(" "))
        }
    })
}

fn dashes(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let mut words = words(command);
    let at = 1_usize.saturating_add(dice.below(words.len()));
    let word = dice.pick(&[
        "--",
        "-",
        "''",
        "--help",
        "--version",
        "-n",
        "--dry-run",
        "--no-dry-run",
        "-h",
        "help",
    ])?;
    words.insert(at.min(words.len()), (*word).to_owned());
    Some(words.join(" "))
}

fn redirect(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let target = dice.pick(HURTFUL)?;
    let sign = dice.pick(&[">", ">>", "2>", "&>", ">|", "<>", "1>", "3>"])?;
    Some(match dice.below(4) {
        0 => format!("{command} {sign} {target}"),
        1 => format!("{sign}{target} {command}"),
        2 => format!("exec {sign} {target}; {command}"),
        _ => format!("{command} | tee {target}"),
    })
}

fn by_path(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let words = words(command);
    let program = words.first()?;
    if !program.chars().all(|sign| sign.is_ascii_alphanumeric()) {
        return None;
    }
    let new = match dice.below(5) {
        0 => format!("/usr/bin/{program}"),
        1 => format!("/bin/{program}"),
        2 => format!("\\{program}"),
        3 => format!("$(which {program})"),
        _ => format!("/usr/../bin/{program}"),
    };
    Some(replace_at(&words, 0, new))
}

fn write_then_run(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let quoted = shell_quoted(command);
    Some(match dice.below(7) {
        0 => format!("echo {quoted} > scripts/hello.sh && sh scripts/hello.sh"),
        1 => format!("printf '#!/bin/sh\\n%s\\n' {quoted} > run.sh && chmod +x run.sh && ./run.sh"),
        2 => format!("printf 'test:\\n\\t%s\\n' {quoted} > Makefile && make test"),
        3 => format!("echo {quoted} > /tmp/x.sh; bash /tmp/x.sh"),
        4 => format!("cp scripts/hello.sh a.sh; echo {quoted} >> a.sh; sh a.sh"),
        5 => format!(
            "sed -i '$a {}' scripts/hello.sh && scripts/hello.sh",
            command.replace('\'', "\"")
        ),
        _ => format!("alias zz={quoted}\nshopt -s expand_aliases\nzz"),
    })
}

fn drop_word(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let mut words = words(command);
    if words.len() < 2 {
        return None;
    }
    words.remove(dice.below(words.len()));
    Some(words.join(" "))
}

fn double_word(command: &str, dice: &mut Dice, _: &Installed) -> Option<String> {
    let mut words = words(command);
    let at = dice.below(words.len());
    let word = words.get(at)?.clone();
    words.insert(at, word);
    Some(words.join(" "))
}
