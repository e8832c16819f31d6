//! What programs say about their own options, against the knowledge.
//!
//! The help text of an installed program accuses; the program itself judges: it is
//! started with the option in question and an option that nobody has, in a sandbox
//! without network, rights or files. Where it complains about the second, the first
//! takes no word; where it misses an argument, the first takes one. A row that swallows
//! a word, or hides a value, fails unless `grammar/waivers.txt` says why, and so does a
//! waiver that is no longer needed. The number of options that no row of a program
//! lists may only fall from what `grammar/unlisted.txt` says; `AUTOMODE_ORACLE=bless`
//! writes that file. Completions accuse too, see `grammar/completions.rs`.
//! Asked for with `AUTOMODE_ORACLE`, which `.ci/run` sets.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, fs, thread};

#[path = "grammar/completions.rs"]
mod completions;

const ODD: &str = "--zzqx";

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Glued,
    Perhaps,
    Words,
}

type Options = BTreeMap<String, Takes>;

/// What the knowledge says of a program.
struct Known {
    options: Options,
    /// Those of its subcommands, by their words.
    subs: BTreeMap<String, Options>,
    /// Its operands are a command line: `timeout 5 rm x`.
    runs_commands: bool,
}

#[test]
fn rows_take_what_the_programs_take() {
    let Some(asked_for) = env::var_os("AUTOMODE_ORACLE") else {
        println!(
            "skipped: the grammar oracle (hint: AUTOMODE_ORACLE=1 asks the installed programs)"
        );
        return;
    };
    if ask("true", &[]).is_none() {
        println!("skipped: the grammar oracle, for there is no sandbox (hint: install bubblewrap)");
        return;
    }
    let known = knowledge();
    let names: Vec<&String> = known.keys().filter(|name| is_installed(name)).collect();
    let report = asked(&names, &known);
    println!(
        "grammar oracle: {} programs of the knowledge are installed, {} tell of {} options; {} accused, {} settled by the program, {} swallow a word, {} hide a value, {} unlisted",
        names.len(),
        report.telling,
        report.told,
        report.accused,
        report.settled,
        report.swallow.len(),
        report.hide.len(),
        report.unlisted.values().sum::<usize>(),
    );
    if asked_for == "bless" {
        bless(&report.unlisted);
    }
    let waivers = waivers(include_str!("grammar/waivers.txt"));
    let found: BTreeSet<String> = report.swallow.union(&report.hide).cloned().collect();
    let open: Vec<&String> = found.difference(&waivers).collect();
    let installed = |line: &String| {
        let program = line.split(' ').nth(1).unwrap_or_default();
        names.iter().any(|name| *name == program)
    };
    let idle: Vec<&String> = waivers
        .difference(&found)
        .filter(|line| installed(line))
        .collect();
    assert!(
        open.is_empty(),
        "rows that are wrong by the program's own word: {open:#?}"
    );
    assert!(
        idle.is_empty(),
        "waivers that are no longer needed: {idle:#?}"
    );
    let more = more_than_known(&report.unlisted);
    assert!(
        more.is_empty(),
        "programs with more unlisted options than `grammar/unlisted.txt` knows: {more:#?}"
    );
}

/// What came of asking.
#[derive(Default)]
struct Report {
    telling: usize,
    told: usize,
    accused: usize,
    settled: usize,
    unlisted: BTreeMap<String, usize>,
    swallow: BTreeSet<String>,
    hide: BTreeSet<String>,
}

fn asked(names: &[&String], known: &BTreeMap<String, Known>) -> Report {
    let report = Mutex::new(Report::default());
    let next = Mutex::new(names.iter());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let name = next.lock().expect("no thread failed").next();
                    let Some(name) = name else { break };
                    one_program(name, &known[name.as_str()], &report);
                }
            });
        }
    });
    report.into_inner().expect("no thread failed")
}

