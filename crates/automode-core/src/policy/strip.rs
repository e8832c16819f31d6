//! Allow rules that auto mode sets aside.
//!
//! A rule that leaves open which code runs would take the place of the judge, so
//! in auto mode it does not count. Stripping is a pure function of a rule and the
//! `strip` setting: no file is touched, and in another mode the rule is back.
//! A rule survives when it spells out what runs: `python3 -m pytest *` names the
//! module, `npm run test *` the task, `python3 build.py` the file.
//! A bare interpreter runs what it is fed, so even the exact rule is set aside.

use std::{borrow::Borrow, sync::Arc};

use automode_shell::reference::{OPEN_ENDS, OpenEnd, Opens};

use super::{
    Strip,
    glob::Glob,
    rule::{Rule, RuleTool, Specifier},
};

/// An allow rule that survived stripping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoAllowRule(Arc<Rule>);

/// A rule that auto mode sets aside, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    pub rule: Arc<Rule>,
    pub why: String,
}

impl AutoAllowRule {
    /// Admits a rule, or says why not.
    pub fn admit(rule: Arc<Rule>, level: Strip) -> Result<Self, Stripped> {
        match reason(&rule, level) {
            None => Ok(Self(rule)),
            Some(why) => Err(Stripped { rule, why }),
        }
    }

    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.0
    }
}

impl Borrow<Rule> for AutoAllowRule {
    fn borrow(&self) -> &Rule {
        &self.0
    }
}

/// Why auto mode sets the rule aside.
fn reason(rule: &Rule, level: Strip) -> Option<String> {
    let all = rule.what == Specifier::Any;
    match &rule.tool {
        RuleTool::Bash | RuleTool::PowerShell if all => Some("it allows every command".to_owned()),
        RuleTool::Agent if all => Some("it allows every agent with any task".to_owned()),
        RuleTool::Agent if level == Strip::Strict => {
            Some("it allows an agent with any task (strip = \"strict\")".to_owned())
        }
        RuleTool::Bash | RuleTool::PowerShell => match &rule.what {
            Specifier::Command(glob) => command(glob, level),
            Specifier::Any | Specifier::Path(_) | Specifier::Host(_) | Specifier::Name(_) => None,
        },
        RuleTool::Agent
        | RuleTool::Read
        | RuleTool::Edit
        | RuleTool::Fetch
        | RuleTool::Mcp { .. }
        | RuleTool::Named(_)
        | RuleTool::Pattern(_) => None,
    }
}

fn command(glob: &Glob, level: Strip) -> Option<String> {
    let fixed = glob.exact().unwrap_or_else(|| glob.prefix());
    let mut segments: Vec<&str> = fixed.split(['|', '&', ';', '\n']).collect();
    let last = segments.pop().unwrap_or_default();
    let whole = segments
        .iter()
        .find_map(|segment| head(&words(segment), &StripEnd::Closed, level));
    whole.or_else(|| {
        if glob.exact().is_some() {
            return head(&words(last), &StripEnd::Closed, level);
        }
        let mut known = words(last);
        let begun = if last.is_empty() || last.ends_with(' ') {
            String::new()
        } else {
            known.pop().unwrap_or_default()
        };
        head(&known, &StripEnd::Open(begun), level)
    })
}

/// How a pattern goes on behind its whole words.
enum StripEnd {
    Closed,
    /// A star, behind the beginning of a word.
    Open(String),
}

impl StripEnd {
    fn begun(&self) -> Option<&str> {
        match self {
            Self::Closed => None,
            Self::Open(begun) => Some(begun),
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.chars()
                .filter(|c| !matches!(c, '\'' | '"' | '\\'))
                .collect()
        })
        .collect()
}

/// What the first whole word, or its beginning, reaches.
fn head(words: &[String], end: &StripEnd, level: Strip) -> Option<String> {
    let words = skip_assignments(words);
    let Some((program, rest)) = words.split_first() else {
        let begun = end.begun()?;
        if begun.is_empty() || begun.contains(['/', '=']) {
            return Some("its wildcard chooses the program".to_owned());
        }
        let entry = entries(level).find(|entry| {
            entry
                .words
                .first()
                .is_some_and(|name| name.starts_with(begun) || *name == plain_name(begun))
        })?;
        return Some(format!("its wildcard reaches `{}`", entry.words.join(" ")));
    };
    let name = plain_name(program);
    entries(level)
        .filter(|entry| entry.words.first() == Some(&name.as_str()))
        .find_map(|entry| reach(entry, rest, end, level))
}

