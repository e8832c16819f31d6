//! What a command names in a cloud, a cluster or a hosted service, and where that is.
//!
//! A finding that says "deletes in aws" tells neither a judge nor a person what to look
//! at. The words after the verb are the things, and some options name a thing, an
//! environment or an account. These are words of a sentence, never a ground to allow:
//! whatever is not recognised is left out, and an environment that is not named for
//! sure counts as unknown.

use std::iter::Peekable;

use automode_shell::{Effect, Invocation, Nature};
use serde_json::Value;

use super::{Scene, report};
use crate::Action;

/// The things and the surroundings that an effect on a service names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloudTarget {
    pub things: Vec<String>,
    /// Options that say where, with their values: `context prod-eu`.
    pub places: Vec<String>,
    pub environment: CloudEnvironment,
}

/// Who meets what is done there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CloudEnvironment {
    Production,
    /// Staging, a test, a preview: by a name that says so, and none that says production.
    Rehearsal,
    #[default]
    Unknown,
}

/// The most things that a sentence names.
const MOST: usize = 4;

/// Words that end the name of a command: what follows them are things.
const VERBS: &[&str] = &[
    "add",
    "annotate",
    "api",
    "apply",
    "attach",
    "batch",
    "cordon",
    "create",
    "delete",
    "deploy",
    "destroy",
    "detach",
    "disable",
    "down",
    "drain",
    "drop",
    "edit",
    "empty",
    "enable",
    "exec",
    "import",
    "install",
    "invoke",
    "label",
    "modify",
    "patch",
    "promote",
    "prune",
    "publish",
    "purge",
    "push",
    "put",
    "rb",
    "reboot",
    "release",
    "remove",
    "replace",
    "reset",
    "restart",
    "rm",
    "rmi",
    "rollback",
    "rollout",
    "run",
    "scale",
    "set",
    "start",
    "stop",
    "sync",
    "taint",
    "terminate",
    "uninstall",
    "up",
    "update",
    "upgrade",
];

/// Options that say where something is.
const PLACES: &[&str] = &[
    "account",
    "cluster",
    "context",
    "env",
    "environment",
    "kube-context",
    "location",
    "n",
    "namespace",
    "profile",
    "project",
    "region",
    "resource-group",
    "stack",
    "stage",
    "subscription",
    "target-env",
    "workspace",
    "zone",
];

/// Options without a value, which a word may follow.
const SWITCHES: &[&str] = &[
    "all",
    "atomic",
    "auto-approve",
    "confirm",
    "debug",
    "force",
    "install",
    "no-cli-pager",
    "prod",
    "quiet",
    "recursive",
    "volumes",
    "wait",
    "yes",
];

/// Options whose value is no thing, or may be a secret: it stands in the quoted command, where
/// the option before it tells what it is.
const MANNERS: &[&str] = &["X", "H", "e", "k", "o", "p", "s", "t", "u", "method"];

impl CloudTarget {
    /// What the program start or the call behind an effect names.
    #[must_use]
    pub fn of(scene: &Scene<'_>, effect: &Effect) -> Self {
        match (scene.invocation(effect), scene.action) {
            (Some(start), _) => Self::of_words(start),
            (None, Action::Mcp { input, .. }) => Self {
                things: input
                    .iter()
                    .filter(|(key, _)| is_field_of_thing(key))
                    .filter_map(|(_, value)| match value {
                        Value::String(text) => Some(text.clone()),
                        Value::Number(number) => Some(number.to_string()),
                        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
                    })
                    .collect(),
                ..Self::default()
            },
            (None, _) => Self::default(),
        }
    }

    fn of_words(start: &Invocation) -> Self {
        let words: Vec<Option<String>> = start
            .argv
            .iter()
            .skip(1)
            .map(|word| word.literal().map(std::borrow::Cow::into_owned))
            .collect();
        let mut target = Self::default();
        let mut named = Vec::new();
        let mut after_verb = false;
        let mut rest = words.iter().map(Option::as_deref).peekable();
        while let Some(word) = rest.next() {
            let Some(word) = word else {
                if after_verb {
                    target
                        .things
                        .push("what is only known at run time".to_owned());
                }
                continue;
            };
            let option = word.trim_start_matches('-');
            if option.len() == word.len() || option.is_empty() {
                if after_verb && !option.is_empty() {
                    target.things.push(word.to_owned());
                }
                after_verb = after_verb || is_verb(word);
                continue;
            }
            target.read_option(option, &mut rest, &mut named);
        }
        target.environment = environment(start, &words, &named);
        target
    }

