//! Every door with a judge that fails in every way: nothing that it would decide goes through.

use std::thread;

use crate::bench::Bench;
use crate::{acp, gateway, http, mcp};

/// A command that the analysis leaves to the judge.
pub const OPEN: &str = "frobnicate --all ./data";

/// Whether a door lets a call through that only the judge can decide.
type LetsThrough = fn(&Bench) -> bool;

const DOORS: &[(&str, LetsThrough)] = &[
    ("acp", acp::lets_through),
    ("mcp", mcp::lets_through),
    ("mcp over http", http::lets_through),
    ("gateway", gateway::lets_through),
    ("prompt tool", mcp::approves),
];

/// What stands in the judge's place. The first one answers, or the others would show nothing.
const JUDGES: &[(&str, &str, bool)] = &[
    (
        "fine",
        "['/bin/sh', '-c', 'cat >/dev/null; echo \"<block>no</block>\"']",
        true,
    ),
    ("missing", "['/no/such/judge']", false),
    ("crash", "['/bin/sh', '-c', 'exit 1']", false),
    ("hang", "['/bin/sleep', '600']", false),
    (
        "garbage",
        "['/bin/sh', '-c', 'cat >/dev/null; echo no answer']",
        false,
    ),
    ("killed", "['/bin/sh', '-c', 'kill -9 $$']", false),
];

#[test]
fn no_door_lets_a_call_through_whose_judge_fails() {
    for (fault, command, runs) in JUDGES {
        // Who answers is given the time of a busy machine, who hangs is not.
        let deadline = if *fault == "hang" { 1_500 } else { 30_000 };
        thread::scope(|scope| {
            for (door, lets_through) in DOORS {
                scope.spawn(move || {
                    let bench = Bench::new();
                    bench.configure(&format!(
                        "[judge]\ninsist = true\nmode = \"fast\"\ndeadline = {deadline}\nfast_timeout = {deadline}\n[[judge.chain]]\nkind = \"command\"\ncommand = {command}\n"
                    ));
                    assert_eq!(lets_through(&bench), *runs, "{door}: {fault}");
                });
            }
        });
    }
}
