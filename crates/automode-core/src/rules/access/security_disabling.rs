//! Protections of the machine that would be switched off.

use automode_shell::{Act, CloudVerb, Effect, Invocation, Nature, SystemChange, Value};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{CloudTarget, Scene, report};

pub struct SecurityDisabling;

const ID: &str = "security-disabling";
const INSTEAD: &str = "leave protections on, and say what they are in the way of";

impl Rule for SecurityDisabling {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("security_disabling.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::System(SystemChange::SecurityOff) => Some(scene.veto(
                    ID,
                    scene.part(effect),
                    "switches a protection of the machine off",
                    INSTEAD,
                )),
                Act::System(SystemChange::Service | SystemChange::Settings)
                    if stops_guard(scene, effect) =>
                {
                    Some(scene.veto(
                        ID,
                        scene.part(effect),
                        "stops a service that protects the machine",
                        INSTEAD,
                    ))
                }
                Act::System(SystemChange::Network) => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "changes the firewall, routes or name resolution",
                    INSTEAD,
                )),
                Act::System(SystemChange::Kernel) => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "changes kernel modules or parameters",
                    INSTEAD,
                )),
                Act::Cloud {
                    service,
                    verb: CloudVerb::Delete | CloudVerb::Change,
                } if is_monitor(service) => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!(
                        "weakens {}, which watches the account",
                        report::name(service)
                    ),
                    INSTEAD,
                )),
                Act::Cloud {
                    verb: CloudVerb::Delete | CloudVerb::Change | CloudVerb::Create | CloudVerb::Run,
                    ..
                } => unguarded_branch(scene, effect),
                _ => None,
            })
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| unchecked(scene, start)),
            )
            .collect()
    }
}

fn unguarded_branch(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    let target = CloudTarget::of(scene, effect);
    guards_branch(&target).then(|| {
        let what = format!("changes {}, which protects a branch", target.listed());
        scene.evidence(ID, scene.part(effect), &what, INSTEAD)
    })
}

/// Paths of interfaces that decide what a branch takes.
pub fn guards_branch(target: &CloudTarget) -> bool {
    ["protection", "rulesets", "protected_branches"]
        .iter()
        .any(|part| target.has_path_part(part))
}

/// A commit or a push past the checks that the project runs on it.
fn unchecked(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let words: Vec<_> = start
        .argv
        .iter()
        .skip(1)
        .filter_map(Value::literal)
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
    let skips = start.is_a(Nature::Git)
        && has(&["commit", "push", "merge", "am"])
        && (has(&["--no-verify"])
            || (has(&["commit"]) && words.iter().any(|word| is_unverified(word)))
            || is_muted(start));
    skips.then(|| {
        let what = "skips the checks that the project runs on its commits";
        scene.evidence(ID, start.span, what, "fix what the checks complain about")
    })
}

/// `-n` of `git commit`, alone or among other letters: `-anm`. What follows a letter that
/// takes a value is that value.
fn is_unverified(word: &str) -> bool {
    word.strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))
        .is_some_and(|letters| {
            letters
                .chars()
                .take_while(|letter| !"mFCctSu".contains(*letter))
                .any(|letter| letter == 'n')
        })
}

/// A service of the machine's protection, stopped or kept from starting.
fn stops_guard(scene: &Scene<'_>, effect: &Effect) -> bool {
    const GUARDS: &[&str] = &[
        "apparmor",
        "auditd",
        "firewalld",
        "ufw",
        "nftables",
        "iptables",
        "fail2ban",
        "clamav-daemon",
        "clamav-freshclam",
        "falcon-sensor",
        "cbdaemon",
        "cbagentd",
        "osqueryd",
        "wazuh-agent",
        "ossec",
        "sysmon",
        "selinux",
        "rsyslog",
        "syslog",
        "systemd-journald",
        "mdatp",
        "sentinelone",
        "crowdstrike",
        "littlesnitch",
        "osquery",
    ];
    const VERBS: &[&str] = &["stop", "disable", "mask", "kill", "off", "unload", "remove"];
    let words: Vec<String> = scene
        .invocation(effect)
        .into_iter()
        .flat_map(|start| start.argv.iter().skip(1))
        .filter_map(|word| word.literal().map(|word| word.to_lowercase()))
        .collect();
    let named = words.iter().any(|word| {
        let bare = word.strip_suffix(".service").unwrap_or(word);
        GUARDS.contains(&bare)
    });
    named && words.iter().any(|word| VERBS.contains(&word.as_str()))
}

fn is_monitor(service: &str) -> bool {
    const MONITORS: &[&str] = &["guardduty", "securityhub", "inspector", "defender", "macie"];
    MONITORS.iter().any(|monitor| service.contains(monitor))
}

/// Variables that tell the managers of git hooks to do nothing.
fn is_muted(start: &Invocation) -> bool {
    start.env.iter().any(|(name, value)| match name.as_str() {
        "SKIP" | "SKIP_HOOKS" | "PRE_COMMIT_ALLOW_NO_CONFIG" => true,
        "HUSKY" | "LEFTHOOK" => value.literal().is_some_and(|value| value == "0"),
        _ => false,
    })
}
