//! `automode doctor`: is every agent that should ask really asking?
//!
//! Each check says what it found and, where something is wrong, how to put it right.
//! The hook is proved by running the registered command line as the client would,
//! with a call that must not pass, and reading the answer with the client's eyes.

mod probe;

use std::path::{Path, PathBuf};

use anyhow::Result;
use automode::state::State;
use automode_agents::Enforcement;
use automode_agents::install::{self, HookTrust, Place, Registered, Request, Scope};
use automode_agents::{Agent, Proof};
use serde_json::{Value, json};

use super::managed::{self, ManagedFound, ManagedStanding};
use super::status;
use crate::client::{self, InstalledClient, InstalledPlugin, SCOPES, TrustAnswer, scope_name};
use crate::{clock, output};

/// Check that every registered agent really asks automode.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only these agents
    #[arg(value_name = "AGENT", value_parser = super::install::agents())]
    agents: Vec<Agent>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a check found.
pub enum DoctorFinding {
    Good(String),
    /// Worth knowing.
    Note(String),
    /// Wrong, and how to put it right.
    Bad {
        what: String,
        hint: String,
    },
}

fn good(what: impl Into<String>) -> DoctorFinding {
    DoctorFinding::Good(what.into())
}

fn note(what: impl Into<String>) -> DoctorFinding {
    DoctorFinding::Note(what.into())
}

fn bad(what: impl Into<String>, hint: impl Into<String>) -> DoctorFinding {
    DoctorFinding::Bad {
        what: what.into(),
        hint: hint.into(),
    }
}

const EXAMPLES: &str = "\
Examples:
  automode doctor
  automode doctor codex
  automode doctor --json";

pub fn run(args: Args) -> Result<u8> {
    if !args.json {
        return examine_all(&args.agents);
    }
    let mut sections = Vec::new();
    let wrong = each_section(&args.agents, |title, findings| {
        let findings: Vec<_> = findings.iter().map(DoctorFinding::json).collect();
        sections.push(json!({"about": title, "findings": findings}));
    })?;
    let told = json!({"wrong": wrong, "sections": sections});
    output::print(&format!("{}\n", serde_json::to_string_pretty(&told)?))?;
    Ok(u8::from(wrong > 0))
}

/// Examines these agents, or all that are registered; 1 where something is wrong.
pub fn examine_all(agents: &[Agent]) -> Result<u8> {
    let mut sections = 0_usize;
    let wrong = each_section(agents, |title, findings| {
        sections = sections.saturating_add(1);
        print(title, findings);
    })?;
    if sections == 1 && agents.is_empty() {
        println!("no agent is registered (hint: automode setup)");
    }
    Ok(u8::from(wrong > 0))
}

/// Tells of automode itself, then of every agent where it is registered or asked for, one
/// after the other: trying a hook takes its time. How many findings are wrong.
fn each_section(agents: &[Agent], mut tell: impl FnMut(&str, &[DoctorFinding])) -> Result<usize> {
    let place = client::place()?;
    let mut wrong = 0_usize;
    let mut section = |title: &str, findings: &[DoctorFinding]| {
        let bad = |finding: &&DoctorFinding| matches!(finding, DoctorFinding::Bad { .. });
        wrong = wrong.saturating_add(findings.iter().filter(bad).count());
        tell(title, findings);
    };
    section("automode", &own());
    for agent in Agent::all() {
        if !agents.is_empty() && !agents.contains(&agent) {
            continue;
        }
        let mut registered = false;
        for scope in SCOPES {
            let Some(path) = place.file(agent, scope).map(PathBuf::from) else {
                continue;
            };
            let installed = client::installed(agent, &path);
            if matches!(installed, InstalledClient::No) {
                continue;
            }
            registered = true;
            let title = format!("{} ({})", agent.name(), scope_name(scope));
            section(&title, &examine(agent, scope, &place, &path, &installed));
        }
        if !registered && agents.contains(&agent) {
            let hint = format!("automode install {}", agent.name());
            section(agent.name(), &[bad("not installed", hint)]);
        }
    }
    Ok(wrong)
}

fn print(title: &str, findings: &[DoctorFinding]) {
    println!("{title}");
    for finding in findings {
        match finding {
            DoctorFinding::Good(what) => println!("  ok    {what}"),
            DoctorFinding::Note(what) => println!("  note  {what}"),
            DoctorFinding::Bad { what, hint } => {
                println!("  wrong {what}\n        hint: {hint}");
            }
        }
    }
}