fn one_program(name: &str, known: &Known, report: &Mutex<Report>) {
    let rows = &known.options;
    let told = told(&ask(name, &["--help"]).unwrap_or_default());
    let mut accused = Vec::new();
    let mut unlisted = 0;
    for (option, takes) in &told {
        let begins =
            |row: &String| row.ends_with('*') && option.starts_with(row.trim_end_matches('*'));
        match (rows.get(option), takes) {
            (None, _) if !rows.keys().any(begins) => unlisted += 1,
            (Some(Takes::Words), Takes::Nothing | Takes::Glued)
            | (Some(Takes::Nothing | Takes::Glued), Takes::Words) => accused.push(option),
            _ => {}
        }
    }
    // `PROG FLAG rm echo f`: a wrong row would hide the command that runs.
    if known.runs_commands {
        let certain = |takes: &Takes| matches!(takes, Takes::Words | Takes::Nothing);
        let exact = rows
            .iter()
            .filter(|(row, takes)| {
                row.starts_with('-') && !row.contains(['*', '#']) && certain(takes)
            })
            .map(|(row, _)| row);
        accused.extend(exact.filter(|row| row.len() > 1 && row.as_str() != "--"));
        accused.sort_unstable();
        accused.dedup();
    }
    let judged: Vec<(&String, Option<Takes>)> = accused
        .iter()
        .map(|option| (*option, judged(name, "", option)))
        .collect();
    let mut report = report.lock().expect("no thread failed");
    report.telling += usize::from(told.len() > 1);
    report.told += told.len();
    report.accused += accused.len();
    report.unlisted.insert(name.to_owned(), unlisted);
    for (option, takes) in judged {
        let Some(takes) = takes else { continue };
        report.settled += 1;
        match (rows.get(option), takes) {
            (Some(Takes::Words), Takes::Nothing) => {
                report.swallow.insert(format!("swallow {name} {option}"));
            }
            (Some(Takes::Nothing | Takes::Glued), Takes::Words) => {
                report.hide.insert(format!("hide {name} {option}"));
            }
            _ => {}
        }
    }
}

/// The program's own word on an option of it or of a subcommand; none where it does not say.
fn judged(name: &str, sub: &str, option: &str) -> Option<Takes> {
    const COMPLAINTS: &[&str] = &[
        "unrecognized option",
        "unrecognised option",
        "unknown option",
        "invalid option",
        "illegal option",
        "bad option",
        "no such option",
        "unknown argument",
        "unrecognized argument",
        "unknown command line argument",
        "unexpected argument",
    ];
    const MISSING: &[&str] = &[
        "requires an argument",
        "requires a value",
        "requires a parameter",
        "option requires",
        "expected one argument",
        "needs an argument",
        "missing argument",
        "expects an argument",
        "argument missing",
        "requires argument",
        "flag needs",
    ];
    let says = |text: &str, words: &[&str], with: &str| {
        text.lines()
            .map(str::to_lowercase)
            .any(|line| line.contains(with) && words.iter().any(|word| line.contains(word)))
    };
    let mut words: Vec<&str> = sub.split_whitespace().chain([option]).collect();
    let alone = ask(name, &words)?;
    words.push(ODD);
    if says(&ask(name, &words)?, COMPLAINTS, "zzqx") {
        return Some(Takes::Nothing);
    }
    says(&alone, MISSING, "").then_some(Takes::Words)
}

