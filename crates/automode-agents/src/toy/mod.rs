//! A client that does not exist, added by the recipe: this folder and a row.
//!
//! Everything that automode can do with a client is tried with it here; if adding one
//! ever needs another file, this does not compile or does not pass.

mod hook;
mod record;

use automode_core::Verdict;
use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{self, HookEvent, HookFile, Installation, Place, Request, Scope};
use crate::transcript::{Item, Reader};
use crate::{Agent, Answer, CLIENTS, Enforcement, EventKind, Ruling};

static CLIENT: Client = Client {
    name: "toy",
    title: "Toy",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    program: Some(ClientProgram::tried("toy", "1.0.0")),
    installation: Installation::Hooks(HookFile {
        advice: &["it is a toy"],
        ..HookFile::plain(
            |place, scope| format!("{}/.toy/hooks.json", place.base(scope)),
            &[HookEvent::Gate("before")],
            |hook| json!({"run": hook.command, "command": hook.command, "timeout": hook.timeout}),
        )
    }),
    record: Some(&record::FORMAT),
    marks: ProcessMarks {
        variables: &["TOY"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".toy"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"on": trial.event, "id": trial.session, "cwd": "/", "tool": "sh", "with": {"command": trial.command}}),
    ..Client::CAUTIOUS
};

const TOY: Agent = Agent::of(&CLIENT);

#[test]
fn a_client_is_a_folder_and_a_row() {
    let trial = crate::HookTrial {
        event: "before",
        session: "s1",
        command: "ls",
    };
    let event = TOY
        .parse((CLIENT.trial)(&trial).to_string().as_bytes())
        .unwrap();
    assert_eq!(event.session, "s1");
    let EventKind::BeforeTool { call, .. } = &event.kind else {
        panic!("{event:?}");
    };
    assert_eq!(call.input["command"], "ls");
    let no = Answer::Ruling(Ruling::failure("a trial"));
    let reply = TOY.render(event.kind.phase(), &no, TOY.assumed_presence());
    assert!(reply.stdout.contains(Verdict::Deny.name()), "{reply:?}");
}

#[test]
fn a_client_is_installed_found_and_removed() {
    let place = Place {
        home: "/home/dev".to_owned(),
        project: "/home/dev/app".to_owned(),
        directories: Vec::new(),
    };
    let request = Request {
        agent: TOY,
        scope: Scope::User,
        program: "/usr/bin/automode",
        enforcement: Enforcement::Enforce,
        place: &place,
    };
    let plan = install::plan(&request).unwrap();
    assert_eq!(plan.path, "/home/dev/.toy/hooks.json");
    let text = plan.change.apply(None).unwrap();
    let found = install::registered(TOY, &text).unwrap();
    assert!(matches!(found.as_slice(), [hook] if hook.ours && hook.event == "before"));
    assert_eq!(
        install::remove(TOY, &text).unwrap().as_deref(),
        Some("{}\n")
    );
}

#[test]
fn a_clients_record_is_read() {
    let mut reader = Reader::new(TOY, "/").unwrap();
    assert_eq!(
        reader.read(br#"{"toy": "go on"}"#),
        [Item::User("go on".to_owned())]
    );
}

#[test]
fn every_row_has_a_name_of_its_own_and_claims_its_own_lines() {
    for (at, client) in CLIENTS.iter().enumerate() {
        assert_eq!(
            CLIENTS.iter().position(|other| other.name == client.name),
            Some(at)
        );
        assert_eq!(Agent::named(client.name).unwrap().name(), client.name);
    }
    assert!(Agent::named("toy").is_none());
}
