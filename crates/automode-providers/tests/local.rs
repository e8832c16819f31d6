//! Judges without a network: a program, and recorded replies.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{
    Cancel, Finish, Format, JudgeStage, Kind, Model, Patience, Provider, Reply, Request, Segment,
    Trouble,
};
use automode_providers::{Recorder, Surroundings, open};

fn open_with(provider: &Provider) -> Box<dyn Model> {
    let surroundings = Surroundings {
        variable: &|_| None,
        agent_model: None,
    };
    open(provider, &surroundings).unwrap()
}

fn request(text: &str) -> Request {
    Request {
        stage: JudgeStage::Fast,
        system: vec![Segment::marked("system\n")],
        messages: vec![vec![Segment::plain(text)]],
        format: Format::TagsToStop,
        max_tokens: 64,
    }
}

fn ask(model: &dyn Model, request: &Request) -> Result<Reply, Trouble> {
    let patience = Patience {
        timeout: Duration::from_secs(2),
        cancel: &Cancel::default(),
    };
    model.ask(request, patience)
}

fn shell(script: &str) -> Box<dyn Model> {
    open_with(&Provider {
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        ..Provider::new(Kind::Command)
    })
}

fn says(script: &str) -> Result<(String, Finish), Failure> {
    ask(&*shell(script), &request("hello"))
        .map(|reply| (reply.text, reply.finish))
        .map_err(|trouble| trouble.failure)
}

#[test]
fn a_program_answers() {
    assert_eq!(
        says("cat >/dev/null; echo '<block>no</block>'"),
        Ok(("<block>no</block>\n".to_owned(), Finish::Ended))
    );
    assert_eq!(
        says("echo '{\"text\":\"<block>no\",\"finish\":\"stopped\"}'"),
        Ok(("<block>no".to_owned(), Finish::Stopped))
    );
    assert_eq!(
        says("cat >/dev/null; exec >&-; sleep 0.1"),
        Ok((String::new(), Finish::Ended))
    );
}

#[test]
fn a_program_is_given_the_request_and_no_judge_of_its_own() {
    let (text, _) = says("grep -o '\"prompt\":\"system..hello\"'; echo $AUTOMODE_JUDGE").unwrap();
    assert_eq!(text, "\"prompt\":\"system\\nhello\"\nnone\n");
}

#[test]
fn a_program_that_fails_is_a_failure() {
    assert_eq!(
        says("echo '<block>no</block>'; exit 3"),
        Err(Failure::Unavailable)
    );
    assert_eq!(
        says("printf '\\377<block>no</block>'"),
        Err(Failure::Unreadable)
    );
    assert_eq!(says("head -c 3000000 /dev/zero"), Err(Failure::Unavailable));
    let start = Instant::now();
    assert_eq!(
        says("sleep 30; echo '<block>no</block>'"),
        Err(Failure::Timeout)
    );
    assert!(start.elapsed() < Duration::from_secs(10));
    let missing = open_with(&Provider {
        command: vec!["/nonexistent/judge".to_owned()],
        ..Provider::new(Kind::Command)
    });
    assert_eq!(
        ask(&*missing, &request("x")).unwrap_err().failure,
        Failure::Unavailable
    );
}

#[test]
fn what_was_recorded_is_played_back_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory
        .path()
        .join("tape.jsonl")
        .to_string_lossy()
        .into_owned();
    let recorder = Recorder::new(shell("echo '<block>no</block>'"), &path).unwrap();
    let first = ask(&recorder, &request("one")).unwrap();
    let cassette = open_with(&Provider {
        cassette: Some(path),
        ..Provider::new(Kind::Cassette)
    });
    assert_eq!(ask(&*cassette, &request("one")).unwrap(), first);
    assert_eq!(
        ask(&*cassette, &request("two")).unwrap_err().failure,
        Failure::Unavailable
    );
}
