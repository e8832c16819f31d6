//! One permission rule: `RuleTool` or `Tool(specifier)`.
//!
//! Parsing decides what a specifier means from its tool: a command pattern, a
//! path pattern, a host, an agent's name. It fails only on text that is no rule
//! at all; a rule that can never match is parsed and left to the lint.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::{Origin, Scope, glob::Glob, host::HostPattern, path::PathPattern, powershell};
use crate::tool;

/// A rule as written, and where it stands. What it means is read when somebody asks: of
/// thousands of rules a call looks at a few.
#[derive(Clone, Debug)]
pub struct Rule {
    /// As written.
    pub text: Box<str>,
    /// The file that it stands in.
    file: Arc<Origin>,
    line: u32,
    /// Directory that `/path` patterns are relative to; `None`: the project's root.
    pub(super) root: Option<Arc<str>>,
    meaning: OnceLock<Box<RuleMeaning>>,
}

/// What a rule means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMeaning {
    pub(super) tool: RuleTool,
    pub(super) what: Specifier,
    /// `name:value` on a direct field of the input; only deny and ask rules use it.
    pub(super) parameter: Option<(String, Glob)>,
}

/// Which tools a rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RuleTool {
    /// The shell.
    Bash,
    PowerShell,
    /// Everything that reads files: reading, searching, listing.
    Read,
    /// Everything that changes files.
    Edit,
    Fetch,
    /// Subagents.
    Agent,
    /// All tools of a server, or those whose name fits.
    Mcp {
        server: String,
        tool: Glob,
    },
    /// One tool by name.
    Named(String),
    /// A pattern on the tool's name.
    Pattern(Glob),
}

/// What a rule says about the use of its tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Specifier {
    /// Every use.
    Any,
    Command(Glob),
    Path(PathPattern),
    Host(HostPattern),
    /// A name: of an agent, a skill.
    Name(Glob),
}

/// Text that is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a permission rule: {why}\nhint: write `Tool` or `Tool(specifier)`, such as `Bash(git status)`"
)]
pub struct RuleError {
    pub text: String,
    pub why: &'static str,
}

impl Rule {
    /// Reads a rule of a settings file that speaks for `root`.
    pub fn parse(
        text: &str,
        file: &Arc<Origin>,
        line: u32,
        root: Option<&Arc<str>>,
    ) -> Result<Self, RuleError> {
        Self::new(text.to_owned(), file, line, root)
    }

    /// The same of a text that is the rule's own.
    pub(super) fn new(
        text: String,
        file: &Arc<Origin>,
        line: u32,
        root: Option<&Arc<str>>,
    ) -> Result<Self, RuleError> {
        let trimmed = text.trim();
        if let Some(why) = flaw(trimmed) {
            return Err(RuleError { text, why });
        }
        Ok(Self {
            text: match trimmed.len() == text.len() {
                true => text.into_boxed_str(),
                false => trimmed.into(),
            },
            file: Arc::clone(file),
            line,
            root: root.map(Arc::clone),
            meaning: OnceLock::new(),
        })
    }

    /// Where it stands.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.file.at(self.line)
    }

    /// Whose file it stands in.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.file.scope
    }

    /// The first word of a rule on shell commands, where it is [plain to see](plain_command).
    pub(super) fn plain_command(&self) -> Option<&str> {
        plain_command(&self.text)
    }

    /// Whether everything that `other` matches is matched by this rule too.
    /// Sound, not complete.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let tools = self.tool == other.tool
            || match (&self.tool, &other.tool) {
                (RuleTool::Pattern(glob), _) => glob.is_any(),
                (RuleTool::Mcp { server, tool }, RuleTool::Mcp { server: s, tool: t }) => {
                    server == s && tool.covers(t)
                }
                (RuleTool::Edit, RuleTool::Named(name)) => EDITING.contains(&name.as_str()),
                (RuleTool::Read, RuleTool::Named(name)) => READING.contains(&name.as_str()),
                _ => false,
            };
        tools
            && match (&self.what, &other.what) {
                (Specifier::Any, _) => true,
                (Specifier::Command(a), Specifier::Command(b))
                | (Specifier::Name(a), Specifier::Name(b)) => a.covers(b),
                (Specifier::Path(a), Specifier::Path(b)) => a == b && self.root == other.root,
                (Specifier::Host(a), Specifier::Host(b)) => a == b || *a == HostPattern::Any,
                _ => false,
            }
    }
}

/// The first word of a rule on shell commands, where it can be told without reading the
/// rule: plain letters, and behind them a blank, `:*` or nothing.
pub(super) fn plain_command(text: &str) -> Option<&str> {
    let body = text.strip_prefix("Bash(")?.strip_suffix(')')?;
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    let end = body.bytes().position(|byte| !plain(byte));
    let (word, rest) = body.split_at_checked(end.unwrap_or(body.len()))?;
    let ends = rest.is_empty() || rest == ":*" || (rest.starts_with(' ') && !rest.contains(':'));
    (ends && !word.is_empty()).then_some(word)
}

impl Deref for Rule {
    type Target = RuleMeaning;

