//! `automode install`: registers the hook with an agent, in the agent's own configuration.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use automode::state::State;
use automode_agents::install::{self, HookTrust, Place, Plan, Request, Scope};
use automode_agents::{Agent, Enforcement, OwnCheck};
use automode_confine::{Machine, selftest};
use clap::ValueEnum;

use super::managed;
use crate::client::{self, TrustAnswer};
use crate::{person, user_config};

/// Register automode with coding agents.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The agents
    #[arg(value_name = "AGENT", required = true, value_parser = agents())]
    agents: Vec<Agent>,
    /// For every project of yours, or for the one in the current directory
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArg,
    /// Enforce verdicts, or only decide and record them
    #[arg(long, value_enum, default_value = "enforce")]
    mode: ModeArg,
    /// Beside a client's own auto mode or reviewer: decide every call, or only stop calls [default: asks]
    #[arg(long, value_enum)]
    beside: Option<BesideArg>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking; a client that runs only trusted hooks is told to trust these
    #[arg(long)]
    yes: bool,
    /// Leave the trust in the hooks to the client's own `/hooks`
    #[arg(long)]
    no_trust: bool,
    /// Write the registration for all users of a machine, as device management ships it
    #[arg(long)]
    managed: bool,
    /// With --managed: write below this folder in place of the machine's root
    #[arg(long, value_name = "DIR", requires = "managed")]
    root: Option<PathBuf>,
    /// With --managed: where automode lies on the machines
    #[arg(long, value_name = "FILE", requires = "managed")]
    program: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  automode install claude-code
  automode install codex gemini-cli --mode shadow
  automode install copilot --scope project --dry-run
  sudo automode install --managed claude-code codex";

