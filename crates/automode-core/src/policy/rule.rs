//! One permission rule: `Tool` or `Tool(specifier)`.
//!
//! Parsing decides what a specifier means from its tool: a command pattern, a
//! path pattern, a host, an agent's name. It fails only on text that is no rule
//! at all; a rule that can never match is parsed and left to the lint.

use super::{Origin, glob::Glob, host::HostPattern, path::PathPattern, powershell};
use crate::tool;

/// A rule as written, as meant, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As written.
    pub text: String,
    pub origin: Origin,
    /// Directory that `/path` patterns are relative to; `None`: the project's root.
    pub(super) root: Option<String>,
    pub(super) tool: Tool,
    pub(super) what: Specifier,
    /// `name:value` on a direct field of the input; only deny and ask rules use it.
    pub(super) parameter: Option<(String, Glob)>,
}

/// Which tools a rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tool {
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
    pub fn parse(text: &str, origin: Origin, root: Option<&str>) -> Result<Self, RuleError> {
        let trimmed = text.trim();
        let error = |why| RuleError {
            text: text.to_owned(),
            why,
        };
        let (name, specifier) = match trimmed.split_once('(') {
            Some((name, rest)) => {
                let body = rest
                    .strip_suffix(')')
                    .ok_or_else(|| error("the bracket is not closed"))?;
                (name.trim(), Some(body.trim()))
            }
            None => (trimmed, None),
        };
        if name.is_empty() {
            return Err(error("the tool's name is missing"));
        }
        let word =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':' | '/' | '@');
        if !name.chars().all(word) {
            return Err(error("the tool's name has characters that no tool has"));
        }
        let tool = Tool::parse(name);
        let what = match specifier {
            None | Some("" | "*") => Specifier::Any,
            Some(body) => tool.specifier(body),
        };
        Ok(Self {
            text: trimmed.to_owned(),
            origin,
            root: root.map(str::to_owned),
            parameter: specifier.and_then(|body| parameter(&tool, body)),
            tool,
            what,
        })
    }

    /// Whether everything that `other` matches is matched by this rule too.
    /// Sound, not complete.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let tools = self.tool == other.tool
            || match (&self.tool, &other.tool) {
                (Tool::Pattern(glob), _) => glob.is_any(),
                (Tool::Mcp { server, tool }, Tool::Mcp { server: s, tool: t }) => {
                    server == s && tool.covers(t)
                }
                (Tool::Edit, Tool::Named(name)) => EDITING.contains(&name.as_str()),
                (Tool::Read, Tool::Named(name)) => READING.contains(&name.as_str()),
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

/// Tools that an `Edit` rule speaks of, beside those the action tells.
pub(super) const EDITING: &[&str] = &["Write", "NotebookEdit"];
/// Tools that a `Read` rule speaks of.
pub(super) const READING: &[&str] = &["NotebookRead", "Grep", "Glob", "LS"];

impl Tool {
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

fn parameter(tool: &Tool, body: &str) -> Option<(String, Glob)> {
    let (name, value) = body.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let field = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && !OWN_FIELDS.contains(&name);
    let prefix = matches!(tool, Tool::Bash | Tool::PowerShell) && value == "*";
    let domain = *tool == Tool::Fetch && name == "domain";
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