impl DoctorFinding {
    fn json(&self) -> Value {
        match self {
            Self::Good(what) => json!({"state": "ok", "what": what}),
            Self::Note(what) => json!({"state": "note", "what": what}),
            Self::Bad { what, hint } => json!({"state": "wrong", "what": what, "hint": hint}),
        }
    }
}

/// automode's own house: state, log, settings, judge.
fn own() -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    match State::locate(|name| std::env::var(name).ok()) {
        Err(error) => findings.push(bad(
            error.to_string(),
            "decisions stand, but nothing is remembered or logged",
        )),
        Ok(state) => {
            findings.push(match probe::writable(&state) {
                Ok(()) => good(format!(
                    "state in {} can be written",
                    state.root().display()
                )),
                Err(error) => bad(
                    format!(
                        "state in {} cannot be written: {error}",
                        state.root().display()
                    ),
                    "make room or give yourself the right to write there",
                ),
            });
            findings.push(match automode::audit::Log::new(&state).verify() {
                Ok(report) if report.holds() => {
                    good(format!("the log of {} decisions holds", report.lines))
                }
                Ok(report) => bad(
                    format!("the log is broken in {} places", report.breaks.len()),
                    "see `automode log verify`",
                ),
                Err(error) => bad(
                    format!("the log cannot be read: {error}"),
                    "see `automode log verify`",
                ),
            });
        }
    }
    findings.extend(probe::settings());
    findings.extend(shipped(Path::new("/")));
    findings.extend(probe::confinement());
    findings.extend(probe::judges());
    findings
}

/// The hooks that device management shipped, read as their clients read them and tried.
fn shipped(root: &Path) -> Vec<DoctorFinding> {
    let standings = match managed::standings(root) {
        Ok(standings) => standings,
        Err(error) => {
            let hint = "ship the managed hooks again: `automode install --managed`";
            return vec![bad(format!("{error:#}"), hint)];
        }
    };
    let mut findings = Vec::new();
    for ManagedStanding { agent, path, found } in standings {
        let name = agent.name();
        let again = format!("sudo automode install --managed {name}");
        let found = match found {
            ManagedFound::Hooks(found) => found,
            ManagedFound::Gone => {
                let what = format!("the managed hook of {name} is gone: {path}");
                findings.push(bad(what, again));
                continue;
            }
            ManagedFound::Unreadable(why) => {
                findings.push(bad(format!("{path} cannot be read: {why}"), again));
                continue;
            }
        };
        let mut own = registration(agent, &found.hooks, &again);
        let off = found
            .off
            .map(|key| format!("`{key}` switches all hooks off"));
        let lacks = found
            .lacks
            .map(|key| format!("`{key}` is not set, so that hooks of the user count too"));
        own.extend(off.into_iter().chain(lacks).map(|what| bad(what, &again)));
        let gating = |hook: &&Registered| hook.ours && gates(agent, &hook.event);
        own.extend(
            found
                .hooks
                .iter()
                .filter(gating)
                .map(|hook| fires(agent, hook, &again)),
        );
        let wrong = own.into_iter().filter_map(|finding| match finding {
            DoctorFinding::Bad { what, hint } => Some(bad(format!("{path}: {what}"), hint)),
            DoctorFinding::Note(what) => Some(note(format!("{path}: {what}"))),
            DoctorFinding::Good(_) => None,
        });
        let before = findings.len();
        findings.extend(wrong);
        if findings.len() == before {
            findings.push(good(format!(
                "the managed hook of {name} is in place and stops a call that must not pass"
            )));
        }
    }
    findings
}

