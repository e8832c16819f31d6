//! Every installed program with its own options, on operands chosen to hurt.
//!
//! What options there are the program tells itself, in the cage. Subcommands come from
//! the knowledge, which is only a list of names to try.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::corpus::files;
use super::{Draft, HURTFUL};
use crate::cage::{CageStep, CageTrial, Finished, WorkerOrder};
use crate::crowd::Crowd;
use crate::dice::Dice;

/// The most subcommands of one program that are asked.
const SUBCOMMANDS: usize = 160;

/// Names of all programs on the search path of the world.
#[must_use]
pub fn programs() -> Vec<String> {
    let mut names = BTreeSet::new();
    for directory in ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"] {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        names.extend(entries.filter_map(|entry| entry.file_name().into_string().ok()));
    }
    names.into_iter().collect()
}

/// What is known of the installed programs.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    /// Those that were asked.
    programs: Vec<String>,
    options: BTreeMap<String, Vec<String>>,
    subcommands: BTreeMap<String, Vec<String>>,
    /// Those that were not asked yet, in the order of chance.
    unasked: Vec<String>,
}

impl Installed {
    /// All programs of the machine, to be asked in an order that the seed decides.
    #[must_use]
    pub fn new(root: &Path, seed: u64) -> Self {
        let mut dice = Dice::new(seed).fork("installed");
        let mut order: Vec<(u64, String)> = programs()
            .into_iter()
            .map(|name| (dice.next(), name))
            .collect();
        order.sort();
        Self {
            subcommands: subcommands(root),
            unasked: order.into_iter().map(|(_, name)| name).collect(),
            ..Self::default()
        }
    }

    /// Asks some more programs for their options, in the cage.
    pub fn ask(&mut self, crowd: &Crowd, count: usize) {
        let rest = self.unasked.len().saturating_sub(count);
        let chosen = self.unasked.split_off(rest);
        let mut asked = Vec::new();
        for program in &chosen {
            asked.push((program.clone(), format!("{program} --help")));
            let flag = if program == "git" { "-h" } else { "--help" };
            let names = self.subcommands.get(program).into_iter().flatten();
            asked.extend(names.take(SUBCOMMANDS).map(|name| {
                let whole = format!("{program} {name}");
                (whole.clone(), format!("{whole} {flag}"))
            }));
        }
        let trials: Vec<CageTrial> = asked
            .iter()
            .zip(0..)
            .map(|((_, command), id)| CageTrial {
                id,
                source: "help".to_owned(),
                steps: vec![CageStep::Shell(command.clone())],
                order: WorkerOrder::Undecided,
                traced: false,
                keep_output: 60_000,
            })
            .collect();
        let told = crowd.run(&trials, &mut |_| {});
        for ((name, _), told) in asked.into_iter().zip(&told) {
            let options = options_in(told);
            if !options.is_empty() {
                self.options.insert(name, options);
            }
        }
        self.programs.extend(chosen);
    }

    /// One invocation of a program.
    #[must_use]
    pub fn draft(&self, dice: &mut Dice) -> Option<Draft> {
        let program = self.programs.get(dice.below(self.programs.len()))?.clone();
        self.draft_of(&program, dice)
    }

    /// One invocation of this program.
    #[must_use]
    pub fn draft_of(&self, program: &str, dice: &mut Dice) -> Option<Draft> {
        let mut name = program.to_owned();
        if let Some(names) = self.subcommands.get(program)
            && !dice.one_in(6)
        {
            name = format!("{program} {}", dice.pick(names)?);
        }
        let mut words = vec![name.clone()];
        let options = self
            .options
            .get(&name)
            .or_else(|| self.options.get(program));
        for _ in 0..dice.below(4) {
            if let Some(option) = options.and_then(|options| dice.pick(options)) {
                words.push(self.spelled(option, dice));
            }
        }
        for _ in 0..=dice.below(3) {
            words.push((*dice.pick(HURTFUL)?).to_owned());
        }
        let mut command = words.join(" ");
        match dice.below(12) {
            0 => command = format!("echo {} | {command}", dice.pick(HURTFUL)?),
            1 => command.push_str(" < clean.txt"),
            2 => command = format!("cat clean.txt | {command}"),
            3 => command = format!("cd src && {command}"),
            4 => command.push_str(" 2>/dev/null"),
            _ => {}
        }
        Some(Draft::command(format!("installed:{program}"), command))
    }

    /// Any option of a program, for mutations.
    #[must_use]
    pub fn option(&self, program: &str, dice: &mut Dice) -> Option<String> {
        let option = dice.pick(self.options.get(program)?)?.clone();
        Some(self.spelled(&option, dice))
    }

    fn spelled(&self, option: &str, dice: &mut Dice) -> String {
        let value = dice.pick(HURTFUL).copied().unwrap_or("x");
        let is_long = option.starts_with("--");
        match dice.below(5) {
            0 if is_long => format!("{option}={value}"),
            1 => format!("{option} {value}"),
            2 if !is_long => format!("{option}{value}"),
            3 if is_long && option.len() > 6 => option
                .chars()
                .take(option.len().saturating_sub(2))
                .collect(),
            _ => option.to_owned(),
        }
    }
}

/// Words of a help text that are spelled like options.
fn options_in(told: &Finished) -> Vec<String> {
    let mut options = BTreeSet::new();
    for word in told
        .output
        .split(|sign: char| sign.is_whitespace() || "[],|()<>=;\"'`".contains(sign))
    {
        let name = word.trim_end_matches(['.', ':']);
        let body = name.trim_start_matches('-');
        let dashes = name.len().saturating_sub(body.len());
        let plain = body
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_');
        if (1..=2).contains(&dashes) && (1..=30).contains(&body.len()) && plain {
            options.insert(name.to_owned());
        }
    }
    for harmless in ["-h", "--help", "--version", "-V", "-help", "-version"] {
        options.remove(harmless);
    }
    options.into_iter().collect()
}

/// Subcommands by program, as the knowledge names them.
fn subcommands(root: &Path) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&root.join("crates/automode-shell/knowledge"), "toml") {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let program = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for line in text.lines() {
            let Some(names) = line
                .strip_prefix("[sub.\"")
                .and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            let plain = names.split([',', '|']).map(str::trim);
            let plain = plain.filter(|name| !name.is_empty() && !name.contains('*'));
            all.entry(program.clone())
                .or_default()
                .extend(plain.map(str::to_owned));
        }
    }
    all.into_iter()
        .map(|(program, names)| (program, names.into_iter().collect()))
        .collect()
}
