//! The same laws for both databases.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use automode::audit::chain::{ChainLink, GENESIS};
use automode_server::ingest::{DAY, LineBatch};
use automode_server::release::{self, BundleTerms, PolicyDraft, QuarantineChange, Released};
use automode_server::sample;
use automode_server::store::{
    Ask, AskState, BundleStage, DatabaseError, DecisionFilter, DeviceFilter, FleetStore,
    Organisation, PagePlace, PersonRole, TallyColumn,
};
use automode_server::{alert, clock};
use world::Database;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_the_laws() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("s.sqlite").display().to_string();
    laws(&path).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_keeps_the_laws() {
    if let Some(database) = Database::start() {
        laws(&database.address()).await;
        // Bringing up to date twice, and by two at once, changes nothing.
        let address = database.address();
        let (one, other) = tokio::join!(FleetStore::open(&address), FleetStore::open(&address));
        assert!(one.is_ok() && other.is_ok());
    }
}

async fn laws(address: &str) {
    let store = FleetStore::open(address).await.expect("a store");
    let (ours, token) = store
        .organisation("ours", clock::now())
        .await
        .expect("made");
    let (theirs, _) = store
        .organisation("theirs", clock::now())
        .await
        .expect("made");
    let token = token.expect("told once");
    assert_eq!(store.organisation("ours", 0).await.expect("known").1, None);
    assert_eq!(
        store.organisation_of_token(&token).await.expect("found"),
        Some(ours)
    );
    assert_eq!(store.organisation_of_token("").await.expect("found"), None);
    lines_are_stored_once(&store, ours, theirs).await;
    gaps_are_rows(&store, ours).await;
    one_answer_counts(&store, ours, theirs).await;
    revisions_are_staged(&store, ours).await;
    logins_belong_to_one_organisation(&store, ours).await;
    old_days_are_forgotten(&store, ours).await;
    pages_go_on_where_they_ended(&store, theirs).await;
    what_is_told_is_claimed_once(&store, theirs).await;
    a_quarantine_outlives_revisions(&store, theirs).await;
    nobody_undoes_what_they_did_not_see(&store, theirs).await;
}

