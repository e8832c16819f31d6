use std::collections::VecDeque;
use std::sync::Arc;

use automode_core::judge::{Budget, Finish, Format, Price, Segment, Usage, price_of};

use super::*;
use crate::state::State;

/// A model that answers from a list and remembers how it was asked.
#[derive(Clone)]
struct Scripted {
    name: &'static str,
    script: Arc<Mutex<VecDeque<Result<(), Trouble>>>>,
    timeouts: Arc<Mutex<Vec<Duration>>>,
    slow: Duration,
    price: Option<Price>,
    /// Whether it says how many tokens there were.
    told: bool,
}

impl Scripted {
    fn new(name: &'static str, script: Vec<Result<(), Trouble>>) -> Self {
        Self {
            name,
            script: Arc::new(Mutex::new(script.into())),
            timeouts: Arc::default(),
            slow: Duration::ZERO,
            price: None,
            told: true,
        }
    }

    fn link(&self) -> Link {
        Link::Ready(Box::new(self.clone()))
    }

    fn asked(&self) -> usize {
        self.timeouts.lock().unwrap().len()
    }
}

impl Model for Scripted {
    fn model(&self) -> &str {
        self.name
    }

    fn place(&self) -> &str {
        "here"
    }

    fn price(&self) -> Option<Price> {
        self.price.or_else(|| price_of(self.name))
    }

    fn ask(&self, _request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble> {
        self.timeouts.lock().unwrap().push(patience.timeout);
        std::thread::sleep(self.slow.min(patience.timeout));
        if self.slow > patience.timeout {
            return Err(Trouble::new(Failure::Timeout, "").retry(None));
        }
        let next = self.script.lock().unwrap().pop_front().unwrap_or(Ok(()));
        next.map(|()| Reply {
            text: "<block>no</block>".to_owned(),
            finish: Finish::Ended,
            usage: Usage {
                input: if self.told { 1_000 } else { 0 },
                ..Usage::default()
            },
            model: self.name.to_owned(),
        })
    }
}

fn request(stage: JudgeStage) -> Request {
    Request {
        stage,
        system: vec![Segment::marked("s")],
        messages: vec![vec![
            Segment::plain("<transcript>\n"),
            Segment::marked("{\"Bash\":\"x\"}\n"),
            Segment::plain(format!("{stage:?}")),
        ]],
        format: Format::TagsToStop,
        max_tokens: 64,
    }
}

fn service(deadline: u64) -> Service {
    Service {
        deadline: Duration::from_millis(deadline),
        fast_timeout: Duration::from_millis(deadline),
        thinking_timeout: Duration::from_millis(deadline),
        ..Service::default()
    }
}

fn down() -> Result<(), Trouble> {
    Err(Trouble::new(Failure::Unavailable, "down"))
}

fn busy(millis: u64) -> Result<(), Trouble> {
    Err(Trouble::new(Failure::Unavailable, "busy").retry(Some(Duration::from_millis(millis))))
}

fn ask(links: Vec<Link>, service: Service) -> Result<String, Failure> {
    Chain::new(links, service)
        .ask(&request(JudgeStage::Fast))
        .map(|reply| reply.model)
        .map_err(|trouble| trouble.failure)
}

#[test]
fn an_outage_goes_to_the_next() {
    let (one, two) = (
        Scripted::new("one", vec![down()]),
        Scripted::new("two", vec![]),
    );
    assert_eq!(
        ask(vec![one.link(), two.link()], service(2_000)),
        Ok("two".to_owned())
    );
    assert_eq!((one.asked(), two.asked()), (1, 1));
}

#[test]
fn when_nobody_answers_that_is_a_failure() {
    assert_eq!(ask(vec![], service(1_000)), Err(Failure::Unavailable));
    let broken = Link::Broken {
        name: "x".to_owned(),
        why: "no key".to_owned(),
    };
    assert_eq!(ask(vec![broken], service(1_000)), Err(Failure::Unavailable));
    for failure in Failure::ALL {
        let model = Scripted::new("m", vec![Err(Trouble::new(failure, "")); 9]);
        assert_eq!(ask(vec![model.link()], service(1_000)), Err(failure));
        assert_eq!(model.asked(), 1);
    }
}

#[test]
fn asking_again_waits_as_long_as_it_was_told() {
    let model = Scripted::new("m", vec![busy(120), busy(30)]);
    let start = Instant::now();
    assert_eq!(ask(vec![model.link()], service(3_000)), Ok("m".to_owned()));
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(model.asked(), 3);
}

#[test]
fn a_wait_that_does_not_fit_is_not_begun() {
    let model = Scripted::new("m", vec![busy(60_000)]);
    let start = Instant::now();
    assert_eq!(
        ask(vec![model.link()], service(500)),
        Err(Failure::Unavailable)
    );
    let (one, two) = (
        Scripted::new("one", vec![busy(3_000)]),
        Scripted::new("two", vec![]),
    );
    assert_eq!(
        ask(vec![one.link(), two.link()], service(9_000)),
        Ok("two".to_owned())
    );
    assert!(start.elapsed() < Duration::from_millis(2_500));
}

#[test]
fn nobody_is_asked_for_ever() {
    let model = Scripted::new("m", vec![busy(1); 99]);
    assert_eq!(
        ask(vec![model.link()], service(5_000)),
        Err(Failure::Unavailable)
    );
    assert_eq!(model.asked(), 3);
}

#[test]
fn the_deadline_is_for_both_passes() {
    let model = Scripted {
        slow: Duration::from_millis(500),
        ..Scripted::new("m", vec![])
    };
    let chain = Chain::new(vec![model.link()], service(8_000));
    assert!(chain.ask(&request(JudgeStage::Fast)).is_ok());
    assert!(chain.ask(&request(JudgeStage::Thinking)).is_ok());
    let timeouts = model.timeouts.lock().unwrap().clone();
    assert!(timeouts[0] > Duration::from_millis(7_500), "{timeouts:?}");
    assert!(timeouts[1] < Duration::from_millis(7_500), "{timeouts:?}");
    // A new decision has all of it again.
    assert!(chain.ask(&request(JudgeStage::Fast)).is_ok());
    assert!(model.timeouts.lock().unwrap()[2] > Duration::from_millis(7_500));
}

#[test]
fn a_slow_one_leaves_time_for_the_next() {
    let slow = Scripted {
        slow: Duration::from_secs(9),
        ..Scripted::new("slow", vec![])
    };
    let next = Scripted::new("next", vec![]);
    let service = Service {
        fast_timeout: Duration::from_millis(100),
        ..service(9_000)
    };
    let start = Instant::now();
    assert_eq!(
        ask(vec![slow.link(), next.link()], service),
        Ok("next".to_owned())
    );
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(slow.asked(), 1);
}

#[test]
fn cancelling_ends_the_waiting() {
    let model = Scripted::new("m", vec![busy(15_000)]);
    let chain = Chain::new(vec![model.link()], service(20_000));
    let cancel = chain.cancel();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        assert_eq!(
            chain
                .ask(&request(JudgeStage::Fast))
                .map_err(|trouble| trouble.failure),
            Err(Failure::Cancelled)
        );
    });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn money_is_counted_and_ends() {
    let directory = tempfile::tempdir().unwrap();
    let state = State::at(directory.path().join("state")).unwrap();
    // A thousand tokens of this model cost a thousand millionths.
    let model = Scripted::new("claude-haiku-4-5", vec![]);
    let service = Service {
        budget: Budget {
            session: Some(1_500),
            ..Budget::default()
        },
        ..service(2_000)
    };
    let chain = Chain::new(vec![model.link()], service).with_notes(Notes {
        purse: Some(SpendLog::open(&state, "s").unwrap()),
        ..Notes::default()
    });
    assert!(chain.ask(&request(JudgeStage::Fast)).is_ok());
    assert!(chain.ask(&request(JudgeStage::Fast)).is_ok());
    // The second pass of a decision that was begun is still paid for.
    assert!(chain.ask(&request(JudgeStage::Thinking)).is_ok());
    let spent = chain.ask(&request(JudgeStage::Fast)).unwrap_err();
    assert_eq!(spent.failure, Failure::Budget);
    assert!(
        spent
            .detail
            .starts_with("$0.003 of $0.0015 in this session (hint: "),
        "{}",
        spent.detail
    );
    assert_eq!(model.asked(), 3);
}

