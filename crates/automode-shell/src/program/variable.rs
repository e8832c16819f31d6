//! Variables in front of a command, or exported to it.
//!
//! `knowledge/environment.toml` is a list of what may pass: a variable that it does
//! not hold, and a value that is not among the fine ones, is a gap. Values match
//! whole, per variable.

use super::parse::fits;
use super::table::{VARIABLE_PATTERNS, VARIABLES, Variable, VariableRuns};
use crate::{Act, Gap, GapKind, Invocation, Layer, Nested, NestedStdin, ProgramEffects, Value};

/// Adds what the variables of an invocation bring about.
pub(super) fn read(invocation: &Invocation, effects: &mut ProgramEffects) {
    for (name, value) in &invocation.env {
        let known = find(name);
        if known.is_some_and(|variable| is_fine(variable, value)) {
            continue;
        }
        let layer = Layer::Text(name.clone());
        let runs = known.map_or(VariableRuns::Nothing, |variable| variable.runs);
        if runs == VariableRuns::Nothing {
            effects.gaps.push(Gap {
                kind: GapKind::Unseen(format!("what the variable `{name}` changes")),
                span: value.span,
            });
            continue;
        }
        let act = Act::Environment { name: name.clone() };
        effects.effects.push((act, value.span));
        match runs {
            VariableRuns::Nothing | VariableRuns::Something => {}
            VariableRuns::Shell => effects.runs.push(Nested::Shell {
                text: value.clone(),
                arguments: Vec::new(),
                cwd: None,
                stdin: NestedStdin::Same,
                layer,
            }),
            VariableRuns::File => effects.runs.push(Nested::File {
                path: value.clone(),
                language: None,
                arguments: Vec::new(),
                layer,
            }),
        }
    }
}

/// Whether this value of a variable makes later programs run, load or trust something.
pub(crate) fn steers_with(name: &str, value: &Value) -> bool {
    find(name)
        .is_some_and(|variable| variable.runs != VariableRuns::Nothing && !is_fine(variable, value))
}

/// The same for a value that stands in a file.
#[must_use]
pub fn is_steering_variable(name: &str, value: &str) -> bool {
    steers_with(name, &Value::text(value, crate::Span::default()))
}

/// Whether a variable of this name may decide what programs run, load or trust.
pub(crate) fn steers(name: &str) -> bool {
    find(name).is_some_and(|variable| variable.runs != VariableRuns::Nothing)
}

fn find(name: &str) -> Option<&'static Variable> {
    let exact = VARIABLES.binary_search_by(|known| known.name.cmp(name));
    let exact = exact.ok().and_then(|at| VARIABLES.get(at));
    exact.or_else(|| {
        VARIABLE_PATTERNS
            .iter()
            .find(|known| fits(known.name, name))
    })
}

fn is_fine(variable: &Variable, value: &Value) -> bool {
    let Some(text) = value.literal() else {
        // Names and dates that are put together at run time are only text.
        return variable.fine == ["<text>"];
    };
    variable.fine.iter().any(|fine| matches(fine, &text))
}

/// Whether a whole value is what the pattern says.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, class)) = pattern.split_once('<') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(start) else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+:,@%=".contains(c);
    match class {
        "number>" => !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '.'),
        // `target/..` is another directory.
        "name>" => {
            !rest.starts_with('-') && !rest.chars().all(|c| c == '.') && rest.chars().all(plain)
        }
        "here>" => {
            !rest.is_empty()
                && !rest.starts_with(['/', '~', '-'])
                && rest
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c))
                && !rest.split('/').any(|part| part == "..")
        }
        "local>" => is_local(rest),
        "text>" => true,
        _ => false,
    }
}

/// `scheme://[user[:password]@]localhost[:port][/name]`.
fn is_local(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let name = host.split(':').next().unwrap_or_default();
    scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '+')
        && matches!(name, "localhost" | "127.0.0.1")
        && !url.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::{find, is_fine};
    use crate::{Span, Value};

    #[test]
    fn values_match_whole_and_per_variable() {
        let check = |name: &str, value: &str, fine: bool| {
            let value_of = Value::text(value, Span::default());
            let found = find(name).is_some_and(|variable| is_fine(variable, &value_of));
            assert_eq!(found, fine, "{name}={value}");
        };
        check("CI", "1", true);
        check("NODE_ENV", "test", true);
        check("NODE_ENV", "a b", false);
        check("NODE_OPTIONS", "--max-old-space-size=4096", true);
        check(
            "NODE_OPTIONS",
            "--max-old-space-size=4096 --require /tmp/x.js",
            false,
        );
        check("RUST_LOG", "debug,hyper=info", true);
        check("PYTHONPATH", "src", true);
        check("PYTHONPATH", "../x", false);
        check("PYTHONPATH", "/tmp/x", false);
        check("PYTHONBREAKPOINT", "os.system", false);
        check("GOFLAGS", "-mod=mod", true);
        check("GOFLAGS", "-mod=mod -toolexec=/tmp/x", false);
        check("CARGO_TARGET_DIR", "/home/dev/other", false);
        check("CARGO_TARGET_DIR", "target/debug", true);
        check("CARGO_TARGET_DIR", "target/..", false);
        check("CARGO_TARGET_DIR", "target/.", false);
        check("GOSUMDB", "off", false);
        check("DATABASE_URL", "postgres://localhost/test", true);
        check("DATABASE_URL", "postgres://db.example/x", false);
        check("ZZQX", "1", false);
    }
}
