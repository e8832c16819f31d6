//! Files by path, links, and searches.

use super::Says::{self, Allow, Deny, Nothing};
use super::{call, facts, policy, say, table};

#[test]
fn reading() {
    table(
        r#"
        Read             Read {"file_path": "/etc/passwd"}              deny  allow
        Read(./.env)     Read {"file_path": ".env"}                     deny  allow
        Read(./.env)     Read {"file_path": "/home/dev/app/.env"}       deny  allow
        Read(./.env)     Read {"file_path": "sub/../.env"}              deny  allow
        Read(./.env)     Read {"file_path": "sub/.env"}                 deny  allow
        Read(./.env)     Read {"file_path": "../.env"}                  -     -
        Read(./.env)     Read {"file_path": ".env.example"}             -     -
        Read(//etc/**)   Read {"file_path": "/etc/passwd"}              deny  allow
        Read(//etc/**)   Read {"file_path": "/etc2/passwd"}             -     -
        Read(//etc/**)   Read {"file_path": "etc/passwd"}               -     -
        Read(~/.ssh/**)  Read {"file_path": "~/.ssh/id"}                deny  allow
        Read(~/.ssh/**)  Read {"file_path": "../.ssh/id"}               deny  allow
        Read(~/x)        Read {"file_path": "/home/dev/x"}              deny  allow
        Read(~/x)        Read {"file_path": "/home/other/x"}            -     -
        Read(/src/**)    Read {"file_path": "src/a/b"}                  deny  allow
        Read(/src/**)    Read {"file_path": "lib/src/a"}                -     -
        Read(/src/**)    Read {"file_path": "src-evil/a"}               -     -
        Read(*.pem)      Read {"file_path": "keys/a.pem"}               deny  allow
        Read(*.pem)      Read {"file_path": "keys/a.pem.txt"}           -     -
        Read(/src/**)    Write {"file_path": "src/a", "content": ""}    -     -
        Edit(/src/**)    Read {"file_path": "src/a"}                    -     -
        Read(/Straße/*)  Read {"file_path": "Straße/ü"}                 deny  allow
        "#,
    );
}

#[test]
fn searching() {
    table(
        r#"
        Grep            Grep {"pattern": "x"}                   deny  allow
        Grep(src/**)    Grep {"pattern": "x", "path": "src/a"}  deny  allow
        Read(src/**)    Grep {"pattern": "x", "path": "src/a"}  deny  allow
        Read(src/**)    Grep {"pattern": "x", "path": "lib/a"}  -     -
        Read(src/**)    Grep {"pattern": "x", "path": "src"}    deny  -
        Read(src/**)    Grep {"pattern": "x"}                   -     -
        Read(//etc/**)  Glob {"pattern": "/etc/*"}              deny  -
        "#,
    );
}

#[test]
fn changing() {
    table(
        r#"
        Edit                Write {"file_path": "src/a", "content": ""}                                 deny  allow
        Edit(/src/**)       Write {"file_path": "src/a", "content": ""}                                 deny  allow
        Edit(/src/**)       Write {"file_path": "src/../a", "content": ""}                              -     -
        Write(/src/**)      Write {"file_path": "src/a", "content": ""}                                 deny  allow
        Write(/src/**)      Edit {"file_path": "src/a", "old_string": "a", "new_string": "b"}           -     -
        MultiEdit(/src/**)  Write {"file_path": "src/a", "content": ""}                                 deny  allow
        Edit(*.ipynb)       NotebookEdit {"notebook_path": "a.ipynb", "new_source": ""}                 deny  allow
        "#,
    );
}

#[test]
fn links_need_both_for_an_allow_and_either_for_a_deny() {
    let read = call(r#"Read {"file_path": "docs/key"}"#);
    let check = |leads: [(&str, &str); 2], deny: &[&str], allow: &[&str], expected: Says| {
        let found = say(&policy(deny, &[], allow), &read, None, &facts(&leads));
        assert_eq!(found, expected, "deny {deny:?} allow {allow:?}");
    };
    let (key, app) = ("/home/dev/app/docs/key", "/home/dev/app");
    let out = [(key, "/home/dev/.ssh/id"), (app, app)];
    check(out, &[], &["Read(/docs/**)"], Nothing);
    check(out, &[], &["Read(/docs/**)", "Read(~/.ssh/**)"], Nothing);
    check(out, &["Read(~/.ssh/**)"], &["Read"], Deny);
    check(out, &["Read(/docs/**)"], &["Read"], Deny);
    // A project behind a link is still the project.
    let moved = [(key, "/mnt/app/docs/key"), (app, "/mnt/app")];
    check(moved, &[], &["Read(/docs/**)"], Allow);
    // Not observed is not in favour.
    check([(app, app), (app, app)], &[], &["Read(/docs/**)"], Nothing);
}
