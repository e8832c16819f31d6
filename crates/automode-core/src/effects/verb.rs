//! What a tool's name says it does.
//!
//! The tools of a server are known by name and arguments only. The first word
//! that is a verb decides; where two disagree the stronger counts, and a name
//! without a verb says nothing.

use automode_shell::CloudVerb;

/// The kind of a tool's verb, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    Read,
    /// Creates or changes something there.
    Change,
    /// Runs something there.
    Run,
    /// Reaches other people.
    Send,
    /// Changes who may do what.
    Grant,
    Delete,
    /// Moves money or makes a binding promise.
    Pay,
}

const VERBS: &[(Verb, &[&str])] = &[
    (
        Verb::Read,
        &[
            "get",
            "list",
            "search",
            "read",
            "find",
            "fetch",
            "query",
            "show",
            "view",
            "describe",
            "lookup",
            "check",
            "count",
            "browse",
            "look",
            "retrieve",
            "resolve",
            "ls",
            "stat",
            "status",
            "history",
            "info",
            "inspect",
            "explain",
            "summarize",
            "analyze",
            "calculate",
            "compute",
            "validate",
            "verify",
            "compare",
            "preview",
            "snapshot",
            "screenshot",
            "diff",
            "log",
            "logs",
            "help",
            "ping",
            "version",
        ],
    ),
    (
        Verb::Change,
        &[
            "create",
            "update",
            "set",
            "add",
            "edit",
            "write",
            "put",
            "patch",
            "insert",
            "upsert",
            "move",
            "rename",
            "modify",
            "change",
            "append",
            "upload",
            "save",
            "store",
            "import",
            "replace",
            "append",
            "mark",
            "assign",
            "label",
            "merge",
            "approve",
            "reject",
            "accept",
            "decline",
            "confirm",
            "dismiss",
            "activate",
            "deactivate",
            "restart",
            "unfollow",
            "unstar",
            "forget",
            "rotate",
            "retry",
            "push",
            "commit",
            "fork",
            "close",
            "reopen",
            "lock",
            "unlock",
            "archive",
            "restore",
            "schedule",
            "reschedule",
            "register",
            "configure",
            "enable",
            "disable",
            "start",
            "stop",
            "pause",
            "resume",
            "install",
            "click",
            "type",
            "fill",
            "press",
            "navigate",
            "adjust",
            "manage",
            "control",
        ],
    ),
    (
        Verb::Run,
        &[
            "run", "exec", "execute", "eval", "evaluate", "invoke", "trigger", "deploy", "launch",
            "spawn", "call", "terminal", "shell", "command", "rerun", "dispatch",
        ],
    ),
    (
        Verb::Send,
        &[
            "send",
            "post",
            "reply",
            "comment",
            "message",
            "email",
            "mail",
            "notify",
            "publish",
            "tweet",
            "share",
            "forward",
            "broadcast",
            "submit",
            "respond",
            "announce",
            "dial",
        ],
    ),
    (
        Verb::Grant,
        &[
            "grant",
            "revoke",
            "invite",
            "authorize",
            "permit",
            "allow",
            "promote",
            "access",
            "impersonate",
            "transferownership",
        ],
    ),
    (
        Verb::Delete,
        &[
            "delete",
            "remove",
            "drop",
            "destroy",
            "purge",
            "truncate",
            "wipe",
            "erase",
            "clear",
            "cancel",
            "terminate",
            "kill",
            "reset",
            "uninstall",
            "unpublish",
            "revert",
            "nuke",
            "zap",
            "obliterate",
            "expunge",
            "evict",
            "expire",
            "flush",
            "prune",
            "shred",
            "overwrite",
            "unlink",
            "unregister",
            "deregister",
            "deprovision",
            "decommission",
            "teardown",
        ],
    ),
    (
        Verb::Pay,
        &[
            "pay",
            "payment",
            "transfer",
            "purchase",
            "buy",
            "order",
            "checkout",
            "charge",
            "refund",
            "withdraw",
            "deposit",
            "reserve",
            "book",
            "subscribe",
            "donate",
            "bid",
            "trade",
            "sell",
            "invest",
            "bill",
            "tip",
            "wire",
        ],
    ),
];

