//! The tables, step by step.
//!
//! A step that has run never changes; a new one is added behind it. One text serves
//! both databases, with three words that differ.

/// Every step, oldest first.
pub const STEPS: &[&str] = &[FIRST, SECOND, THIRD];

/// A step as this database says it.
pub fn spell(step: &str, dialect: &SqlDialect) -> String {
    step.replace("{identity}", dialect.identity)
        .replace("{by day}", dialect.by_day)
        .replace("{other days}", dialect.other_days)
}

/// What differs.
pub struct SqlDialect {
    identity: &'static str,
    by_day: &'static str,
    other_days: &'static str,
}

pub const SQLITE: SqlDialect = SqlDialect {
    identity: "INTEGER PRIMARY KEY AUTOINCREMENT",
    by_day: "",
    other_days: "",
};

pub const POSTGRES: SqlDialect = SqlDialect {
    identity: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    by_day: "PARTITION BY RANGE (day)",
    other_days: "CREATE TABLE lines_other PARTITION OF lines DEFAULT;",
};

const FIRST: &str = "
CREATE TABLE organisations (
    id {identity},
    name TEXT NOT NULL UNIQUE,
    signing_key TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    created BIGINT NOT NULL
);
CREATE TABLE settings (
    organisation BIGINT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (organisation, name)
);
CREATE TABLE people (
    id {identity},
    organisation BIGINT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    UNIQUE (organisation, subject)
);
CREATE TABLE logins (
    token_hash TEXT PRIMARY KEY,
    organisation BIGINT NOT NULL,
    person BIGINT NOT NULL,
    csrf TEXT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE TABLE codes (
    hash TEXT PRIMARY KEY,
    organisation BIGINT NOT NULL,
    device_group TEXT NOT NULL,
    made_by TEXT NOT NULL,
    expires BIGINT NOT NULL,
    used_by TEXT
);
CREATE TABLE devices (
    id TEXT PRIMARY KEY,
    organisation BIGINT NOT NULL,
    name TEXT NOT NULL,
    public_key TEXT NOT NULL,
    device_group TEXT NOT NULL,
    enrolled BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    version TEXT NOT NULL DEFAULT '',
    revision BIGINT NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT '',
    revoked BIGINT NOT NULL DEFAULT 0,
    last_seq BIGINT NOT NULL DEFAULT 0,
    last_hash TEXT NOT NULL DEFAULT '',
    last_time BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX devices_of ON devices (organisation, seen);
CREATE TABLE lines (
    organisation BIGINT NOT NULL,
    day BIGINT NOT NULL,
    hash TEXT NOT NULL,
    device TEXT NOT NULL,
    seq BIGINT NOT NULL,
    time BIGINT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    brief TEXT NOT NULL,
    verdict TEXT NOT NULL,
    ground TEXT NOT NULL,
    rule TEXT NOT NULL,
    latency DOUBLE PRECISION NOT NULL,
    price BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (organisation, day, hash)
) {by day};
{other days}
CREATE INDEX lines_by_time ON lines (organisation, time);
CREATE INDEX lines_by_verdict ON lines (organisation, verdict, time);
CREATE INDEX lines_by_device ON lines (organisation, device, time);
CREATE INDEX lines_by_seq ON lines (organisation, device, seq);
CREATE INDEX lines_by_id ON lines (organisation, id);
CREATE TABLE gaps (
    organisation BIGINT NOT NULL,
    device TEXT NOT NULL,
    after_hash TEXT NOT NULL,
    next_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    missing BIGINT NOT NULL,
    after_seq BIGINT NOT NULL,
    next_seq BIGINT NOT NULL,
    noticed BIGINT NOT NULL,
    PRIMARY KEY (organisation, device, after_hash, next_hash)
);
CREATE TABLE tallies (
    organisation BIGINT NOT NULL,
    day BIGINT NOT NULL,
    shard BIGINT NOT NULL,
    agent TEXT NOT NULL,
    verdict TEXT NOT NULL,
    ground TEXT NOT NULL,
    rule TEXT NOT NULL,
    model TEXT NOT NULL,
    count BIGINT NOT NULL,
    latency DOUBLE PRECISION NOT NULL,
    price BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (organisation, day, shard, agent, verdict, ground, rule, model)
);
CREATE TABLE bundles (
    organisation BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    parent BIGINT NOT NULL,
    manifest TEXT NOT NULL,
    policy TEXT NOT NULL,
    signature TEXT NOT NULL,
    stage TEXT NOT NULL,
    note TEXT NOT NULL,
    made_by TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (organisation, revision)
);
CREATE TABLE asks (
    organisation BIGINT NOT NULL,
    id TEXT NOT NULL,
    device TEXT NOT NULL,
    print TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    brief TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    created BIGINT NOT NULL,
    deadline BIGINT NOT NULL,
    answer TEXT,
    answered_by TEXT,
    answered BIGINT,
    grant_until BIGINT,
    PRIMARY KEY (organisation, id)
);
CREATE INDEX asks_open ON asks (organisation, deadline);
CREATE TABLE acts (
    id {identity},
    organisation BIGINT NOT NULL,
    time BIGINT NOT NULL,
    person TEXT NOT NULL,
    act TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX acts_by_time ON acts (organisation, time);
CREATE TABLE alerts (
    organisation BIGINT NOT NULL,
    name TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    raised BIGINT NOT NULL,
    sent BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (organisation, name, subject)
);
";

/// Lists by rule and by agent follow an index too; what is to be exported waits in a
/// table of its own; an alert stays until its end was told.
const SECOND: &str = "
DROP INDEX lines_by_seq;
CREATE INDEX lines_by_rule ON lines (organisation, rule, time);
CREATE INDEX lines_by_agent ON lines (organisation, agent, time);
DELETE FROM settings WHERE name LIKE 'exported %';
CREATE TABLE outbox (
    id {identity},
    organisation BIGINT NOT NULL,
    device TEXT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    first_time BIGINT NOT NULL,
    last_time BIGINT NOT NULL,
    put BIGINT NOT NULL,
    claimed BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX outbox_of ON outbox (organisation, id);
ALTER TABLE alerts ADD COLUMN cleared BIGINT NOT NULL DEFAULT 0;
";

/// Where a call would run is part of the question.
const THIRD: &str = "
ALTER TABLE asks ADD COLUMN place TEXT NOT NULL DEFAULT '';
CREATE INDEX asks_of ON asks (organisation, device, deadline);
";
