//! What asking a judge costs on this side of the wire.
//!
//! From the decision to ask until the request is ready to be sent, and from the
//! reply to the judgement, for a session of 400 entries. The figure is printed;
//! it is held to its bound in an optimised build only.

use std::time::{Duration, Instant};

use automode_core::judge::{Case, Finish, Instruction, Judging, Next, Reply, Settings, Usage};
use automode_core::policy::AutoMode;
use automode_core::transcript::Entry;

fn session() -> Vec<Entry> {
    (0..400)
        .map(|index| match index % 9 {
            0 => Entry::User(format!(
                "please look at part {index}, {}",
                "and keep its tests green ".repeat(6)
            )),
            1 => Entry::Call {
                tool: "Edit".to_owned(),
                brief: format!(
                    "src/part{index}.rs: {}",
                    "let value = compute(&input)?;\n".repeat(20)
                ),
            },
            _ => Entry::Call {
                tool: "Bash".to_owned(),
                brief: format!("cargo test -p part{index} -- --nocapture 2>&1 | tail -n 40"),
            },
        })
        .collect()
}

#[test]
fn asking_is_cheap() {
    let entries = session();
    let instructions = [Instruction {
        path: "AGENTS.md".to_owned(),
        text: "Run the tests before you commit.\n".repeat(200),
    }];
    let lists = AutoMode::default();
    let settings = Settings::default();
    let case = Case {
        tool: "Bash",
        brief: "git push origin feature",
        entries: &entries,
        instructions: &instructions,
        facts: &["git: on feature, default branch main, no uncommitted changes".to_owned()],
        findings: &[],
        auto_mode: &lists,
    };
    let mut best = Duration::MAX;
    let mut bytes = 0;
    for _ in 0..30 {
        let start = Instant::now();
        let (mut judging, request) = Judging::begin(&case, &settings).unwrap();
        bytes = serde_json::to_vec(&request).unwrap().len();
        let reply = Reply {
            text: "<block>yes".to_owned(),
            finish: Finish::Stopped,
            usage: Usage::default(),
            model: String::new(),
        };
        let Next::Ask(second) = judging.resume(Ok(reply)) else {
            unreachable!("a second pass");
        };
        let _ = serde_json::to_vec(&second).unwrap();
        let reply = Reply {
            text: "<thinking>fine</thinking><block>no</block>".to_owned(),
            finish: Finish::Ended,
            usage: Usage::default(),
            model: String::new(),
        };
        let _ = judging.resume(Ok(reply));
        best = best.min(start.elapsed());
    }
    println!("two passes over 400 entries, {bytes} bytes a request: {best:?}");
    if !cfg!(debug_assertions) {
        assert!(best < Duration::from_millis(2), "{best:?}");
    }
}
