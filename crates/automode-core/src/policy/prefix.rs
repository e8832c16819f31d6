//! What may stand in front of a command without changing what it is: variables and wrappers.

use automode_shell::reference::WRAPPERS;

/// Variables that change how a program talks, not what it runs.
const SAFE_VARIABLES: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GOARCH",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Whether setting the variable in front of a command leaves what it runs alone.
pub(super) fn safe_variable(name: &str) -> bool {
    SAFE_VARIABLES.contains(&name)
}

/// The words that a wrapper in front would run; `None` where there is none, or
/// where it has an option that is not known to be harmless.
pub(super) fn unwrapped<W: AsRef<str>>(words: &[W]) -> Option<&[W]> {
    let (head, mut rest) = words.split_first()?;
    let wrapper = WRAPPERS
        .iter()
        .find(|wrapper| wrapper.name == head.as_ref())?;
    loop {
        let word = rest.first()?.as_ref();
        if word == "--" {
            rest = rest.get(1..)?;
            break;
        }
        if !word.starts_with('-') {
            break;
        }
        let joined = wrapper.valued.iter().any(|option| {
            word.strip_prefix(option).is_some_and(|value| {
                !value.is_empty() && (!option.starts_with("--") || value.starts_with('='))
            })
        });
        rest = if wrapper.flags.contains(&word) || joined {
            rest.get(1..)?
        } else if wrapper.valued.contains(&word) {
            rest.get(2..)?
        } else {
            return None;
        };
    }
    let command = rest.get(wrapper.operands..)?;
    (!command.is_empty()).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: Option<&str>) {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(
            unwrapped(&words).map(|words| words.join(" ")).as_deref(),
            expected,
            "{command}"
        );
    }

    #[test]
    fn wrappers() {
        check("timeout 5 npm test", Some("npm test"));
        check("timeout -s KILL 5 npm test", Some("npm test"));
        check(
            "timeout --signal=KILL --foreground 5 npm test",
            Some("npm test"),
        );
        check("timeout -k5 5 npm test", Some("npm test"));
        check("timeout 5", None);
        check("timeout --unknown 5 npm", None);
        check("nice npm test", Some("npm test"));
        check("nice -n 5 npm test", Some("npm test"));
        check("nice -n5 npm test", Some("npm test"));
        check("nohup npm test", Some("npm test"));
        check("time -p npm test", Some("npm test"));
        check("time -o log npm test", None);
        check("stdbuf -oL -e 0 npm test", Some("npm test"));
        check("command npm test", Some("npm test"));
        check("command -v npm", None);
        check("command -- npm test", Some("npm test"));
        check("sudo npm test", None);
        check("npm test", None);
    }
}
