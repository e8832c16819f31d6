//! An organisation's policy, which a process beside the hook fetched and verified.
//!
//! Its first line says which revision it is and when it expires. One that has expired
//! stays in force, and is made stricter as its organisation wanted. A first line that
//! cannot be read is a fault: a policy that nobody can date allows nothing.
//!
//! It says what may run and starts nothing itself: whoever takes its server over must not
//! get the machines with it, nor what is said on them. So it names no program, no file and no
//! secret of a machine, and where its judges are, the machine has a say too.

use std::time::{SystemTime, UNIX_EPOCH};

use automode_core::policy::{Layer, Origin, Scope, SettingAssignment, Value, Written};

use super::fault::Fault;
use super::places::Places;
use super::{judge_address, own};

/// What the first line begins with.
const MARK: &str = "# automode-bundle ";

/// Keys of a judge that start a program of the machine, read or write a file of it, or say
/// whose account it is asked with.
const OF_THE_MACHINE: [&str; 5] = ["command", "key_command", "key_file", "cassette", "headers"];
/// Variables that an organisation may have its judge's key taken from begin so.
const OWN_VARIABLES: &str = "AUTOMODE_";

/// What a policy says that an organisation has no say in; nothing where it may go out.
#[must_use]
pub fn overreach(text: &str, file: &str) -> Vec<String> {
    let mut layer = own::layer(text, &origin(file), &mut Vec::new());
    let mut faults = Vec::new();
    hold_to_words(&mut layer, &mut faults);
    faults.iter().map(ToString::to_string).collect()
}

/// The judges of a policy that are at addresses which the settings of these places do not name.
#[must_use]
pub fn judges_elsewhere(text: &str, file: &str, places: &Places) -> Vec<String> {
    let mut policy = own::layer(text, &origin(file), &mut Vec::new());
    let named = judge_address::named(&super::layers_of_machine(places));
    let mut faults = Vec::new();
    judge_address::hold(&mut policy, &named, &mut faults);
    faults.iter().map(ToString::to_string).collect()
}

/// The addresses at which a policy wants judges to be asked.
#[must_use]
pub fn judge_addresses(text: &str) -> Vec<String> {
    let policy = own::layer(text, &origin("policy"), &mut Vec::new());
    let settings = policy.settings.iter();
    settings
        .flat_map(judge_address::addresses)
        .map(str::to_owned)
        .collect()
}

fn origin(file: &str) -> Origin {
    Origin {
        file: file.to_owned(),
        line: 0,
        scope: Scope::Managed,
    }
}

/// Refuses what reaches beyond rules and settings: nothing is done by it, whatever else the
/// fault leads to.
pub(super) fn hold_to_words(layer: &mut Layer, faults: &mut Vec<Fault>) {
    let file = layer.origin.file.clone();
    layer.settings.retain(|setting| {
        let beyond = beyond(setting);
        faults.extend(beyond.iter().map(|what| Fault {
            file: file.clone(),
            line: setting.line,
            what: format!("`{what}` is not an organisation's to set"),
            hint: Some("it belongs into the settings of the machine itself".to_owned()),
        }));
        beyond.is_empty()
    });
}

fn beyond(setting: &SettingAssignment) -> Vec<String> {
    let key = setting.field.key;
    match (key, &setting.value) {
        // What a judge sees leaves the machine: its secrets must not go along.
        ("judge.redact", Value::Flag(false)) => vec![key.to_owned()],
        ("judge.hosts", _) => vec![key.to_owned()],
        ("judge.chain", Value::Tables(judges)) => {
            let keys = judges.iter().flatten();
            keys.filter(|(name, value)| is_of_the_machine(name, value))
                .map(|(name, _)| format!("{key}.{name}"))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn is_of_the_machine(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("kind", Value::Text(kind)) => OF_THE_MACHINE.contains(&kind.as_str()),
        ("key_env", Value::Text(variable)) => !variable.starts_with(OWN_VARIABLES),
        (name, _) => OF_THE_MACHINE.contains(&name),
    }
}

/// Adds the rule for everything that an expired policy stands for.
pub(super) fn tighten_when_stale(text: &str, layer: &mut Layer, faults: &mut Vec<Fault>) {
    let head = text.lines().next().and_then(|line| line.strip_prefix(MARK));
    let field = |name: &str| {
        let words = head.unwrap_or_default().split_whitespace();
        words
            .filter_map(|word| word.split_once('='))
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    };
    let expires = field("expires").and_then(|value| value.parse::<u64>().ok());
    let (Some(expires), Some(on_stale)) = (expires, field("on_stale")) else {
        faults.push(Fault {
            file: layer.origin.file.clone(),
            line: 1,
            what: "the organisation's policy does not say when it expires".to_owned(),
            hint: Some("automode fleet sync".to_owned()),
        });
        return;
    };
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    if expires == 0 || since.as_millis() < u128::from(expires) {
        return;
    }
    let everything = Written {
        text: "*".to_owned(),
        line: 1,
    };
    match on_stale {
        "keep" => {}
        "ask" => layer.ask.push(everything),
        // What is not known is the strictest.
        _ => layer.deny.push(everything),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organisation_starts_nothing_on_a_machine() {
        for (text, expected) in [
            ("[permissions]\nallow = [\"Bash(make)\"]\n", 0),
            ("[[judge.chain]]\nkind = \"anthropic\"\nmodel = \"m\"\n", 0),
            (
                "[[judge.chain]]\nkind = \"openai-compatible\"\nbase_url = \"https://judge.example.com/v1\"\nkey_env = \"AUTOMODE_TEAM_KEY\"\n",
                0,
            ),
            (
                "[[judge.chain]]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"x\"]\n",
                2,
            ),
            (
                "[[judge.chain]]\nkind = \"openai\"\nkey_command = [\"cat\", \"/etc/passwd\"]\n",
                1,
            ),
            (
                "[[judge.chain]]\nkind = \"openai\"\nkey_file = \"~/.ssh/id_ed25519\"\n",
                1,
            ),
            (
                "[[judge.chain]]\nkind = \"openai\"\nkey_env = \"AWS_SECRET_ACCESS_KEY\"\n",
                1,
            ),
            (
                "[[judge.chain]]\nkind = \"anthropic\"\n[[judge.chain]]\nkind = \"anthropic\"\ncassette = \"/home/dev/.bashrc\"\n",
                1,
            ),
            (
                "[[judge.chain]]\nkind = \"openai\"\n[judge.chain.headers]\nauthorization = \"Bearer x\"\n",
                1,
            ),
            ("[judge]\nhosts = [\"evil.example\"]\n", 1),
            ("[judge]\nredact = true\n", 0),
            ("[judge]\nredact = false\n", 1),
        ] {
            let faults = overreach(text, "policy");
            assert_eq!(faults.len(), expected, "{text}: {faults:?}");
        }
    }
}
