//! The judge of the binary: whom a person chose, opened when the first question comes.
//!
//! Most calls need no judge, so nothing is looked up for one before it is asked:
//! no key, no file, no client.

use std::env;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use automode::config::{self, Places};
use automode::judge::{
    CanaryRecord, Chain, Folder, Link, Notes, Records, SpendLog, Wrong, service_of,
};
use automode::ports::Judge;
use automode::state::State;
use automode::{Failure, Gate, Policy};
use automode_core::judge::{Model, Provider, Reply, Request, Service, Trouble};
use automode_providers::{Surroundings, open};

use crate::person;

/// A gate with the judge that its policy and the environment name, if they name one.
pub fn with_configured_judge(
    gate: Gate,
    session: &str,
    agent_model: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> Gate {
    with_judge_within(gate, session, Duration::MAX, agent_model)
}

/// The same, for somebody who has to answer within a time: a judge that is late is then an outage
/// like any other, written down and counted.
pub fn with_judge_within(
    gate: Gate,
    session: &str,
    within: Duration,
    agent_model: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> Gate {
    let chosen = chosen(gate.policy()).map(|service| Service {
        deadline: service.deadline.min(within),
        ..service
    });
    let lazy = |wrong, service| LazyJudge {
        wrong,
        service,
        session: session.to_owned(),
        agent_model: Box::new(agent_model),
        chain: OnceLock::new(),
    };
    match chosen {
        Ok(service) if service.chain.is_empty() => gate,
        Ok(service) => gate.with_judge(lazy(None, service)),
        // Somebody wanted a judge: doing without one in silence would not be what they asked for.
        Err(wrong) => gate.with_judge(lazy(Some(wrong), Service::default())),
    }
}

/// The service that the policy and the environment choose.
pub fn chosen(policy: &Policy) -> Result<Service, Wrong> {
    service_of(policy, variable, is_judging)
}

/// Whether a judge's program runs this: the one that asked it is among our parents.
fn is_judging() -> bool {
    let asking = variable("AUTOMODE_JUDGING").and_then(|text| text.parse::<u32>().ok());
    asking.is_some_and(person::has_parent)
}

/// A chain that is put together at the first question.
struct LazyJudge {
    /// Why there can be no chain.
    wrong: Option<Wrong>,
    service: Service,
    session: String,
    /// The agent's own model, looked up when nobody chose another.
    agent_model: Box<dyn Fn() -> Option<String> + Send + Sync>,
    chain: OnceLock<Chain>,
}

impl Judge for LazyJudge {
    fn ask(&self, request: &Request) -> Result<Reply, Trouble> {
        if let Some(Wrong::Judging) = self.wrong {
            // Not an outage: an outage may be left to a person, and this would switch the judge off.
            return Err(Trouble::new(
                Failure::Cancelled,
                &Wrong::Judging.to_string(),
            ));
        }
        self.chain.get_or_init(|| self.build()).ask(request)
    }
}

impl LazyJudge {
    fn build(&self) -> Chain {
        let state = state();
        let links = match &self.wrong {
            Some(wrong) => vec![broken("judge", wrong.to_string())],
            None => {
                let open = |provider: &Provider| provider.model.is_none();
                let model = self.service.chain.iter().any(open).then(&self.agent_model);
                links(&self.service, model.flatten().as_deref(), state.as_ref())
            }
        };
        Chain::new(links, self.service.clone()).with_notes(notes(state.as_ref(), &self.session))
    }
}

/// Each provider opened, but for those that may not judge.
pub fn links(service: &Service, agent_model: Option<&str>, state: Option<&State>) -> Vec<Link> {
    let records = state.and_then(|state| Records::open(state).ok());
    service
        .chain
        .iter()
        .map(|provider| {
            let name = provider.kind.name();
            let model = match opened(provider, agent_model) {
                Ok(model) => model,
                Err(why) => return broken(name, why),
            };
            match records.as_ref().map(|records| records.standing(&*model)) {
                Some(CanaryRecord::Failed(failed)) if !service.insist => broken(
                    model.model(),
                    format!(
                        "it failed {} of its canaries (hint: `automode judge test`, or `insist = true`)",
                        failed.len()
                    ),
                ),
                Some(CanaryRecord::Failed(_) | CanaryRecord::Passed | CanaryRecord::Untested) | None => {
                    Link::Ready(model)
                }
            }
        })
        .collect()
}

/// Every judge that is chosen in a directory, with how it stands or why it cannot be asked.
pub fn standings(cwd: &str) -> Vec<(String, Result<CanaryRecord, String>)> {
    let policy = config::load(&Places::here(cwd.as_ref(), None));
    let service = match chosen(&policy) {
        Ok(service) => service,
        Err(wrong) => return vec![("of the environment".to_owned(), Err(wrong.to_string()))],
    };
    let records = state().and_then(|state| Records::open(&state).ok());
    service
        .chain
        .iter()
        .map(|provider| match opened(provider, None) {
            Ok(model) => {
                let standing = records
                    .as_ref()
                    .map_or(CanaryRecord::Untested, |records| records.standing(&*model));
                (
                    format!("{} at {}", model.model(), model.place()),
                    Ok(standing),
                )
            }
            Err(why) => (provider.kind.name().to_owned(), Err(why)),
        })
        .collect()
}

/// The budget that is spent, in a directory's settings; nothing where there is money left.
pub fn spent_budget(cwd: &str) -> Option<String> {
    let policy = config::load(&Places::here(cwd.as_ref(), None));
    let purse = SpendLog::open(&state()?, "").ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    purse.reached(&policy.settings.service.budget, now)
}

/// What went wrong with a judge last, and when: in milliseconds since the epoch.
pub fn last_trouble() -> Option<(u64, String)> {
    let (at, document) = Folder::errors(&state()?).ok()?.newest()?;
    let detail = document.get("detail")?.as_str()?.to_owned();
    Some((at, detail))
}

/// Opens one provider with what the environment knows.
pub fn opened(provider: &Provider, agent_model: Option<&str>) -> Result<Box<dyn Model>, String> {
    // The address was completed when the judge was chosen, or must not be.
    let variable = |name: &str| variable(name).filter(|_| name != "AUTOMODE_BASE_URL");
    let surroundings = Surroundings {
        variable: &variable,
        agent_model,
    };
    open(provider, &surroundings).map_err(|setup| setup.to_string())
}

pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

pub fn state() -> Option<State> {
    State::locate(variable).ok()
}

fn broken(name: &str, why: String) -> Link {
    Link::Broken {
        name: name.to_owned(),
        why,
    }
}

/// What can be written down where there is a state.
fn notes(state: Option<&State>, session: &str) -> Notes {
    state.map_or_else(Notes::default, |state| Notes {
        purse: SpendLog::open(state, session).ok(),
        dumps: Folder::dumps(state).ok(),
        errors: Folder::errors(state).ok(),
    })
}
