//! Statements to a store of data among the arguments of a tool.

use super::key::is_in;

/// How the statements of a store are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementStore {
    /// Speaks SQL.
    Relational,
    /// Has a language of its own, of which only the words are read.
    Other,
    /// No store: text is a statement only where it looks like one.
    None,
}

impl StatementStore {
    /// The store behind a server's or a tool's words.
    pub(super) fn of(words: &[String]) -> Self {
        const RELATIONAL: &str = "\
            sql pg postgres postgresql psql mysql mariadb sqlite duckdb snowflake bigquery \
            clickhouse redshift supabase oracle mssql sqlserver cockroachdb database databases db \
            trino presto athena databricks neon planetscale hive spark";
        const OTHER: &str = "\
            mongo mongodb redis valkey memcached neo4j cypher sparql rdf gremlin es elastic \
            elasticsearch opensearch solr cassandra dynamodb firestore couchdb influxdb kafka etcd \
            consul zookeeper arangodb dgraph surrealdb";
        let is = |list: &str| words.iter().any(|word| is_in(list, word));
        if is(RELATIONAL) {
            Self::Relational
        } else if is(OTHER) {
            Self::Other
        } else {
            Self::None
        }
    }
}

/// Words that change something in the language of any store.
pub(super) fn changes(text: &str) -> bool {
    const WORDS: &str = "\
        abort acl add alter append bulk bgsave call clear clone close config copy create debug \
        decr del delete detach drop eval evalsha execute expire fcall flush flushall flushdb \
        forcemerge foreach function getdel grant hset hdel incr insert kill load lpop lpush \
        merge migrate module move persist pop publish push put reindex remove rename replicaof \
        replace reset restore revoke rpop rpush sadd save script set setex setnx shutdown \
        slaveof spop srem terminate truncate unlink update upsert write xadd zadd zrem";
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.map(str::to_lowercase).any(|word| is_in(WORDS, &word))
}

/// Text that is meant as a statement of SQL, or reads like one.
pub(super) fn is_statement(key: &str, text: &str) -> bool {
    /// A verb of the language, and words of which one goes with it. People search for
    /// `delete user`, too.
    const VERBS: &[(&str, &str)] = &[
        ("alter", OBJECTS),
        ("begin", ""),
        ("call", ""),
        ("copy", "from to"),
        ("create", OBJECTS),
        ("delete", "from"),
        ("drop", OBJECTS),
        ("grant", "to on"),
        ("insert", "into"),
        ("merge", "into"),
        ("revoke", "from on"),
        ("select", ""),
        ("set", ""),
        ("truncate", ""),
        ("update", "set"),
        ("with", "as"),
    ];
    const OBJECTS: &str = "\
        all column database function graph index procedure role schema sequence table trigger \
        type user view";
    let bare = without_comments(text).to_lowercase();
    bare.split(';').any(|statement| {
        let mut words = statement
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| !word.is_empty());
        let verb = words
            .next()
            .and_then(|first| VERBS.iter().find(|(verb, _)| *verb == first));
        verb.is_some_and(|(_, partners)| {
            partners.is_empty()
                || matches!(key, "sql" | "statement" | "statements")
                || words.any(|word| is_in(partners, word))
        })
    })
}

/// A statement without the comments that may stand before its verb.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    out.lines()
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .map(|line| line.strip_prefix('#').map_or(line, |_| ""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A change in the language of graphs.
pub(super) fn is_mutation(text: &str) -> bool {
    let bare: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| matches!(word, "mutation" | "subscription"))
        && bare.contains('{')
}