fn examine(
    agent: Agent,
    scope: Scope,
    place: &Place,
    path: &Path,
    installed: &InstalledClient,
) -> Vec<DoctorFinding> {
    let mut findings = vec![version(agent)];
    match installed {
        InstalledClient::No => {}
        InstalledClient::Unreadable(why) => {
            findings.push(bad(
                format!("{}: {why}", path.display()),
                "repair the file: the client reads no hooks from it",
            ));
        }
        InstalledClient::Plugin(installed) => {
            findings.extend(plugin(agent, scope, place, installed))
        }
        InstalledClient::Hooks(hooks) => {
            let again = format!("automode install {}", agent.name());
            findings.extend(registration(agent, hooks, &again));
            findings.extend(others(agent, hooks));
            findings.extend(switches(agent, path));
            findings.extend(
                hooks
                    .iter()
                    .filter(|hook| hook.ours && gates(agent, &hook.event))
                    .map(|hook| fires(agent, hook, &again)),
            );
        }
    }
    let trust = install::hook_file(agent).and_then(|file| file.trust.as_ref());
    findings.extend(
        trust
            .map(|trust| trusted(agent, trust, place))
            .into_iter()
            .flatten(),
    );
    let faults = agent.client().lets_through.iter();
    findings.extend(faults.map(|fault| note(format!("this client lets through: {fault}"))));
    findings.push(match status::last_seen().get(agent.name()) {
        Some(entry) => good(format!(
            "its last call was decided {}",
            clock::ago(entry.time)
        )),
        None => note("it has not asked yet: run one tool call, then look again"),
    });
    findings
}

fn version(agent: Agent) -> DoctorFinding {
    if agent.client().proof == Proof::Documented {
        return note(
            "not proven here: this client could not be run, the hook follows its documentation",
        );
    }
    let tried = agent.client().program.map_or("", |program| program.tested);
    match client::executable(agent) {
        None => note("the client was not found on the search path"),
        Some(path) => match client::version(&path) {
            None => note(format!("{} does not tell its version", path.display())),
            Some(found) if found.contains(tried) => {
                good(format!("version {tried}, which automode was tried with"))
            }
            Some(found) => note(format!("version {found}; automode was tried with {tried}")),
        },
    }
}

/// Every event that decides has our command, with the right program and timeout.
fn registration(agent: Agent, hooks: &[Registered], again: &str) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    let Some(file) = install::hook_file(agent) else {
        return findings;
    };
    for event in file.events {
        let name = event.name();
        let Some(hook) = hooks.iter().find(|hook| hook.ours && hook.event == name) else {
            findings.push(bad(format!("no hook on {name}"), again));
            continue;
        };
        if !event.gates() {
            continue;
        }
        let seconds = hook.timeout.map(|time| file.timeout_unit.seconds(time));
        findings.push(match seconds {
            None => bad(format!("{name}: the timeout is not a whole number"), again),
            Some(seconds) if seconds <= deadline(&hook.command) => bad(
                format!("{name}: the client gives up after {seconds} s, before the hook's own deadline, and then lets the call pass"),
                again,
            ),
            Some(seconds) => good(format!("{name} is registered, {seconds} s")),
        });
        if !hook.command.contains("exit 2") && !hook.command.contains("--mode shadow") {
            findings.push(bad(
                format!("{name}: the command line does not deny by itself when automode is gone"),
                again,
            ));
        }
    }
    findings
}

fn gates(agent: Agent, event: &str) -> bool {
    install::events(agent)
        .iter()
        .any(|known| known.gates() && known.name() == event)
}

/// The hook's own deadline in seconds, as its command line says.
fn deadline(command: &str) -> u64 {
    let after = command
        .split_once("--deadline ")
        .map_or("", |(_, after)| after);
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(20)
}

/// Hooks of others on the same events: an allow of theirs never beats our denial, but they may answer first.
fn others(agent: Agent, hooks: &[Registered]) -> Vec<DoctorFinding> {
    hooks
        .iter()
        .filter(|hook| !hook.ours && gates(agent, &hook.event))
        .map(|hook| {
            note(format!(
                "another hook stands on {}: {}",
                hook.event, hook.command
            ))
        })
        .collect()
}

/// Settings of the client that switch hooks off.
fn switches(agent: Agent, path: &Path) -> Vec<DoctorFinding> {
    let text = client::read(path).ok().flatten().unwrap_or_default();
    let switch = install::hook_file(agent).and_then(|file| file.off_switch);
    let off =
        switch.filter(|switch| probe::setting(&text, switch.pointer) == Some(switch.off_when));
    off.map(|switch| {
        bad(
            format!("`{}` switches all hooks off", switch.name),
            format!("take it out of {}", path.display()),
        )
    })
    .into_iter()
    .collect()
}