impl Verb {
    /// Reads a tool's name. `None`: it has no verb that is known.
    #[must_use]
    pub fn of(tool: &str) -> Option<Self> {
        let words = words(tool);
        let first = words.first().and_then(|word| known(word));
        let strongest = words.iter().filter_map(|word| known(word)).max();
        // `lookup_and_transfer` does both; in `get_order` the second word is a noun.
        let joins = |word: &String| matches!(word.as_str(), "and" | "then" | "or" | "n");
        let joined = words.iter().any(joins);
        // `list_then_frob` does something that nobody knows; `pages_and_blocks` are things.
        let does_more = words.windows(2).any(|pair| match pair {
            [join, word] => joins(join) && known(word).is_none() && !word.ends_with('s'),
            _ => false,
        });
        if does_more {
            return None;
        }
        match (first, strongest) {
            // `get_order` reads an order; `list_payments` reads payments. No thing is called
            // `replace`, so `search_replace` does that.
            (Some(Self::Read), Some(Self::Pay | Self::Change | Self::Send | Self::Run))
                if !joined && !words.iter().any(|word| is_never_a_noun(word)) =>
            {
                Some(Self::Read)
            }
            (_, strongest) => strongest,
        }
    }

    /// The same verb in the words of hosted services.
    #[must_use]
    pub const fn on_service(self) -> CloudVerb {
        match self {
            Self::Read => CloudVerb::Read,
            Self::Change | Self::Send | Self::Pay => CloudVerb::Change,
            Self::Run => CloudVerb::Run,
            Self::Grant => CloudVerb::Grant,
            Self::Delete => CloudVerb::Delete,
        }
    }
}

fn known(word: &str) -> Option<Verb> {
    VERBS
        .iter()
        .find_map(|(verb, words)| words.contains(&word).then_some(*verb))
}

/// A verb that no thing is called by.
fn is_never_a_noun(word: &str) -> bool {
    const NEVER: &[&str] = &[
        "accept",
        "activate",
        "append",
        "approve",
        "assign",
        "buy",
        "configure",
        "confirm",
        "create",
        "deactivate",
        "decline",
        "disable",
        "dismiss",
        "donate",
        "edit",
        "enable",
        "eval",
        "evaluate",
        "exec",
        "execute",
        "forget",
        "insert",
        "install",
        "invoke",
        "modify",
        "navigate",
        "notify",
        "pay",
        "publish",
        "purge",
        "put",
        "reject",
        "rename",
        "replace",
        "respond",
        "restart",
        "revoke",
        "save",
        "sell",
        "send",
        "submit",
        "subscribe",
        "terminate",
        "truncate",
        "unblock",
        "unfollow",
        "unlock",
        "unpublish",
        "unstar",
        "unsubscribe",
        "upsert",
        "wipe",
        "withdraw",
        "write",
    ];
    NEVER.contains(&word)
}

/// The words of a name, whatever its spelling: `sendEmail`, `send_email`, `SendEmail`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            lower = false;
            continue;
        }
        if letter.is_uppercase() && lower {
            words.push(String::new());
        }
        lower = letter.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_verb() {
        for (tool, verb) in [
            ("get_channels", Some(Verb::Read)),
            ("listRepos", Some(Verb::Read)),
            ("get_order", Some(Verb::Read)),
            ("lookup_and_transfer", Some(Verb::Pay)),
            ("searchAndSend", Some(Verb::Send)),
            ("get_then_run", Some(Verb::Run)),
            ("send_email", Some(Verb::Send)),
            ("GmailSendEmail", Some(Verb::Send)),
            ("delete_file", Some(Verb::Delete)),
            ("read_and_delete", Some(Verb::Delete)),
            ("search_replace_all", Some(Verb::Change)),
            ("find_or_create", Some(Verb::Change)),
            ("browser_evaluate", Some(Verb::Run)),
            ("fetch_execute", Some(Verb::Run)),
            ("get_access", Some(Verb::Grant)),
            ("invite_user_to_slack", Some(Verb::Grant)),
            ("BankManagerTransferFunds", Some(Verb::Pay)),
            ("reserve_hotel", Some(Verb::Pay)),
            ("create_issue", Some(Verb::Change)),
            ("GradeReleaseTool", None),
        ] {
            assert_eq!(Verb::of(tool), verb, "{tool}");
        }
    }
}