fn entries(level: Strip) -> impl Iterator<Item = &'static OpenEnd> {
    OPEN_ENDS
        .iter()
        .filter(move |entry| !entry.only_strict || level == Strip::Strict)
}

/// Whether words behind the program of an entry reach it, and what is left open.
fn reach(entry: &OpenEnd, words: &[String], end: &StripEnd, level: Strip) -> Option<String> {
    let listed = entry.words.join(" ");
    let mut rest = words;
    for wanted in entry.words.get(1..).unwrap_or_default() {
        // Options may stand between a program and its subcommand.
        match rest
            .iter()
            .position(|word| word == wanted || !word.starts_with('-'))
        {
            Some(at) if rest.get(at) == Some(&(*wanted).to_owned()) => {
                rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
            }
            Some(_) => return None,
            None => {
                let begun = end.begun()?;
                return wanted
                    .starts_with(begun)
                    .then(|| format!("its wildcard reaches `{listed}`"));
            }
        }
    }
    let runs = || format!("it leaves open what `{listed}` runs");
    match (entry.opens, end) {
        (Opens::Anything, StripEnd::Open(_)) => Some(runs()),
        (Opens::Anything, StripEnd::Closed) => rest.is_empty().then(runs),
        (Opens::Code, _) => code(rest, end).then(runs),
        (Opens::Command(operands), _) => {
            let optioned = rest.first().is_some_and(|word| word.starts_with('-'));
            let inner = skip_assignments(rest.get(operands..).unwrap_or_default());
            match end {
                StripEnd::Open(_) if optioned => Some(runs()),
                StripEnd::Open(begun) if inner.is_empty() && begun.starts_with('-') => Some(runs()),
                StripEnd::Closed if inner.is_empty() => Some(runs()),
                // The value of an option may be read as the command: try every word.
                StripEnd::Closed => {
                    (0..inner.len()).find_map(|at| head(inner.get(at..)?, end, level))
                }
                StripEnd::Open(_) => head(inner, end, level),
            }
        }
    }
}

/// Whether the code that an interpreter or runner takes is left open.
fn code(rest: &[String], end: &StripEnd) -> bool {
    const STREAMS: &[&str] = &["-", "-s", "-i", "/dev/stdin"];
    const SHOWS: &[&str] = &["--version", "-V", "-v", "--help", "-h"];
    if rest.iter().any(|word| STREAMS.contains(&word.as_str())) {
        return true;
    }
    match (rest, end) {
        ([], _) => true,
        ([option, module, ..], _) if option == "-m" => module.starts_with('-'),
        ([option, ..], StripEnd::Open(_)) => option.starts_with('-'),
        (words, StripEnd::Closed) => words
            .iter()
            .all(|word| word.starts_with('-') && !SHOWS.contains(&word.as_str())),
    }
}

fn skip_assignments(words: &[String]) -> &[String] {
    let assigns = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let count = words.iter().take_while(|word| assigns(word)).count();
    words.get(count..).unwrap_or_default()
}