/// The proof: the registered command line stops a call that must not pass.
fn fires(agent: Agent, hook: &Registered, again: &str) -> DoctorFinding {
    if hook.command.contains("--mode shadow") {
        return note(format!(
            "{}: shadow mode decides and records, and stops nothing",
            hook.event
        ));
    }
    match probe::run(agent, &hook.event, &hook.command) {
        Ok(()) => good(format!(
            "{}: the command line stops a call that must not pass",
            hook.event
        )),
        Err(why) => bad(format!("{}: {why}", hook.event), again),
    }
}

fn plugin(
    agent: Agent,
    scope: Scope,
    place: &Place,
    installed: &InstalledPlugin,
) -> Vec<DoctorFinding> {
    let again = format!("automode install {}", agent.name());
    let Ok(program) = client::program() else {
        return Vec::new();
    };
    let plan = |enforcement| {
        let request = Request {
            agent,
            scope,
            program: &program,
            enforcement,
            place,
        };
        install::plan(&request).and_then(|plan| plan.change.apply(None).ok())
    };
    let is = |enforcement| plan(enforcement).as_ref() == Some(&installed.text);
    let plugin = if is(Enforcement::Enforce) {
        good("the plugin is as this version writes it")
    } else if is(Enforcement::Shadow) {
        note("shadow mode decides and records, and stops nothing")
    } else {
        bad("the plugin is not as this version writes it", again.clone())
    };
    let line = format!("'{program}' hook {}", agent.name());
    vec![
        plugin,
        match probe::run(agent, installed.kind.trial_event, &line) {
            Ok(()) => good("the hook stops a call that must not pass"),
            Err(why) => bad(why, again),
        },
    ]
}

/// Whether the client trusts the hooks: it skips the others in silence.
fn trusted(agent: Agent, trust: &HookTrust, place: &Place) -> Vec<DoctorFinding> {
    let name = agent.name();
    let Some(program) = client::executable(agent) else {
        return vec![note(format!(
            "{name} was not found, so its trust cannot be checked"
        ))];
    };
    let hooks = match client::hooks_seen(&program, trust, &place.project) {
        Ok(hooks) => hooks,
        Err(error) => {
            let hint = format!("check the hooks with the `/hooks` of {name}");
            return vec![bad(format!("{error:#}"), hint)];
        }
    };
    let ours = |command: &str| client::is_ours(agent, command);
    let own: Vec<_> = hooks.iter().filter(|hook| ours(&hook.command)).collect();
    if own.is_empty() {
        let hint = format!("automode install {name}");
        return vec![bad(format!("{name} does not see the hooks"), hint)];
    }
    own.iter()
        .filter_map(|hook| match &hook.trust {
            TrustAnswer::Trusted => None,
            TrustAnswer::Not(word) => Some(bad(
                format!(
                    "{name} does not trust the hook on {} ({word}) and skips it in silence",
                    hook.event
                ),
                format!("trust it with `automode install {name}` or its own `/hooks`"),
            )),
        })
        .chain(
            own.iter()
                .all(|hook| hook.trust == TrustAnswer::Trusted)
                .then(|| good(format!("{name} trusts the hooks"))),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_managed_hook_is_believed_where_it_stops_a_call() {
        let root = tempfile::tempdir().expect("a directory");
        let program = root.path().join("automode");
        let answers = |text: &str| {
            fs::write(&program, format!("#!/bin/sh\necho '{text}'\n")).expect("written");
            let all = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&program, all).expect("a program");
        };
        answers(r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#);
        let agent = Agent::named("claude-code").expect("an agent");
        let named = program.to_str().expect("a path");
        managed::write(&[agent], root.path(), named, Enforcement::Enforce, false).expect("written");
        let wrong = |part: &str| {
            let findings = shipped(root.path());
            let told = |finding: &DoctorFinding| match finding {
                DoctorFinding::Bad { what, hint } => {
                    what.contains(part) && hint == "sudo automode install --managed claude-code"
                }
                DoctorFinding::Good(_) | DoctorFinding::Note(_) => false,
            };
            findings.iter().any(told)
        };
        assert!(matches!(
            shipped(root.path()).as_slice(),
            [DoctorFinding::Good(_)]
        ));
        answers(r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#);
        assert!(wrong("answers `allow` to a call that must not pass"));
        fs::remove_file(&program).expect("removed");
        assert!(wrong("the program behind the hook cannot run"));
        let file = "etc/claude-code/managed-settings.d/automode.json";
        fs::remove_file(root.path().join(file)).expect("removed");
        assert!(wrong("is gone"));
    }
}
