//! What does not end is ended. Alone in its file: processes of all cages count as one
//! user's, so other tests must not run meanwhile.

mod support;

#[test]
fn limits_end_what_does_not_end() {
    let Some(crowd) = support::crowd(1) else {
        return;
    };
    let finished = support::undecided(
        &crowd,
        &[
            "f() { f | f & }; f 2>/dev/null; sleep 1",
            "head -c 900000000 /dev/zero > /tmp/big",
            "echo still here",
        ],
    );
    assert!(
        finished.iter().all(|one| one.fault.is_none()),
        "{finished:?}"
    );
    assert!(finished.last().unwrap().output.contains("still here"));
}