async fn pages_go_on_where_they_ended(store: &FleetStore, own: Organisation) {
    device(store, own, "p1", "everyone").await;
    device(store, own, "p2", "web").await;
    // All in one millisecond.
    let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 130, "p1");
    store
        .ingest(batch(own, "p1", GENESIS, &lines))
        .await
        .expect("taken");
    let mut filter = DecisionFilter {
        device: "p1".to_owned(),
        most: 50,
        ..DecisionFilter::default()
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut pages = 0;
    loop {
        let rows = store.decisions(own, &filter).await.expect("found");
        let Some(last) = rows.last() else { break };
        filter.before = Some(PagePlace::of(last));
        assert_eq!(
            PagePlace::read(&PagePlace::of(last).to_string()),
            filter.before
        );
        pages += 1;
        seen.extend(rows.iter().map(|row| row.hash.clone()));
    }
    assert_eq!((pages, seen.len()), (3, 130));
    // Words that narrow together, those that never met included.
    let meet = async |verdict: &str, agent: &str, rule: &str| {
        let filter = DecisionFilter {
            verdict: verdict.to_owned(),
            agent: agent.to_owned(),
            rule: rule.to_owned(),
            most: 200,
            ..DecisionFilter::default()
        };
        store.decisions(own, &filter).await.expect("found").len()
    };
    assert_eq!(meet("deny", "", "home-loss").await, 16);
    assert_eq!(meet("ask", "", "home-loss").await, 0);
    assert_eq!(meet("deny", "nobody", "home-loss").await, 0);
    assert!(meet("deny", "codex", "home-loss").await > 0);
    let find = async |words: &str, before: &str| {
        let filter = DeviceFilter {
            words: words.to_owned(),
            before: before.to_owned(),
            most: 10,
        };
        let found = store.find_devices(own, &filter).await.expect("found");
        found
            .into_iter()
            .map(|device| device.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(find("", "").await, ["p1", "p2"]);
    assert_eq!(find("", "p1").await, ["p2"]);
    assert_eq!(find("P2", "").await, ["p2"]);
    assert_eq!(find("web", "").await, ["p2"]);
    assert_eq!(find("%", "").await, Vec::<String>::new());
    assert_eq!(
        store
            .count_devices(own, u64::MAX >> 1)
            .await
            .expect("counted"),
        (2, 2)
    );
    assert_eq!(store.count_devices(own, 0).await.expect("counted"), (2, 0));
    let names = store
        .device_names(own, &["p1", "a"].into())
        .await
        .expect("named");
    assert_eq!(
        names.len(),
        1,
        "another organisation's device has no name here"
    );
}

async fn what_is_told_is_claimed_once(store: &FleetStore, own: Organisation) {
    let now = clock::now();
    assert!(store.claim_minute(own, 7).await.expect("asked"));
    assert!(!store.claim_minute(own, 7).await.expect("asked"));
    assert!(store.claim_minute(own, 8).await.expect("asked"));
    // Nothing waits where nobody exports.
    assert_eq!(store.claim_parcel(own, now).await.expect("asked"), None);
    store.begin_export(own, now).await.expect("begun");
    let last = store
        .device("p1")
        .await
        .expect("found")
        .expect("there")
        .last;
    let (lines, _) = sample::lines(&last, 131, 6, "p1");
    store
        .ingest(batch(own, "p1", &last.hash, &lines))
        .await
        .expect("taken");
    let parcel = store
        .claim_parcel(own, now)
        .await
        .expect("asked")
        .expect("one");
    assert_eq!(parcel.rows.len(), 6);
    assert_eq!(store.claim_parcel(own, now).await.expect("asked"), None);
    // Who claimed it and died gives way.
    let later = store.claim_parcel(own, now + 120_000).await.expect("asked");
    assert_eq!(later.as_ref(), Some(&parcel));
    store.settle_parcel(own, &parcel).await.expect("settled");
    assert_eq!(
        store.claim_parcel(own, now + 900_000).await.expect("asked"),
        None
    );
    let limits = alert::Thresholds {
        denials: 1,
        silence: 0,
        ..Default::default()
    };
    let holding = alert::look(store, own, limits).await.expect("looked");
    assert!(!holding.is_empty());
    for _ in 0..2 {
        alert::update(store, own, &holding).await.expect("kept");
    }
    let claimed = store.claim_alerts(own, now).await.expect("asked");
    assert_eq!(claimed.len(), holding.len());
    assert!(
        store
            .claim_alerts(own, now)
            .await
            .expect("asked")
            .is_empty()
    );
    assert_eq!(
        store
            .claim_alerts(own, now + 120_000)
            .await
            .expect("asked")
            .len(),
        claimed.len()
    );
    for one in &claimed {
        store.settle_alert(own, one, true).await.expect("settled");
    }
    assert!(
        store
            .claim_alerts(own, now + 900_000)
            .await
            .expect("asked")
            .is_empty()
    );
    assert!(!store.alerts(own).await.expect("shown").is_empty());
    alert::update(store, own, &[]).await.expect("kept");
    let over = store.claim_alerts(own, now).await.expect("asked");
    assert!(over.len() == claimed.len() && over.iter().all(|one| one.is_over));
    for one in &over {
        store.settle_alert(own, one, true).await.expect("settled");
    }
    assert!(store.alerts(own).await.expect("shown").is_empty());
}

async fn a_quarantine_outlives_revisions(store: &FleetStore, own: Organisation) {
    let draft = |quarantine: QuarantineChange| PolicyDraft {
        policy: String::new(),
        note: String::new(),
        stage: BundleStage::Everyone,
        terms: BundleTerms::default(),
        quarantine,
        base: None,
        by: "test".to_owned(),
    };
    let release = async |quarantine: QuarantineChange| {
        let released = release::release(store, own, draft(quarantine)).await;
        assert!(matches!(released.expect("released"), Released::As { .. }));
    };
    let names = |devices: &[&str]| devices.iter().map(|name| (*name).to_owned()).collect();
    let quarantined = async || release::quarantined(store, own).await.expect("read");
    release(QuarantineChange::None).await;
    release(QuarantineChange::Also(names(&["p1"]))).await;
    release(QuarantineChange::None).await;
    assert_eq!(quarantined().await, ["p1"]);
    let back = release::roll_back(store, own, 1, "test").await;
    assert!(back.expect("asked").is_some());
    assert_eq!(quarantined().await, ["p1"]);
    // Naming a second one does not let the first one go.
    release(QuarantineChange::Also(names(&["p0"]))).await;
    assert_eq!(quarantined().await, ["p0", "p1"]);
    release(QuarantineChange::Exactly(Vec::new())).await;
    assert!(quarantined().await.is_empty());
}

/// What was written upon a revision goes out right behind that one: anything else would
/// undo what somebody released meanwhile.
async fn nobody_undoes_what_they_did_not_see(store: &FleetStore, own: Organisation) {
    let latest = async || {
        let bundles = store.bundles(own, 1).await.expect("read");
        bundles
            .first()
            .map(|bundle| (bundle.revision, bundle.policy.clone()))
            .expect("one")
    };
    let release = async |policy: &str, base: u64| {
        let draft = PolicyDraft {
            policy: policy.to_owned(),
            note: String::new(),
            stage: BundleStage::Everyone,
            terms: BundleTerms::default(),
            quarantine: QuarantineChange::None,
            base: Some(base),
            by: "test".to_owned(),
        };
        release::release(store, own, draft).await.expect("asked")
    };
    let (seen, _) = latest().await;
    let deny = "[permissions]\ndeny = [\"Bash(terraform destroy *)\"]\n";
    assert!(matches!(release(deny, seen).await, Released::As { .. }));
    let late = release("[permissions]\nallow = [\"Bash(ls)\"]\n", seen).await;
    assert!(
        matches!(late, Released::Overtaken(by) if by == seen + 1),
        "{late:?}"
    );
    assert_eq!(latest().await, (seen + 1, deny.to_owned()));
}

async fn device(store: &FleetStore, own: Organisation, id: &str, group: &str) {
    store
        .enrol(own, id, id, "key", group, clock::now())
        .await
        .expect("enrolled");
}

fn batch(own: Organisation, device: &str, after: &str, lines: &[String]) -> LineBatch {
    LineBatch {
        organisation: own,
        device: device.to_owned(),
        after: after.to_owned(),
        lines: lines.to_vec(),
        now: clock::now(),
    }
}

async fn lines_are_stored_once(store: &FleetStore, ours: Organisation, theirs: Organisation) {
    device(store, ours, "a", "everyone").await;
    let (lines, last) = sample::lines(&ChainLink::genesis(), 1, 60, "a");
    let first = batch(ours, "a", GENESIS, &lines[..40]);
    let receipt = store.ingest(first.clone()).await.expect("taken");
    assert_eq!((receipt.accepted, receipt.gaps, receipt.seq), (40, 0, 40));
    // The same again: told where the store stands, and nothing is written.
    let Err(DatabaseError::Elsewhere(link)) = store.ingest(first).await else {
        panic!("taken twice");
    };
    assert_eq!(link.seq, 40);
    // Two at once: one is taken.
    let second = batch(ours, "a", &link.hash, &lines[40..]);
    let (one, other) = tokio::join!(store.ingest(second.clone()), store.ingest(second));
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    assert_eq!(store.count_lines(ours).await.expect("counted"), 60);
    assert_eq!(store.count_lines(theirs).await.expect("counted"), 0);
    let tally = store
        .tally(ours, TallyColumn::Agent, 0)
        .await
        .expect("summed");
    assert_eq!(tally.iter().map(|row| row.count).sum::<i64>(), 60);
    assert_eq!(
        store.device("a").await.expect("found").expect("there").last,
        last
    );
    // Another organisation's device is not theirs to write for.
    assert!(
        store
            .ingest(batch(theirs, "a", &last.hash, &[]))
            .await
            .is_err()
    );
    let filter = DecisionFilter {
        verdict: "deny".to_owned(),
        words: "CURL".to_owned(),
        most: 50,
        ..DecisionFilter::default()
    };
    let found = store.decisions(ours, &filter).await.expect("found");
    assert!(!found.is_empty() && found.iter().all(|row| row.brief.starts_with("curl")));
    assert!(
        store
            .decisions(theirs, &filter)
            .await
            .expect("found")
            .is_empty()
    );
    let id = &found[0].id;
    assert!(store.line(ours, id, "").await.expect("found").is_some());
    assert!(store.line(theirs, id, "").await.expect("found").is_none());
    let odd = DecisionFilter {
        words: "%_!".to_owned(),
        ..filter
    };
    assert!(store.decisions(ours, &odd).await.expect("found").is_empty());
}

async fn gaps_are_rows(store: &FleetStore, ours: Organisation) {
    device(store, ours, "g", "everyone").await;
    let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 10, "g");
    let receipt = store
        .ingest(batch(ours, "g", GENESIS, &lines[..3]))
        .await
        .expect("taken");
    let receipt = store
        .ingest(batch(ours, "g", &receipt.hash, &lines[6..]))
        .await
        .expect("taken");
    assert_eq!((receipt.accepted, receipt.gaps), (4, 1));
    let gaps = store.gaps(ours, 10).await.expect("listed");
    let gap = gaps.iter().find(|gap| gap.device == "g").expect("a gap");
    assert_eq!(
        (gap.kind.as_str(), gap.missing, gap.after_seq, gap.next_seq),
        ("lost", 3, 3, 7)
    );
    // A log with a letter that no database holds is taken all the same.
    let body = sample::entry(1).replace("session-0", "se\\u0000ssion");
    let (line, _) = automode::audit::chain::seal(
        &body,
        &ChainLink {
            seq: receipt.seq,
            hash: receipt.hash.clone(),
        },
        0,
    );
    let receipt = store
        .ingest(batch(ours, "g", &receipt.hash, &[line]))
        .await
        .expect("taken");
    assert_eq!(receipt.accepted, 1);
    // So is one with texts that are too long for an index, and one from the far future.
    let long: String = (0..800)
        .map(|at| automode_core::digest(at.to_string()))
        .collect();
    let mut entry: serde_json::Value = serde_json::from_str(&sample::entry(1)).expect("JSON");
    for field in ["id", "agent", "session", "tool", "ground", "rule"] {
        entry[field] = long.as_str().into();
    }
    entry["time"] = (clock::now() * 2).into();
    let last = ChainLink {
        seq: receipt.seq,
        hash: receipt.hash.clone(),
    };
    let (line, _) = automode::audit::chain::seal(&entry.to_string(), &last, 0);
    let receipt = store
        .ingest(batch(ours, "g", &receipt.hash, &[line]))
        .await
        .expect("taken");
    assert_eq!(receipt.accepted, 1);
    let filter = DecisionFilter {
        device: "g".to_owned(),
        most: 1,
        ..DecisionFilter::default()
    };
    let found = store.decisions(ours, &filter).await.expect("found");
    assert!(found[0].time <= clock::now() && found[0].rule.len() < 200);
}

fn ask(id: &str, deadline: u64) -> Ask {
    let text = |text: &str| text.to_owned();
    Ask {
        id: text(id),
        device: text("a"),
        print: text("p"),
        agent: text("codex"),
        session: text("s"),
        tool: text("Bash"),
        brief: text("git push"),
        place: text("/home/dev/app"),
        rule: text("push"),
        reason: text("why"),
        created: clock::now(),
        deadline,
        state: AskState::Open,
    }
}

async fn one_answer_counts(store: &FleetStore, ours: Organisation, theirs: Organisation) {
    let now = clock::now();
    store
        .put_ask(ours, &ask("q1", now + 60_000))
        .await
        .expect("put");
    let answers = (0..8).map(|at| {
        let (store, by) = (store.clone(), format!("person {at}"));
        let word = if at % 2 == 0 { "allow" } else { "deny" };
        tokio::spawn(async move {
            store
                .answer_ask(ours, "q1", word, &by, (clock::now(), 0))
                .await
                .expect("answered")
        })
    });
    let mut counted = 0;
    for answer in answers.collect::<Vec<_>>() {
        counted += u32::from(answer.await.expect("done"));
    }
    assert_eq!(counted, 1);
    store.put_ask(ours, &ask("q2", now - 1)).await.expect("put");
    assert!(
        !store
            .answer_ask(ours, "q2", "allow", "late", (now, 0))
            .await
            .expect("asked")
    );
    store
        .put_ask(ours, &ask("q3", now + 60_000))
        .await
        .expect("put");
    assert!(
        !store
            .answer_ask(theirs, "q3", "allow", "stranger", (now, 0))
            .await
            .expect("asked")
    );
}

async fn revisions_are_staged(store: &FleetStore, ours: Organisation) {
    device(store, ours, "canary-device", "canary").await;
    device(store, ours, "other-device", "web").await;
    let draft = |policy: &str, stage| PolicyDraft {
        policy: policy.to_owned(),
        note: String::new(),
        stage,
        terms: BundleTerms::default(),
        quarantine: QuarantineChange::None,
        base: None,
        by: "test".to_owned(),
    };
    let revision = async |device: &str, above| {
        let device = store.device(device).await.expect("found").expect("there");
        let bundle = store.bundle_for(&device, above).await.expect("asked");
        bundle.map(|bundle| bundle.revision)
    };
    let first = "[permissions]\ndeny = [\"Bash(a)\"]\n";
    let out = release::release(store, ours, draft(first, BundleStage::Canary))
        .await
        .expect("done");
    assert!(matches!(out, Released::As { revision: 1, .. }), "{out:?}");
    assert_eq!(
        (
            revision("canary-device", 0).await,
            revision("other-device", 0).await
        ),
        (Some(1), None)
    );
    assert!(store.promote(ours, 1).await.expect("done"));
    assert_eq!(
        (
            revision("other-device", 0).await,
            revision("other-device", 1).await
        ),
        (Some(1), None)
    );
    let broken = release::release(
        store,
        ours,
        draft("[permissions]\ndeni = []\n", BundleStage::Everyone),
    )
    .await;
    assert!(matches!(broken.expect("done"), Released::Refused(_)));
    release::release(store, ours, draft("", BundleStage::Canary))
        .await
        .expect("done");
    let back = release::roll_back(store, ours, 1, "test")
        .await
        .expect("done");
    assert_eq!(back, Some(3));
    let bundles = store.bundles(ours, 10).await.expect("listed");
    assert_eq!((bundles[0].policy.as_str(), bundles[0].parent), (first, 2));
    assert_eq!(
        release::roll_back(store, ours, 99, "test")
            .await
            .expect("done"),
        None
    );
    let acts = store.acts(ours, 10).await.expect("listed");
    assert!(acts.iter().any(|act| act.act == "rolled back"));
}

async fn logins_belong_to_one_organisation(store: &FleetStore, ours: Organisation) {
    let now = clock::now();
    let person = store
        .person(ours, "x", "X", PersonRole::Viewer, now)
        .await
        .expect("made");
    let cookie = store.sign_in(ours, &person, now).await.expect("signed in");
    let login = store
        .login(&cookie, now)
        .await
        .expect("asked")
        .expect("known");
    assert_eq!(
        (login.organisation, login.person.role),
        (ours, PersonRole::Viewer)
    );
    assert!(
        store
            .login(&cookie, now + 24 * 3_600_000)
            .await
            .expect("asked")
            .is_none()
    );
    assert!(store.login("", now).await.expect("asked").is_none());
    assert!(
        store
            .give_role(ours, person.id, PersonRole::Approver)
            .await
            .expect("given")
    );
    // What the provider says later does not take a role away that was given here.
    let again = store
        .person(ours, "x", "X", PersonRole::Viewer, now)
        .await
        .expect("known");
    assert_eq!(again.role, PersonRole::Approver);
    store.sign_out(&cookie).await.expect("out");
    assert!(store.login(&cookie, now).await.expect("asked").is_none());
}

async fn old_days_are_forgotten(store: &FleetStore, ours: Organisation) {
    device(store, ours, "old", "everyone").await;
    let before = store.count_lines(ours).await.expect("counted");
    let now = clock::now();
    let mut link = ChainLink::genesis();
    let lines: Vec<String> = [now - 400 * DAY, now - 100 * DAY, now - DAY, now + 30 * DAY]
        .iter()
        .enumerate()
        .map(|(at, time)| {
            let body = sample::entry_at(at as u64, *time, &format!("old-{at}"));
            let (line, next) = automode::audit::chain::seal(&body, &link, 0);
            link = next;
            line
        })
        .collect();
    let receipt = store
        .ingest(batch(ours, "old", GENESIS, &lines))
        .await
        .expect("taken");
    assert_eq!(receipt.accepted, 4);
    store
        .forget_before(clock::day(now) - 90)
        .await
        .expect("forgotten");
    assert_eq!(store.count_lines(ours).await.expect("counted"), before + 2);
}
