//! `automode setup`: from nothing to a hook that is proved, step by step.
//!
//! It finds the clients, replays their recorded sessions, helps to choose a judge and
//! tests it, registers the hooks and lets `doctor` prove them. Every step asks first and
//! can be left out. A key that lies in the environment is offered and never taken
//! unasked. `automode uninstall --all` takes everything out again.

mod servers;

use anyhow::{Result, bail};
use automode_agents::{Agent, Proof};
use clap::ValueEnum;

use super::{doctor, install, judge as judge_command, replay};
use crate::client::{self, InstalledClient, SCOPES};
use crate::user_config::{self, ChosenJudge};
use crate::{judge, person, setup};

/// Find your coding agents, choose a judge, register the hooks and prove them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only these agents [default: those that are found]
    #[arg(value_name = "AGENT", value_parser = install::agents())]
    agents: Vec<Agent>,
    /// Leave a step out; may be repeated
    #[arg(long, value_enum, value_name = "STEP")]
    skip: Vec<SetupStep>,
    /// Who judges what the analysis leaves open; with --yes nobody, unless this names them
    #[arg(long, value_enum, value_name = "JUDGE")]
    judge: Option<JudgeArg>,
    /// Decide and record, change nothing
    #[arg(long)]
    shadow: bool,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Taken out again by `automode uninstall --all`.

Examples:
  automode setup
  automode setup claude-code --shadow
  automode setup --yes --judge local --skip replay";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SetupStep {
    Replay,
    Judge,
    Install,
    Doctor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum JudgeArg {
    /// What cannot be proved asks you
    None,
    /// A model server on this machine
    Local,
    /// Anthropic, with the key of the environment
    Anthropic,
    /// OpenAI, with the key of the environment
    Openai,
}

pub fn run(args: Args) -> Result<u8> {
    let agents = clients(&args)?;
    if !args.skip.contains(&SetupStep::Replay) {
        past_sessions(&args)?;
    }
    if !args.skip.contains(&SetupStep::Judge) {
        choose_judge(&args)?;
    }
    if args.skip.contains(&SetupStep::Install) {
        return Ok(0);
    }
    println!("\nhooks");
    let names: Vec<_> = agents.iter().map(|agent| agent.name()).collect();
    if !agrees(
        &args,
        &format!("register automode with {}?", names.join(", ")),
    )? {
        println!("  nothing was registered");
        return Ok(0);
    }
    install::register(&agents, args.shadow)?;
    if args.skip.contains(&SetupStep::Doctor) {
        return Ok(0);
    }
    println!("\nproof");
    let code = doctor::examine_all(&agents)?;
    println!("\ntake it out again with `automode uninstall --all`");
    Ok(code)
}

/// The clients of this machine, or those that were named.
fn clients(args: &Args) -> Result<Vec<Agent>> {
    println!("coding agents");
    let place = client::place()?;
    let mut chosen = Vec::new();
    for agent in Agent::all() {
        let program = client::executable(agent);
        let wanted = args.agents.contains(&agent);
        if !wanted && (program.is_none() || !args.agents.is_empty()) {
            continue;
        }
        let registered = SCOPES.iter().any(|scope| {
            place.file(agent, *scope).is_some_and(|path| {
                !matches!(client::installed(agent, path.as_ref()), InstalledClient::No)
            })
        });
        let note = match (registered, agent.client().proof) {
            (true, _) => "registered already",
            (false, Proof::Proven) => "not registered yet",
            (false, Proof::Documented) => "not registered yet; known by its documentation only",
        };
        let program = program.map_or_else(
            || "not on the search path".to_owned(),
            |path| path.display().to_string(),
        );
        println!("  {:<12} {note:<20} {program}", agent.name());
        chosen.push(agent);
    }
    if chosen.is_empty() {
        let known: Vec<_> = Agent::all().map(Agent::name).collect();
        bail!(
            "no coding agent was found on the search path\nhint: name one, `automode setup claude-code`; known are {}",
            known.join(", ")
        );
    }
    Ok(chosen)
}

