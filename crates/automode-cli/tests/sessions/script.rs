//! Sessions as text.
//!
//! `== CAUSE name` begins one. A line begins with what happens, and lines with `| ` behind it
//! are its body:
//!
//! ```text
//! put PATH        a file is there, and no agent had to do with it
//! do COMMAND      something is done that no agent had to do with
//! write PATH      the agent writes the body
//! edit PATH       the agent replaces lines `- ` by lines `+ `; `edit-all` everywhere
//! multi PATH      several replacements, a blank line between them
//! read PATH       the agent reads
//! bash COMMAND    the agent asks for it; what it does is not done
//! run COMMAND     the agent asks for it, and it is done
//! fake COMMAND    the agent asks for it, and it is said to have succeeded
//! tool NAME JSON  any tool of Claude Code
//! said TEXT       the user speaks
//! session         another session begins
//! rule KIND RULE  the user has this permission rule
//! permit          the user permits the last call once
//! hidden TEXT     nothing that is kept says this; then it is no matter how the session ends
//! failed STEP     it fails after it was let through; `refused STEP`: the user says no
//! ```
//!
//! `{home}`, `{root}` and `{state}` stand for the places of the world. A line with `#` is a remark.

/// One session.
pub struct Script {
    pub cause: String,
    pub name: String,
    pub steps: Vec<Step>,
}

impl Script {
    /// How often the hook is asked.
    pub fn calls(&self) -> usize {
        let steps = self.steps.iter();
        steps.filter(|step| step.deed.is_call()).count()
    }
}

/// What becomes of a step that was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Succeeds,
    Fails,
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub ending: Ending,
    pub deed: Deed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    Put {
        path: String,
        text: String,
    },
    Do(String),
    Write {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        all: bool,
        edits: Vec<(String, String)>,
    },
    Read(String),
    Shell {
        command: String,
        done: Done,
    },
    Tool {
        name: String,
        input: String,
    },
    Said(String),
    Session,
    Permit,
    Hidden(String),
    Rule {
        kind: String,
        rule: String,
    },
}

impl Deed {
    /// Whether the hook is asked about it.
    pub const fn is_call(&self) -> bool {
        match self {
            Self::Write { .. }
            | Self::Edit { .. }
            | Self::Read(_)
            | Self::Shell { .. }
            | Self::Tool { .. } => true,
            Self::Put { .. }
            | Self::Do(_)
            | Self::Said(_)
            | Self::Session
            | Self::Permit
            | Self::Hidden(_)
            | Self::Rule { .. } => false,
        }
    }
}

/// Whether a shell command is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    Asked,
    Really,
    Told,
}

/// Every session of a text.
pub fn parse(text: &str) -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(head) = line.strip_prefix("== ") {
            let (cause, name) = head.split_once(' ').unwrap_or((head, ""));
            scripts.push(Script {
                cause: cause.to_owned(),
                name: name.to_owned(),
                steps: Vec::new(),
            });
            continue;
        }
        let mut body: Vec<&str> = Vec::new();
        while let Some(more) = lines.next_if(|line| {
            line.starts_with("| ")
                || *line == "|"
                || line.starts_with("- ")
                || line.starts_with("+ ")
                || matches!(*line, "-" | "+" | "---")
        }) {
            body.push(more);
        }
        let script = scripts.last_mut().unwrap();
        script.steps.push(step(line, &body));
    }
    scripts
}

fn step(line: &str, body: &[&str]) -> Step {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let ending = match first {
        "failed" => Ending::Fails,
        "refused" => Ending::Refused,
        _ => Ending::Succeeds,
    };
    let line = if ending == Ending::Succeeds {
        line
    } else {
        rest
    };
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text: String = body
        .iter()
        .map(|line| format!("{}\n", line.strip_prefix("| ").unwrap_or("")))
        .collect();
    let shell = |done| {
        let mut command = rest.to_owned();
        if !body.is_empty() {
            command = format!("{rest}\n{}", text.trim_end_matches('\n'));
        }
        Deed::Shell { command, done }
    };
    let path = rest.to_owned();
    let deed = match word {
        "put" => Deed::Put { path, text },
        "do" => Deed::Do(path),
        "write" => Deed::Write { path, text },
        "edit" | "multi" => Deed::Edit {
            path,
            all: false,
            edits: edits(body),
        },
        "edit-all" => Deed::Edit {
            path,
            all: true,
            edits: edits(body),
        },
        "read" => Deed::Read(path),
        "bash" => shell(Done::Asked),
        "run" => shell(Done::Really),
        "fake" => shell(Done::Told),
        "tool" => {
            let (name, input) = rest.split_once(' ').unwrap();
            Deed::Tool {
                name: name.to_owned(),
                input: input.to_owned(),
            }
        }
        "said" => Deed::Said(path),
        "session" => Deed::Session,
        "permit" => Deed::Permit,
        "hidden" => Deed::Hidden(path),
        "rule" => {
            let (kind, rule) = rest.split_once(' ').unwrap();
            Deed::Rule {
                kind: kind.to_owned(),
                rule: rule.to_owned(),
            }
        }
        other => panic!("no such step: {other}"),
    };
    Step { ending, deed }
}

/// Lines with `-` and `+`; `---` stands between two replacements.
fn edits(body: &[&str]) -> Vec<(String, String)> {
    body.split(|line| *line == "---")
        .map(|lines| {
            let side = |mark: &str| {
                let own: Vec<&str> = lines
                    .iter()
                    .filter_map(|line| line.strip_prefix(mark))
                    .map(|line| line.strip_prefix(' ').unwrap_or(line))
                    .collect();
                own.join("\n")
            };
            (side("-"), side("+"))
        })
        .collect()
}