#[test]
fn a_model_without_a_price_is_not_free() {
    let spent = |name: &'static str, price: Option<Price>, told: bool| {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let model = Scripted {
            price,
            told,
            ..Scripted::new(name, vec![])
        };
        let purse = SpendLog::open(&state, "s").unwrap();
        let chain = Chain::new(vec![model.link()], service(2_000)).with_notes(Notes {
            purse: Some(purse.clone()),
            ..Notes::default()
        });
        assert!(chain.ask(&request(JudgeStage::Fast)).is_ok());
        purse.spent(SystemClock.now()).unwrap().session
    };
    let set = |input| {
        Some(Price {
            input,
            ..Price::UNKNOWN
        })
    };
    assert_eq!(spent("claude-haiku-4-5", None, true), 1_000);
    assert_eq!(spent("somebody-elses", None, true), 15_000);
    assert_eq!(spent("somebody-elses", set(0), true), 0);
    assert_eq!(spent("claude-haiku-4-5", set(7_000), true), 7_000);
    // A program that tells no tokens is not free either.
    assert!(spent("command:x", None, false) > 400);
}

#[test]
fn what_went_wrong_and_what_was_said_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let state = State::at(directory.path().join("state")).unwrap();
    let notes = || Notes {
        purse: None,
        dumps: Some(Folder::dumps(&state).unwrap()),
        errors: Some(Folder::errors(&state).unwrap()),
    };
    let count = |name: &str| std::fs::read_dir(state.path(name)).unwrap().count();
    let quiet = Chain::new(
        vec![Scripted::new("m", vec![down()]).link()],
        service(1_000),
    )
    .with_notes(notes());
    assert!(quiet.ask(&request(JudgeStage::Fast)).is_err());
    assert_eq!((count("judge/dumps"), count("judge/errors")), (0, 1));
    let service = Service {
        dump: true,
        ..service(1_000)
    };
    let loud = Chain::new(vec![Scripted::new("m", vec![]).link()], service).with_notes(notes());
    assert!(loud.ask(&request(JudgeStage::Fast)).is_ok());
    assert_eq!((count("judge/dumps"), count("judge/errors")), (1, 1));
}