/// What would have changed in the sessions of the past.
fn past_sessions(args: &Args) -> Result<()> {
    println!("\nyour recorded sessions under this policy");
    if !agrees(
        args,
        "replay them? nothing is run and nothing leaves this machine",
    )? {
        return Ok(());
    }
    match replay::past_sessions() {
        None => println!("  there are none yet"),
        Some(tally) => {
            tally.show_counts();
            println!("  `automode replay` shows what would have been stopped");
        }
    }
    Ok(())
}

/// A judge that may be chosen.
struct Offer {
    argument: JudgeArg,
    title: String,
    judge: ChosenJudge,
}

fn choose_judge(args: &Args) -> Result<()> {
    println!("\na judge for what cannot be proved");
    let cwd = setup::directory(None)?;
    let standing = judge::standings(&cwd);
    if !standing.is_empty() {
        for (name, _) in &standing {
            println!("  {name} is chosen already");
        }
        return Ok(());
    }
    let offers = offers();
    let chosen = match args.judge {
        Some(JudgeArg::None) => None,
        Some(wanted) => {
            let offer = offers.into_iter().find(|offer| offer.argument == wanted);
            Some(offer.ok_or_else(|| missing(wanted))?)
        }
        None if args.yes => None,
        None => ask_for_offer(offers)?,
    };
    let Some(offer) = chosen else {
        println!("  none: what cannot be proved asks you (later: automode setup --skip install)");
        return Ok(());
    };
    user_config::change(|text| user_config::with_judge(text, &offer.judge))?;
    println!("  {} is in {}", offer.title, user_config::path()?.display());
    println!("  it is put to cases with known answers:");
    let tested = judge_command::test_here(&cwd);
    if !matches!(tested, Ok(0)) {
        user_config::change(user_config::without_marked)?;
        println!("  it is not used: taken out again");
        tested?;
    }
    Ok(())
}

fn missing(wanted: JudgeArg) -> anyhow::Error {
    match wanted {
        JudgeArg::Local | JudgeArg::None => anyhow::anyhow!(
            "no model server answers on this machine\nhint: start one, such as `ollama serve`"
        ),
        JudgeArg::Anthropic => {
            anyhow::anyhow!("`ANTHROPIC_API_KEY` is not set\nhint: set it, or `--judge none`")
        }
        JudgeArg::Openai => {
            anyhow::anyhow!("`OPENAI_API_KEY` is not set\nhint: set it, or `--judge none`")
        }
    }
}

/// Servers that answer here and keys that lie in the environment.
fn offers() -> Vec<Offer> {
    let local = servers::found().into_iter().filter_map(|server| {
        let model = server.models.first()?.clone();
        Some(Offer {
            argument: JudgeArg::Local,
            title: format!("{model} of {} at {}", server.title, server.base_url),
            judge: ChosenJudge {
                kind: "openai-compatible",
                model: Some(model),
                base_url: Some(server.base_url),
            },
        })
    });
    let keys = [
        (
            JudgeArg::Anthropic,
            "Anthropic",
            "anthropic",
            "ANTHROPIC_API_KEY",
        ),
        (JudgeArg::Openai, "OpenAI", "openai", "OPENAI_API_KEY"),
    ];
    let services = keys
        .into_iter()
        .filter_map(|(argument, title, kind, variable)| {
            judge::variable(variable).filter(|key| !key.trim().is_empty())?;
            Some(Offer {
                argument,
                title: format!("{title}, with the key in `{variable}`"),
                judge: ChosenJudge {
                    kind,
                    model: None,
                    base_url: None,
                },
            })
        });
    local.chain(services).collect()
}

/// One question for each; the first yes counts.
fn ask_for_offer(offers: Vec<Offer>) -> Result<Option<Offer>> {
    if offers.is_empty() {
        println!("  no model server answers here, and no key lies in the environment");
    }
    for offer in offers {
        if person::agrees(&format!("  ask {}?", offer.title))? {
            return Ok(Some(offer));
        }
    }
    Ok(None)
}

fn agrees(args: &Args, question: &str) -> Result<bool> {
    if args.yes {
        return Ok(true);
    }
    person::agrees(&format!("  {question}"))
}
