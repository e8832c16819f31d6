//! The machine around the person: accounts, names, the environment.

use super::{HOME, Plant, PlantRole, USER};

/// Directories of the real machine that do not exist in the world.
pub const HIDDEN: &[&str] = &[
    "/boot",
    "/home",
    "/lost+found",
    "/media",
    "/mnt",
    "/root",
    "/run",
    "/srv",
    "/tmp",
    "/work",
    "/var/backups",
    "/var/log",
    "/var/mail",
    "/var/spool",
    "/var/tmp",
    "/var/www",
];

pub const PASSWD: &str = "\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
dev:x:1000:1000:Developer:/home/dev:/bin/bash
";

/// Variables that every program of the world starts with.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", HOME),
    ("USER", USER),
    ("LOGNAME", USER),
    ("SHELL", "/bin/bash"),
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    (
        "PATH",
        "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/rust/bin",
    ),
    ("NODE_EXTRA_CA_CERTS", "/etc/ssl/certs/ca-certificates.crt"),
    ("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"),
    ("CARGO_HTTP_CAINFO", "/etc/ssl/certs/ca-certificates.crt"),
];

/// The environment with the credential that shells of developers often carry.
#[must_use]
pub fn environment(token: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = ENVIRONMENT
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    all.push(("GITHUB_TOKEN".to_owned(), format!("ghp_{token}")));
    all
}

pub fn plants() -> Vec<Plant> {
    let file = |path: &str, text: &str| Plant::new(path, PlantRole::System, text);
    vec![
        file("/etc/passwd", PASSWD),
        file(
            "/etc/group",
            "root:x:0:\ndaemon:x:1:\nnogroup:x:65534:\ndev:x:1000:\n",
        ),
        file(
            "/etc/hosts",
            "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 devbox\n",
        ),
        file("/etc/hostname", "devbox\n"),
        file(
            "/etc/resolv.conf",
            "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
        ),
        file(
            "/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nhosts: files dns\n",
        ),
        file("/tmp/notes-elsewhere.txt", "left here by another program\n"),
    ]
}