    /// Takes an option in: a place, a thing, or neither.
    fn read_option<'w>(
        &mut self,
        option: &str,
        rest: &mut Peekable<impl Iterator<Item = Option<&'w str>>>,
        named: &mut Vec<String>,
    ) {
        let (name, given) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let place = PLACES.contains(&name);
        let thing = names_thing(name);
        let takes = place || thing || MANNERS.contains(&name) || name.len() > 1;
        let follows = |next: &Option<&str>| next.is_none_or(|next| !next.starts_with('-'));
        let value = match given {
            Some(value) => Some(value),
            None if !takes || SWITCHES.contains(&name) => None,
            None => match rest.next_if(follows) {
                Some(Some(value)) => Some(value.to_owned()),
                // Only the run tells which.
                Some(None) if place => Some("…".to_owned()),
                Some(None) | None => None,
            },
        };
        match value {
            Some(value) if place => {
                let name = if name == "n" { "namespace" } else { name };
                self.places.push(format!("{name} {value}"));
                named.push(value);
            }
            Some(value) if thing => {
                self.things.push(value);
                // Lists go on up to the next option.
                while name.ends_with('s')
                    && let Some(Some(more)) =
                        rest.next_if(|next| next.is_some_and(|next| !next.starts_with('-')))
                {
                    self.things.push(more.to_owned());
                }
            }
            Some(_) | None => {}
        }
    }

    /// "deletes s3://logs in AWS (region eu-west-1)".
    #[must_use]
    pub fn phrase(&self, verb: &str, service: &str) -> String {
        let service = service_name(service);
        let things = match self.things.is_empty() {
            true => String::new(),
            false => format!(" {}", self.listed()),
        };
        // A tool of a server is what it is done with.
        let joint = match (service.contains(": "), self.things.is_empty()) {
            (true, true) => "",
            (true, false) => " through",
            (false, _) => " in",
        };
        format!("{verb}{things}{joint} {service}{}", self.place())
    }

    /// "changes who may use AWS: bob".
    #[must_use]
    pub fn about(&self, verb: &str, service: &str) -> String {
        let things = match self.things.is_empty() {
            true => String::new(),
            false => format!(": {}", self.listed()),
        };
        format!("{verb} {}{}{things}", service_name(service), self.place())
    }

    /// The things, as a sentence names them.
    #[must_use]
    pub fn listed(&self) -> String {
        let shown: Vec<String> = self
            .things
            .iter()
            .take(MOST)
            .map(|thing| report::name(thing))
            .collect();
        let more = self.things.len().saturating_sub(MOST);
        match more {
            0 => shown.join(" "),
            _ => format!("{} and {more} more", shown.join(" ")),
        }
    }

    fn place(&self) -> String {
        if self.places.is_empty() {
            return String::new();
        }
        let places: Vec<String> = self
            .places
            .iter()
            .map(|place| report::name(place))
            .collect();
        format!(" ({})", places.join(", "))
    }

    /// Whether a path of an interface for programs is among the things: `repos/*/*/collaborators`.
    #[must_use]
    pub fn has_path_part(&self, part: &str) -> bool {
        const OWNERS: &[&str] = &["enterprises", "groups", "orgs", "projects", "repos", "user"];
        self.things.iter().any(|thing| {
            let mut pieces = thing.trim_start_matches('/').split(['/', '?']);
            pieces.next().is_some_and(|first| OWNERS.contains(&first))
                && pieces.any(|piece| piece == part)
        })
    }
}

/// Services as people write them; those of containers are of this machine.
fn service_name(service: &str) -> String {
    match service {
        "aws" => "AWS".to_owned(),
        "cloud" => "the cloud account".to_owned(),
        "container" | "image" | "network" | "volume" => {
            "the container engine of this machine".to_owned()
        }
        "github" => "GitHub".to_owned(),
        "gitlab" => "GitLab".to_owned(),
        "hosting" => "the hosting account".to_owned(),
        "kubernetes" => "the cluster".to_owned(),
        "stack" => "the stack".to_owned(),
        "storage" => "cloud storage".to_owned(),
        "terraform" => "Terraform".to_owned(),
        other => report::name(other),
    }
}

/// Things of the container engine on this machine: no cloud.
#[must_use]
pub fn is_local_service(service: &str) -> bool {
    matches!(service, "container" | "image" | "network" | "volume")
}

fn is_verb(word: &str) -> bool {
    word.split(['-', ':']).any(|part| VERBS.contains(&part))
}

/// Fields of a call whose value is the thing itself.
fn is_field_of_thing(key: &str) -> bool {
    let key = key.replace('_', "-").to_lowercase();
    matches!(key.as_str(), "id" | "user" | "email" | "channel" | "table") || names_thing(&key)
}

/// Options whose value is the thing itself.
fn names_thing(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "id",
        "ids",
        "identifier",
        "name",
        "names",
        "arn",
        "arns",
        "bucket",
        "app",
        "target",
        "repo",
        "path",
    ];
    let end = name.rsplit('-').next().unwrap_or_default();
    name.len() > 1 && ENDS.contains(&end)
}