/// What a program prints, without network, rights, files of its own or much time.
fn ask(name: &str, words: &[&str]) -> Option<String> {
    let output = Command::new("timeout")
        .args([
            "-k",
            "1",
            "3",
            "bwrap",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
        ])
        .args([
            "--tmpfs", "/tmp", "--tmpfs", "/root", "--tmpfs", "/home", "--tmpfs", "/run",
        ])
        .args([
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
        ])
        .args([
            "--uid",
            "65534",
            "--gid",
            "65534",
            "--chdir",
            "/tmp",
            "--clearenv",
        ])
        .args([
            "--setenv",
            "PATH",
            "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        ])
        .args([
            "--setenv", "HOME", "/tmp", "--setenv", "LC_ALL", "C", "--setenv", "COLUMNS", "200",
        ])
        .arg(name)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let started = !String::from_utf8_lossy(&output.stderr).starts_with("bwrap:");
    started.then(|| {
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// The options that a help text tells of.
fn told(help: &str) -> Options {
    let mut told = Options::new();
    for line in help.lines() {
        let text = line.trim_start();
        if !text.starts_with('-') || line.len() - text.len() > 10 {
            continue;
        }
        let text = text.replace(",  ", ", ");
        let head = text.split(['\t', '\u{1b}']).next().unwrap_or_default();
        let head = head.split("  ").next().unwrap_or_default();
        let spelled: Option<Vec<(String, Takes)>> = head
            .split(", ")
            .flat_map(|part| part.split(','))
            .map(spelling)
            .collect();
        let Some(spelled) = spelled else { continue };
        let takes = [Takes::Words, Takes::Glued]
            .into_iter()
            .find(|takes| spelled.iter().any(|(_, own)| own == takes))
            .unwrap_or(Takes::Nothing);
        for (name, _) in spelled {
            told.entry(name)
                .and_modify(|known| {
                    if *known != takes {
                        *known = Takes::Perhaps
                    }
                })
                .or_insert(takes);
        }
    }
    told.retain(|name, _| !matches!(name.as_str(), "--help" | "--version"));
    told
}

/// `--output=FILE`, `--color[=WHEN]`, `-n NUM`, `-q`; none where it is not clear.
fn spelling(part: &str) -> Option<(String, Takes)> {
    let part = part.trim();
    let letter = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let end = part.find(|c: char| !letter(c)).unwrap_or(part.len());
    let (name, rest) = part.split_at(end);
    let takes = match rest {
        "" => Takes::Nothing,
        _ if rest.starts_with("[=") => Takes::Glued,
        _ if rest.starts_with("=[") && rest.ends_with(']') => Takes::Glued,
        _ if rest.starts_with('=') => Takes::Words,
        _ if rest.starts_with(" <") => Takes::Words,
        _ => {
            let word = rest.strip_prefix(' ')?.split(' ').next()?;
            let capital = |c: char| c.is_ascii_uppercase() || "_-:[]".contains(c);
            (word.len() > 1 && word.chars().all(capital)).then_some(Takes::Words)?
        }
    };
    (name.len() > 1 && name.starts_with('-')).then(|| (name.to_owned(), takes))
}

fn is_installed(name: &str) -> bool {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).is_file())
}

const UNLISTED: &str = "tests/grammar/unlisted.txt";

/// Programs that tell of more options without a row than they did. One that the file does
/// not know is only printed, for another machine has other programs.
fn more_than_known(unlisted: &BTreeMap<String, usize>) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(UNLISTED);
    let text = fs::read_to_string(path).expect("the list of unlisted options");
    let known: BTreeMap<&str, usize> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, count)| Some((name, count.parse().ok()?)))
        .collect();
    let mut more = Vec::new();
    for (name, count) in unlisted {
        match known.get(name.as_str()) {
            Some(before) if count > before => more.push(format!("{name}: {count}, were {before}")),
            None if *count > 0 => println!("not held: {name} with {count} unlisted options"),
            Some(_) | None => {}
        }
    }
    more
}

