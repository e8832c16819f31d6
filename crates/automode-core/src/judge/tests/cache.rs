//! Consecutive requests share their beginning, and marks stand where providers look.

use super::{Cache, Docket, Entry, MAX_MARKS, call, session};

#[test]
fn consecutive_requests_share_their_beginning() {
    let all = session(60).entries;
    let mut before = String::new();
    let (mut least, mut sum, mut count) = (1.0_f64, 0.0, 0.0);
    for (index, entry) in all.iter().enumerate() {
        let Entry::Call { brief, .. } = entry else {
            continue;
        };
        let docket = Docket {
            entries: all[..index].to_vec(),
            pending: brief.clone(),
            ..session(0)
        };
        let text = docket.request().text();
        if !before.is_empty() {
            let shared = text
                .bytes()
                .zip(before.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            let part = shared as f64 / text.len() as f64;
            (least, sum, count) = (least.min(part), sum + part, count + 1.0);
        }
        before = text;
    }
    println!(
        "shared prefix over {count} requests: mean {:.2}%, least {:.2}%",
        100.0 * sum / count,
        100.0 * least
    );
    assert!(least >= 0.95, "{least}");
}

#[test]
fn shedding_keeps_the_prefix_for_many_calls() {
    let mut docket = session(0);
    docket.settings.transcript.budget = 6_000;
    let (mut moves, mut before) = (0, String::new());
    for index in 0..300 {
        let transcript = docket.request().messages[1][..]
            .iter()
            .take_while(|segment| !segment.text.starts_with("</transcript>"))
            .map(|segment| segment.text.as_str())
            .collect::<String>();
        let body = transcript
            .rsplit_once("{\"Bash\":\"git push")
            .unwrap()
            .0
            .to_owned();
        moves += usize::from(!body.starts_with(&before));
        before = body;
        docket
            .entries
            .push(call(&format!("command {index} with some words after it")));
    }
    assert!((1..=16).contains(&moves), "{moves} moves");
}

#[test]
fn marks_stand_where_they_should_and_are_few() {
    for calls in [0, 1, 15, 16, 17, 40, 400] {
        let request = session(calls).request();
        let marked: Vec<_> = request
            .segments()
            .filter(|segment| segment.cache == Cache::Mark)
            .map(|segment| segment.text.as_str())
            .collect();
        assert!(marked.len() <= MAX_MARKS, "{calls}");
        assert!(marked[0].starts_with("# Role"));
        assert!(marked[1].contains("<instructions>"));
        assert_eq!(
            marked.last(),
            Some(&"{\"Bash\":\"git push origin feature\"}\n")
        );
        // No stretch of twenty blocks without a mark a provider could find its way back from.
        let turn = request.messages.last().unwrap();
        let places: Vec<_> = (0..turn.len())
            .filter(|at| turn[*at].cache == Cache::Mark)
            .collect();
        if let [anchor, pending] = places[..] {
            assert!(pending - anchor <= 20, "{calls}: {anchor} {pending}");
        }
    }
}