/// A program's name without directory, extension and version.
fn plain_name(program: &str) -> String {
    let base = program
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let base = [".exe", ".cmd", ".bat", ".ps1"]
        .iter()
        .find_map(|extension| base.strip_suffix(extension))
        .unwrap_or(&base);
    let name = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if name.is_empty() {
        base.to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Origin, Scope};

    fn parsed(text: &str) -> Arc<Rule> {
        let origin = Origin {
            scope: Scope::User,
            file: String::new(),
            line: 0,
        };
        Arc::new(Rule::parse(text, &Arc::new(origin), 0, None).expect("a rule"))
    }

    #[track_caller]
    fn check(text: &str, level: Strip, survives: bool) {
        let found = AutoAllowRule::admit(parsed(text), level);
        assert_eq!(found.is_ok(), survives, "`{text}`: {found:?}");
    }

    #[test]
    fn set_aside() {
        for text in [
            "Bash",
            "Bash(*)",
            "Bash(:*)",
            "Bash(**)",
            "PowerShell",
            "PowerShell(*)",
            "Agent",
            "Task",
            "Agent(*)",
            "Bash(python *)",
            "Bash(python:*)",
            "Bash(python*)",
            "Bash(pyth*)",
            "Bash(p*)",
            "Bash(python3 *)",
            "Bash(python3.12 *)",
            "Bash(/usr/bin/python3 *)",
            "Bash(./venv/bin/python *)",
            "Bash(/usr/bin/*)",
            "Bash(./venv/bin/*)",
            "Bash(* -c *)",
            "Bash(* --version)",
            "Bash(python -c *)",
            "Bash(python3 -m *)",
            "Bash(python)",
            "Bash(python3 -)",
            "Bash(bash)",
            "Bash(bash -s)",
            "Bash(bash -c *)",
            "Bash(sh:*)",
            "Bash(bash *.sh)",
            "Bash(node -e *)",
            "Bash(npm *)",
            "Bash(npm run *)",
            "Bash(npm run:*)",
            "Bash(npm r*)",
            "Bash(npm run te*)",
            "Bash(npm --silent run *)",
            "Bash(npx *)",
            "Bash(sudo:*)",
            "Bash(sudo *)",
            "Bash(sudo -u root *)",
            "Bash(sudo python *)",
            "Bash(env *)",
            "Bash(env X=1 *)",
            "Bash(env)",
            "Bash(env node *)",
            "Bash(xargs *)",
            "Bash(eval *)",
            "Bash(exec *)",
            "Bash(ssh host *)",
            "Bash(ssh *)",
            "Bash(timeout 5 *)",
            "Bash(timeout *)",
            "Bash(X=* npm test)",
            "Bash(X=1 python *)",
            "Bash(\"python\" *)",
            r"Bash(\python *)",
            "Bash(cat x | bash)",
            "Bash(cd x && python *)",
            "Bash(deno run *)",
            "Bash(uv run *)",
            "Bash(docker run *)",
            "Bash(awk *)",
            "Bash(command *)",
            "Bash(PYTHON *)",
            "Bash(bun *)",
            "PowerShell(iex *)",
            "PowerShell(Invoke-Expression *)",
            "PowerShell(start *)",
            "PowerShell(pwsh.exe *)",
            "PowerShell(python *)",
            "PowerShell(Start-Job *)",
            "PowerShell(cmd /c *)",
        ] {
            check(text, Strip::Standard, false);
        }
    }

    #[test]
    fn surviving() {
        for text in [
            "Bash(git status)",
            "Bash(git *)",
            "Bash(ls *)",
            "Bash(ls*)",
            "Bash(npm test)",
            "Bash(npm run test *)",
            "Bash(npm run test)",
            "Bash(npm install *)",
            "Bash(python3 -m pytest)",
            "Bash(python3 -m pytest *)",
            "Bash(python3 manage.py *)",
            "Bash(node scripts/build.js)",
            "Bash(python --version)",
            "Bash(sudo apt update)",
            "Bash(sudo apt *)",
            "Bash(bash scripts/test.sh *)",
            "Bash(env X=1 npm test)",
            "Bash(timeout 60 npm test)",
            "Bash(ssh host uptime)",
            "Bash(npx tsc *)",
            "Bash(cargo test *)",
            "Bash(curl https://example.com/*)",
            "Bash(kubectl get *)",
            "Agent(Explore)",
            "Read",
            "Edit(/src/**)",
            "WebFetch",
            "mcp__github__*",
            "PowerShell(Get-ChildItem *)",
            "PowerShell(git status)",
            "Skill(deploy)",
            "Bash(docker ps *)",
            "Bash(pip install *)",
        ] {
            check(text, Strip::Standard, true);
        }
    }

    #[test]
    fn strict_sets_more_aside() {
        for text in [
            "Bash(git *)",
            "Bash(git:*)",
            "Bash(gi*)",
            "Bash(gh *)",
            "Bash(gh api *)",
            "Bash(curl *)",
            "Bash(curl https://example.com/*)",
            "Bash(wget:*)",
            "Bash(kubectl *)",
            "Bash(aws *)",
            "Bash(gcloud *)",
            "Bash(gsutil *)",
            "Bash(coo *)",
            "Bash(fa run *)",
            "Agent(Explore)",
        ] {
            check(text, Strip::Strict, false);
        }
        for text in [
            "Bash(git status)",
            "Bash(git log *)",
            "Bash(gh pr view *)",
            "Bash(kubectl get *)",
        ] {
            check(text, Strip::Strict, true);
        }
    }
}