    fn deref(&self) -> &RuleMeaning {
        self.meaning
            .get_or_init(|| Box::new(RuleMeaning::read(&self.text)))
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            text,
            file,
            line,
            root,
            meaning: _,
        } = self;
        (text, file, line, root) == (&other.text, &other.file, &other.line, &other.root)
    }
}

impl Eq for Rule {}

impl RuleMeaning {
    /// Reads a text that [is a rule](Rule::parse).
    fn read(text: &str) -> Self {
        let (name, specifier) = parts(text);
        let specifier = specifier.map(|rest| rest.strip_suffix(')').unwrap_or(rest).trim());
        let tool = RuleTool::parse(name);
        let what = match specifier {
            None | Some("" | "*") => Specifier::Any,
            Some(body) => tool.specifier(body),
        };
        Self {
            parameter: specifier.and_then(|body| parameter(&tool, body)),
            tool,
            what,
        }
    }
}

/// Why a text is no rule at all.
fn flaw(text: &str) -> Option<&'static str> {
    let (name, specifier) = parts(text);
    let word =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':' | '/' | '@');
    if specifier.is_some_and(|rest| !rest.ends_with(')')) {
        Some("the bracket is not closed")
    } else if name.is_empty() {
        Some("the tool's name is missing")
    } else if !name.chars().all(word) {
        Some("the tool's name has characters that no tool has")
    } else {
        None
    }
}

/// The tool's name, and what follows behind the first bracket.
fn parts(text: &str) -> (&str, Option<&str>) {
    match text.split_once('(') {
        Some((name, rest)) => (name.trim(), Some(rest)),
        None => (text, None),
    }
}

/// Tools that an `Edit` rule speaks of, beside those the action tells.
pub(super) const EDITING: &[&str] = &["Write", "NotebookEdit"];
/// Tools that a `Read` rule speaks of.
pub(super) const READING: &[&str] = &["NotebookRead", "Grep", "Glob", "LS"];

impl RuleTool {
    fn parse(name: &str) -> Self {
        if let Some(rest) = name.strip_prefix("mcp__") {
            let (server, tool) = match rest.split_once("__") {
                Some((server, tool)) => (server, Glob::parse(tool)),
                None => (rest, Glob::parse("*")),
            };
            if !server.contains('*') && !server.is_empty() {
                return Self::Mcp {
                    server: server.to_owned(),
                    tool,
                };
            }
        }
        if name.contains('*') {
            return Self::Pattern(Glob::parse(name));
        }
        let known = tool::TABLE
            .iter()
            .find(|tool| tool.name == name || tool.aliases.contains(&name));
        match known.map_or(name, |tool| tool.name) {
            "Bash" => Self::Bash,
            "PowerShell" => Self::PowerShell,
            "Read" => Self::Read,
            "Edit" => Self::Edit,
            "WebFetch" => Self::Fetch,
            "Agent" => Self::Agent,
            other => Self::Named(other.to_owned()),
        }
    }

    fn specifier(&self, body: &str) -> Specifier {
        match self {
            Self::Bash => command(Glob::parse(&single_spaced(body))),
            Self::PowerShell => command(Glob::parse(&powershell::canonical(&single_spaced(body)))),
            Self::Read | Self::Edit => Specifier::Path(PathPattern::parse(body)),
            Self::Named(name) if file_tool(name) => Specifier::Path(PathPattern::parse(body)),
            Self::Fetch => match body.split_once(':') {
                Some((key, host)) if key.trim() == "domain" => match HostPattern::parse(host) {
                    HostPattern::Any => Specifier::Any,
                    host => Specifier::Host(host),
                },
                _ => Specifier::Name(Glob::parse(body)),
            },
            Self::Agent | Self::Mcp { .. } | Self::Named(_) | Self::Pattern(_) => {
                Specifier::Name(Glob::parse(body))
            }
        }
    }
}

fn command(glob: Glob) -> Specifier {
    if glob.is_any() {
        Specifier::Any
    } else {
        Specifier::Command(glob)
    }
}

fn file_tool(name: &str) -> bool {
    EDITING.contains(&name) || READING.contains(&name)
}

/// Fields that a tool's own syntax already speaks of: a rule on their raw text
/// would be easy to get around.
pub(super) const OWN_FIELDS: &[&str] = &["command", "file_path", "path", "notebook_path", "url"];

fn parameter(tool: &RuleTool, body: &str) -> Option<(String, Glob)> {
    let (name, value) = body.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let field = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && !OWN_FIELDS.contains(&name);
    let prefix = matches!(tool, RuleTool::Bash | RuleTool::PowerShell) && value == "*";
    let domain = *tool == RuleTool::Fetch && name == "domain";
    (field && !prefix && !domain).then(|| (name.to_owned(), Glob::parse(value)))
}

/// Runs of blanks outside quotes made one, as commands are rendered.
fn single_spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            Some(_) | None => {}
        }
        let blank = quote.is_none() && (c == ' ' || c == '\t');
        if !(blank && out.ends_with(' ')) {
            out.push(if blank { ' ' } else { c });
        }
    }
    out
}