fn bless(unlisted: &BTreeMap<String, usize>) {
    let mut text =
        "# PROGRAM OPTIONS: how many options a program tells of that no row lists.\n".to_owned();
    for (name, count) in unlisted {
        text.push_str(&format!("{name} {count}\n"));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(UNLISTED);
    fs::write(path, text).expect("the list of unlisted options is written");
}

/// Lines of `swallow PROGRAM OPTION: why`.
fn waivers(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .map(|(what, _)| what.to_owned())
        .collect()
}

/// The options of every program by its name.
fn knowledge() -> BTreeMap<String, Known> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("knowledge");
    let mut known = BTreeMap::new();
    for folder in fs::read_dir(root).expect("knowledge").flatten() {
        let Ok(files) = fs::read_dir(folder.path()) else {
            continue;
        };
        for file in files.flatten() {
            let text = fs::read_to_string(file.path()).expect("a knowledge file");
            let table: toml::Table = text.parse().expect("TOML");
            let path = file.path();
            let stem = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let own = table
                .get("name")
                .and_then(toml::Value::as_str)
                .map_or(stem, str::to_owned);
            let aliases = table
                .get("aliases")
                .and_then(toml::Value::as_array)
                .into_iter()
                .flatten();
            let names = aliases.filter_map(toml::Value::as_str).map(str::to_owned);
            for name in names.chain([own]).filter(|name| !name.contains(' ')) {
                let options = options(&table, &name);
                let subs = subcommands(&table);
                let runs_commands = runs_commands(&table);
                known.insert(
                    name,
                    Known {
                        options,
                        subs,
                        runs_commands,
                    },
                );
            }
        }
    }
    known
}

fn runs_commands(table: &toml::Table) -> bool {
    let operands = table.get("operands").and_then(toml::Value::as_array);
    operands
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_str)
        .any(|place| {
            ["command", "each", "shell"]
                .iter()
                .any(|role| place.contains(role))
        })
}

fn options(table: &toml::Table, name: &str) -> Options {
    let mut options = Options::new();
    rows(table, &mut options);
    if let Some(global) = table.get("global").and_then(toml::Value::as_table) {
        rows(global, &mut options);
    }
    let only = table
        .get("only")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten();
    for (names, part) in only {
        if let Some(part) = part
            .as_table()
            .filter(|_| names.split(' ').any(|own| own == name))
        {
            rows(part, &mut options);
        }
    }
    options
}

/// The options of subcommands that are named to the letter, one word deep.
fn subcommands(table: &toml::Table) -> BTreeMap<String, Options> {
    let mut global = Options::new();
    if let Some(table) = table.get("global").and_then(toml::Value::as_table) {
        rows(table, &mut global);
    }
    let mut subs = BTreeMap::new();
    let listed = table.get("sub").and_then(toml::Value::as_table);
    for (names, part) in listed.into_iter().flatten() {
        let Some(part) = part.as_table() else {
            continue;
        };
        let mut options = global.clone();
        rows(part, &mut options);
        let exact = names
            .split(", ")
            .filter(|path| !path.contains([' ', '*']))
            .flat_map(|path| path.split('|'));
        for name in exact {
            subs.insert(name.to_owned(), options.clone());
        }
    }
    subs
}

fn rows(table: &toml::Table, options: &mut Options) {
    let lists = |key: &str| {
        table
            .get(key)
            .and_then(toml::Value::as_table)
            .into_iter()
            .flatten()
    };
    let roles = lists("option").map(|(row, _)| row.as_str());
    let inert = lists("inert").filter_map(|(_, list)| list.as_str());
    let tested = table.get("tested").and_then(toml::Value::as_str);
    for row in roles
        .chain(inert)
        .chain(tested)
        .flat_map(|list| list.split(", "))
        .flat_map(|part| part.split(",\n"))
    {
        let mut spellings: Vec<&str> = row.split_whitespace().collect();
        let Some(last) = spellings.pop() else {
            continue;
        };
        let ends = [
            ("[=]", Takes::Glued),
            ("[#]", Takes::Glued),
            ("=?", Takes::Perhaps),
            ("=*", Takes::Words),
            ("=;", Takes::Words),
            ("=2", Takes::Words),
            ("=", Takes::Words),
            ("", Takes::Nothing),
        ];
        let found = ends
            .iter()
            .find_map(|(end, takes)| Some((last.strip_suffix(end)?, *takes)));
        let Some((last, takes)) = found else { continue };
        for spelling in spellings.into_iter().chain([last]) {
            options.insert(spelling.to_owned(), takes);
        }
    }
}