/// The environment by the names of places, of the things, and by switches for production.
fn environment(start: &Invocation, words: &[Option<String>], named: &[String]) -> CloudEnvironment {
    const PRODUCTION: &[&str] = &["prod", "production", "prd", "live"];
    const REHEARSAL: &[&str] = &[
        "dev",
        "development",
        "kind",
        "minikube",
        "preview",
        "preprod",
        "qa",
        "sandbox",
        "staging",
        "stg",
        "test",
        "testing",
        "uat",
    ];
    let has = |text: &str, known: &[&str]| {
        text.to_lowercase()
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| known.contains(&part))
    };
    let switched_off = |word: &str| word.ends_with("=false") || word.ends_with("=0");
    let produces = words
        .iter()
        .flatten()
        .any(|word| has(word, PRODUCTION) && !switched_off(word));
    if produces {
        return CloudEnvironment::Production;
    }
    // These roll out a preview unless they are told otherwise.
    let previews = start.is_a(Nature::Previews);
    let rehearsed = named.iter().any(|name| has(name, REHEARSAL));
    // A word that only the run tells may name production.
    let known = words.iter().all(Option::is_some);
    if known && (previews || rehearsed) {
        CloudEnvironment::Rehearsal
    } else {
        CloudEnvironment::Unknown
    }
}

#[cfg(test)]
mod tests {
    use automode_shell::{Context, Facts, analyse};

    use super::*;

    fn read(command: &str) -> CloudTarget {
        let context = Context {
            cwd: "/home/dev/app".to_owned(),
            ..Context::default()
        };
        let analysis = analyse(command, &context, &Facts::default());
        CloudTarget::of_words(analysis.invocations.last().unwrap())
    }

    #[test]
    fn a_sentence_names_what_the_command_names() {
        let check = |command: &str, service: &str, expected: &str| {
            assert_eq!(
                read(command).phrase("deletes", service),
                expected,
                "{command}"
            );
        };
        check(
            "aws s3 rm s3://logs/x --recursive",
            "aws",
            "deletes s3://logs/x in AWS",
        );
        check(
            "aws ec2 terminate-instances --instance-ids i-1 i-2 --region eu-west-1",
            "aws",
            "deletes i-1 i-2 in AWS (region eu-west-1)",
        );
        check(
            "kubectl --context prod-eu delete ns shop",
            "kubernetes",
            "deletes ns shop in the cluster (context prod-eu)",
        );
        check(
            "gcloud compute instances delete vm-1 --zone=a --quiet",
            "cloud",
            "deletes vm-1 in the cloud account (zone a)",
        );
        check(
            "gsutil -m rm -r gs://b",
            "storage",
            "deletes gs://b in cloud storage",
        );
        check(
            "az group delete --name rg",
            "cloud",
            "deletes rg in the cloud account",
        );
        check(
            "gh api -X DELETE repos/a/b/hooks/1",
            "github",
            "deletes repos/a/b/hooks/1 in GitHub",
        );
        check(
            "gh api -X DELETE -H 'Authorization: token abc' repos/a/b --access-key abc",
            "github",
            "deletes repos/a/b in GitHub",
        );
        check(
            "doctl compute droplet delete 7 -t abc",
            "cloud",
            "deletes 7 in the cloud account",
        );
        check(
            "terraform destroy -auto-approve",
            "terraform",
            "deletes in Terraform",
        );
        check(
            "terraform destroy -target=aws_s3_bucket.x",
            "terraform",
            "deletes aws_s3_bucket.x in Terraform",
        );
    }

    #[test]
    fn a_tool_of_a_server_is_what_it_is_done_with() {
        let mut target = CloudTarget::default();
        assert_eq!(
            target.phrase("changes", "db: drop_user"),
            "changes db: drop_user"
        );
        target.things.push("bob".to_owned());
        assert_eq!(
            target.phrase("changes", "db: drop_user"),
            "changes bob through db: drop_user"
        );
    }

    #[test]
    fn an_environment_is_a_rehearsal_only_by_a_name_that_says_so() {
        use CloudEnvironment::{Production, Rehearsal, Unknown};
        let check = |command: &str, expected: CloudEnvironment| {
            assert_eq!(read(command).environment, expected, "{command}");
        };
        check("helm upgrade app ./chart", Unknown);
        check("helm upgrade app ./chart -n staging", Rehearsal);
        check(
            "helm upgrade app ./chart -n staging --kube-context prod-eu",
            Production,
        );
        check("helm upgrade staging ./chart", Unknown);
        check("helm upgrade app ./chart -n \"$NS\"", Unknown);
        check(
            "helm upgrade app ./chart -n staging --kube-context \"$C\"",
            Unknown,
        );
        check(
            "kubectl --context prod-eu set image deploy/app a=b",
            Production,
        );
        check("vercel deploy", Rehearsal);
        check("vercel deploy --prod", Production);
        check("vercel deploy --prod=false", Rehearsal);
        check("vercel deploy $MORE", Unknown);
        check("fly deploy", Unknown);
    }
}