#[derive(Clone, Copy, ValueEnum)]
pub enum ScopeArg {
    User,
    Project,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::User => Self::User,
            ScopeArg::Project => Self::Project,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeArg {
    Enforce,
    Shadow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BesideArg {
    Decide,
    VetoOnly,
}

/// An installation that is about to happen.
struct InstallStep {
    agent: Agent,
    plan: Plan,
    path: PathBuf,
    /// The file after it; nothing where it is so already.
    after: Option<String>,
}

pub fn run(args: Args) -> Result<u8> {
    let enforcement = match args.mode {
        ModeArg::Enforce => Enforcement::Enforce,
        ModeArg::Shadow => Enforcement::Shadow,
    };
    if args.managed {
        let root = args.root.unwrap_or_else(|| PathBuf::from("/"));
        let program = args.program.map_or_else(client::program, Ok)?;
        return managed::write(&args.agents, &root, &program, enforcement, args.dry_run);
    }
    let place = client::place()?;
    let program = client::program()?;
    let mut steps = Vec::new();
    for agent in args.agents {
        let request = Request {
            agent,
            scope: args.scope.into(),
            program: &program,
            enforcement,
            place: &place,
        };
        let plan = install::plan(&request).ok_or_else(|| {
            let name = agent.name();
            anyhow!("nothing is installed for `{name}`\nhint: have it call `automode hook {name}`, as docs/agents/{name}.md says")
        })?;
        steps.push(step(agent, plan)?);
    }
    for step in &steps {
        announce(step, !args.no_trust)?;
    }
    if args.dry_run {
        return Ok(0);
    }
    if !args.yes && !person::agrees("do this?")? {
        bail!("nothing was changed");
    }
    choose_beside(&steps, args.beside, args.yes)?;
    for step in &steps {
        carry_out(step)?;
        if let (Some(kind), false) = (trust_of(step.agent), args.no_trust) {
            trust(&place, kind, step)?;
        }
    }
    tell_confinement();
    println!("check it with `automode doctor`");
    Ok(0)
}

/// Tries what can confine a command here: the hook promises nothing that was not tried.
fn tell_confinement() {
    let machine = State::locate(|name| std::env::var(name).ok())
        .ok()
        .and_then(|state| Machine::here(state.root().to_owned()));
    match machine.and_then(|machine| selftest(&machine).backend) {
        Some(backend) => println!("unread code can run confined, by {}", backend.name()),
        None => println!("nothing can confine a command here: unread code asks"),
    }
}

/// Who decides where a client has a check of its own: as the person says, else automode does.
fn choose_beside(steps: &[InstallStep], told: Option<BesideArg>, yes: bool) -> Result<()> {
    let checked: Vec<&str> = steps
        .iter()
        .map(|step| step.agent.client())
        .filter(|client| client.own_check != OwnCheck::None)
        .map(|client| client.title)
        .collect();
    let leave = match told {
        Some(BesideArg::VetoOnly) => true,
        Some(BesideArg::Decide) => false,
        None if checked.is_empty() || yes => return Ok(()),
        None => person::agrees(&format!(
            "{} can check calls by itself: shall automode only stop calls there and leave the rest to it?",
            checked.join(" and ")
        ))?,
    };
    let word = if leave { "veto-only" } else { "decide" };
    if user_config::change(|text| user_config::with_beside(text, word))? {
        println!(
            "beside = \"{word}\" is in {}",
            user_config::path()?.display()
        );
    }
    Ok(())
}

/// Registers with these agents, for every project of the user, without asking again.
pub fn register(agents: &[Agent], shadow: bool) -> Result<()> {
    let mode = if shadow {
        ModeArg::Shadow
    } else {
        ModeArg::Enforce
    };
    run(Args {
        agents: agents.to_vec(),
        scope: ScopeArg::User,
        mode,
        beside: None,
        dry_run: false,
        yes: true,
        no_trust: false,
        managed: false,
        root: None,
        program: None,
    })
    .map(drop)
}

fn step(agent: Agent, plan: Plan) -> Result<InstallStep> {
    let path = PathBuf::from(&plan.path);
    let before = client::read(&path)?;
    let after = plan.change.apply(before.as_deref()).map_err(|refusal| {
        anyhow!(
            "`{}` is left alone: {}\nhint: repair the file, then install again",
            plan.path,
            refusal.0
        )
    })?;
    Ok(InstallStep {
        agent,
        path,
        after: (before.as_deref() != Some(after.as_str())).then_some(after),
        plan,
    })
}

fn announce(step: &InstallStep, trusts: bool) -> Result<()> {
    let agent = step.agent;
    println!("{}", agent.name());
    if client::executable(agent).is_none() {
        println!("  note: the client itself was not found on the search path");
    }
    match &step.after {
        None => println!("  {} is as it should be", step.path.display()),
        Some(after) => {
            println!("  write {}", step.path.display());
            let hooks = match install::hook_file(agent) {
                None => Vec::new(),
                Some(_) => {
                    install::registered(agent, after).map_err(|refusal| anyhow!(refusal.0))?
                }
            };
            for hook in hooks.iter().filter(|hook| hook.ours) {
                println!("    {}: {}", hook.event, hook.command);
            }
        }
    }
    if let Some((path, _)) = client::manifest(agent, &step.path) {
        println!("  with {}", path.display());
    }
    if let (Some(trust), true) = (trust_of(agent), trusts) {
        let title = agent.client().title;
        println!(
            "  trust these hooks in the {} of {title}, as its `/hooks` does",
            trust.file
        );
    }
    for advice in &step.plan.advice {
        println!("  advice: {advice}");
    }
    Ok(())
}

fn carry_out(step: &InstallStep) -> Result<()> {
    if let Some((path, text)) = client::manifest(step.agent, &step.path) {
        client::replace(&path, text)?;
    }
    let Some(after) = &step.after else {
        return Ok(());
    };
    let backup = client::replace(&step.path, after)?;
    match backup {
        Some(backup) => println!(
            "wrote {} (as it was: {})",
            step.path.display(),
            backup.display()
        ),
        None => println!("wrote {}", step.path.display()),
    }
    Ok(())
}

fn trust_of(agent: Agent) -> Option<&'static HookTrust> {
    install::hook_file(agent)?.trust.as_ref()
}

/// Gives the client the person's yes for the hooks just written.
fn trust(place: &Place, trust: &HookTrust, step: &InstallStep) -> Result<()> {
    let title = step.agent.client().title;
    let Some(program) = client::executable(step.agent) else {
        println!("{title} was not found: trust the hooks with its `/hooks`, or they are skipped");
        return Ok(());
    };
    let seen = || client::hooks_seen(&program, trust, &place.project);
    let ours: Vec<_> = seen()
        .with_context(|| format!("{title} could not be asked about its hooks\nhint: trust them with its `/hooks`, or they are skipped"))?
        .into_iter()
        .filter(|hook| client::is_ours(step.agent, &hook.command))
        .collect();
    let config = client::trust_config(place, trust, &step.path);
    let given = client::give_trust(&config, &ours)?;
    let left = seen()?
        .into_iter()
        .filter(|hook| {
            ours.iter()
                .any(|own| own.command == hook.command && own.event == hook.event)
        })
        .filter(|hook| hook.trust != TrustAnswer::Trusted)
        .count();
    if left > 0 {
        bail!("{title} does not trust {left} of the hooks\nhint: trust them with its `/hooks`");
    }
    println!("trusted {given} hooks in {}", config.display());
    Ok(())
}

pub fn agents() -> impl clap::builder::TypedValueParser<Value = Agent> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Agent::all().map(Agent::name)).try_map(|name| {
        Agent::named(&name).ok_or_else(|| format!("`{name}` is no agent that is known"))
    })
}
