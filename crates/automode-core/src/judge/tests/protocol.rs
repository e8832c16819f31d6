//! Replies in, judgement out.

use super::{
    Docket, Failure, Finish, Format, JudgeStage, Judgement, Mode, NO, Next, Protocol, Reply,
    Settings, THOUGHT_NO, THOUGHT_YES, Usage, YES, says, session,
};

/// Plays replies until the judging is done; says how many were used.
fn play(mode: Mode, replies: &[Result<Reply, Failure>]) -> (Result<Judgement, Failure>, usize) {
    let docket = Docket {
        settings: Settings {
            mode,
            ..Settings::default()
        },
        ..Docket::default()
    };
    let (mut judging, _) = docket.begin().unwrap();
    for (index, reply) in replies.iter().enumerate() {
        if let Next::Done(judgement) = judging.resume(reply.clone()) {
            return (judgement, index + 1);
        }
    }
    panic!("not done");
}

fn check(mode: Mode, replies: &[Result<Reply, Failure>], expected: Result<Judgement, Failure>) {
    assert_eq!(
        play(mode, replies),
        (expected, replies.len()),
        "{replies:?}"
    );
}

fn blocked() -> Result<Judgement, Failure> {
    Ok(Judgement::Block {
        rule: Some("force-push".to_owned()),
        reason: "r".to_owned(),
    })
}

#[test]
fn both_passes() {
    check(Mode::Both, &[says(NO)], Ok(Judgement::Clear));
    check(
        Mode::Both,
        &[says(YES), says(THOUGHT_NO)],
        Ok(Judgement::Clear),
    );
    check(Mode::Both, &[says(YES), says(THOUGHT_YES)], blocked());
    check(
        Mode::Both,
        &[says("what?"), says(THOUGHT_NO)],
        Ok(Judgement::Clear),
    );
    check(
        Mode::Both,
        &[says("what?"), says("what?")],
        Err(Failure::Unreadable),
    );
    check(Mode::Both, &[says(""), says(NO)], Ok(Judgement::Clear));
}

#[test]
fn one_pass() {
    check(Mode::Fast, &[says(NO)], Ok(Judgement::Clear));
    check(Mode::Fast, &[says(YES)], blocked());
    check(Mode::Fast, &[says("what?")], Err(Failure::Unreadable));
    check(Mode::Thinking, &[says(THOUGHT_NO)], Ok(Judgement::Clear));
    check(Mode::Thinking, &[says(THOUGHT_YES)], blocked());
    check(Mode::Thinking, &[says("what?")], Err(Failure::Unreadable));
}

#[test]
fn no_failure_clears_at_any_pass() {
    for failure in Failure::ALL {
        for mode in [Mode::Both, Mode::Fast, Mode::Thinking] {
            check(mode, &[Err(failure)], Err(failure));
        }
        check(Mode::Both, &[says(YES), Err(failure)], Err(failure));
    }
    let refused = Ok(Reply {
        finish: Finish::Refused,
        ..says(NO).unwrap()
    });
    check(
        Mode::Both,
        std::slice::from_ref(&refused),
        Err(Failure::Refused),
    );
    check(Mode::Both, &[says(YES), refused], Err(Failure::Refused));
    let cut = Ok(Reply {
        finish: Finish::Truncated,
        ..says(NO).unwrap()
    });
    check(
        Mode::Fast,
        std::slice::from_ref(&cut),
        Err(Failure::Unreadable),
    );
    check(Mode::Both, &[cut.clone(), cut], Err(Failure::Unreadable));
}

#[test]
fn the_tokens_of_both_passes_add_up() {
    let (mut judging, _) = Docket::default().begin().unwrap();
    judging.resume(says(YES));
    judging.resume(says(THOUGHT_NO));
    let sum = Usage {
        input: 2,
        cached: 4,
        written: 6,
        output: 8,
    };
    assert_eq!((judging.usage(), judging.model()), (sum, "m"));
}

#[test]
fn limits_and_formats_of_the_passes() {
    for (protocol, mode, format, tokens) in [
        (Protocol::Xml, Mode::Both, Format::TagsToStop, 64),
        (Protocol::Xml, Mode::Fast, Format::Tags, 256),
        (Protocol::Xml, Mode::Thinking, Format::Tags, 4096),
        (Protocol::Tool, Mode::Both, Format::Tool, 256),
        (Protocol::Tool, Mode::Thinking, Format::Tool, 4096),
    ] {
        let docket = Docket {
            settings: Settings {
                protocol,
                mode,
                ..Settings::default()
            },
            ..Docket::default()
        };
        let request = docket.request();
        assert_eq!((request.format, request.max_tokens), (format, tokens));
    }
}

#[test]
fn the_second_pass_differs_in_its_last_segment_alone() {
    let docket = session(30);
    let (mut judging, first) = docket.begin().unwrap();
    let Next::Ask(second) = judging.resume(says(YES)) else {
        panic!("a second pass");
    };
    assert_eq!(second.stage, JudgeStage::Thinking);
    let (mut a, mut b) = (first, second);
    assert_ne!(
        a.messages.last_mut().unwrap().pop(),
        b.messages.last_mut().unwrap().pop()
    );
    assert_eq!((a.system, a.messages), (b.system, b.messages));
}
