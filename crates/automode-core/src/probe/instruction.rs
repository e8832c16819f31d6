//! Orders to the agent, as rows of words.
//!
//! A row is a few groups of words that follow each other within a sentence, with at most
//! so many words between them. Rows are chosen so that documentation, which also orders
//! its reader about, does not fit them: they speak of the reader's own instructions, task,
//! user or tools.

use std::collections::BTreeMap;

/// Words that follow each other: a group, and how many other words may stand before it.
type InstructionRow = &'static [(&'static [&'static str], usize)];

const IGNORE: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "neglect",
    "discard",
    "ignoring",
    "disregarding",
];
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "all",
    "any",
    "your",
    "the",
    "original",
    "existing",
    "current",
    "initial",
];
const ORDERS: &[&str] = &[
    "instructions",
    "instruction",
    "prompt",
    "prompts",
    "guidelines",
    "directives",
    "directions",
    "orders",
    "programming",
];
const YOURS: &[&str] = &[
    "your",
    "previous",
    "prior",
    "original",
    "earlier",
    "initial",
    "system",
    "preceding",
];
const DO: &[&str] = &[
    "do", "perform", "execute", "complete", "follow", "carry", "run", "take",
];
const TELL: &[&str] = &["tell", "inform", "notify", "alert", "mention", "reveal"];
const USER: &[&str] = &["user", "users", "human", "operator", "owner"];
const AGENT: &[&str] = &[
    "assistant",
    "agent",
    "ai",
    "llm",
    "chatbot",
    "model",
    "copilot",
    "claude",
    "chatgpt",
    "gpt",
    "gemini",
];
const MUST: &[&str] = &["must", "should", "need", "please", "now", "shall"];
const SEND: &[&str] = &[
    "send",
    "email",
    "forward",
    "post",
    "upload",
    "exfiltrate",
    "transmit",
    "transfer",
    "submit",
    "concatenate",
];
const LOOT: &[&str] = &[
    "password",
    "passwords",
    "passport",
    "credentials",
    "secrets",
    "inbox",
    "emails",
    "messages",
    "code",
    "iban",
    "money",
    "transaction",
    "id_rsa",
    "cookies",
];

/// Every row that gives an order away.
const ROWS: &[InstructionRow] = &[
    // Ignore all previous instructions.
    &[(IGNORE, 0), (EARLIER, 1), (ORDERS, 3)],
    &[
        (IGNORE, 0),
        (&["everything", "anything", "what"], 1),
        (&["above", "before", "previously", "earlier"], 4),
    ],
    &[
        (IGNORE, 0),
        (&["your"], 1),
        (&["task", "rules", "goal", "safety", "training"], 2),
    ],
    &[
        (&["new", "updated", "revised", "real", "actual"], 0),
        (&["instructions", "instruction"], 0),
        (&["for", "to"], 1),
        (AGENT, 3),
    ],
    &[
        (&["strictly", "carefully", "immediately"], 0),
        (&["adhere", "follow", "obey"], 1),
        (&["following"], 3),
        (ORDERS, 1),
    ],
    // Before you can solve your task, do the following first.
    &[
        (&["before"], 0),
        (&["you"], 0),
        (
            &[
                "solve", "continue", "proceed", "answer", "respond", "complete", "finish", "start",
                "begin", "do", "can",
            ],
            2,
        ),
        (&["please", "you", "must"], 14),
        (DO, 3),
        (&["following"], 2),
    ],
    &[
        (&["task", "job", "question", "instructions"], 0),
        (&["that", "which", "i", "the"], 1),
        (&["gave", "asked", "assigned", "given"], 2),
        (&["you"], 0),
    ],
    &[
        (&["instead"], 0),
        (&["of"], 0),
        (YOURS, 2),
        (&["task", "instructions", "request", "goal"], 2),
    ],
    &[
        (&["important", "urgent", "secret", "confidential"], 0),
        (
            &[
                "message",
                "note",
                "notice",
                "instruction",
                "instructions",
                "update",
            ],
            1,
        ),
        (&["to", "for"], 6),
        (&["you", "assistant", "agent", "ai", "llm", "model"], 2),
    ],
    // Speaking to the agent.
    &[
        (&["dear", "attention", "hey", "hello", "note"], 0),
        (&["to", "ai", "llm"], 1),
        (AGENT, 2),
        (MUST, 14),
    ],
    &[
        (&["you"], 0),
        (&["are"], 0),
        (&["now"], 0),
        (&["a", "an", "in", "the", "no"], 0),
        (
            &[
                "assistant",
                "agent",
                "ai",
                "dan",
                "unrestricted",
                "developer",
                "longer",
            ],
            3,
        ),
    ],
    &[
        (&["if"], 0),
        (&["you"], 0),
        (&["are"], 0),
        (&["an", "a", "the"], 0),
        (&["ai", "llm", "language", "automated", "assistant"], 1),
        (MUST, 16),
    ],
    &[
        (&["ai", "llm", "automated"], 0),
        (
            &[
                "agents",
                "assistants",
                "agent",
                "assistant",
                "models",
                "model",
            ],
            1,
        ),
        (&["must", "shall"], 3),
    ],
    // Behind the user's back.
    &[
        (&["do", "don't", "never", "dont"], 0),
        (&["not", "tell", "inform", "notify", "mention", "reveal"], 0),
        (TELL, 1),
        (&["the", "your", "this", "to"], 2),
        (USER, 3),
    ],
    &[
        (&["don't", "never", "dont"], 0),
        (TELL, 0),
        (&["the", "your", "this"], 1),
        (&["user", "human", "operator"], 1),
    ],
    &[
        (&["without"], 0),
        (
            &["asking", "telling", "informing", "notifying", "alerting"],
            0,
        ),
        (&["me", "the", "your"], 0),
        (&["user", "human", "permission", "owner"], 2),
    ],
    &[
        (&["fill", "do", "perform", "send", "run", "execute"], 0),
        (&["without"], 6),
        (&["asking", "telling", "informing"], 0),
        (&["me"], 0),
    ],
    // With the agent's own tools.
    &[
        (MUST, 0),
        (&["use", "call", "invoke"], 2),
        (&["the", "your"], 1),
        (&["tool"], 2),
        (&["with"], 3),
        (&["arguments", "parameters", "following"], 3),
    ],
    &[
        (&["use", "call", "invoke"], 0),
        (&["your"], 1),
        (&["tools", "tool", "browser", "terminal", "shell"], 3),
        (&["to"], 1),
        (
            &[
                "send", "read", "fetch", "upload", "post", "delete", "run", "execute",
            ],
            2,
        ),
    ],
    // Data to somebody.
    &[
        (SEND, 0),
        (
            &[
                "all", "contents", "content", "body", "every", "security", "much", "any",
            ],
            4,
        ),
        (LOOT, 12),
        (&["to"], 14),
        (&["@", "www", "http", "account"], 6),
    ],
    &[
        (SEND, 0),
        (&["the", "a", "your"], 1),
        (&["transaction", "passport", "credentials", "passwords"], 1),
        (&["to"], 14),
        (&["@", "www", "http", "account", "iban"], 4),
    ],
];

/// Orders whose letters stand apart, without the gaps.
const APART: &[&str] = &[
    "ignoreall",
    "ignoreprevious",
    "ignoreyour",
    "disregardall",
    "disregardprevious",
    "forgetall",
    "previousinstructions",
    "yourinstructions",
    "systemprompt",
];
/// As many single letters in a row are a word that was taken apart.
const LETTERS: usize = 9;

/// The words of the first row that fits.
pub(super) fn find(text: &str) -> Option<String> {
    let tokens = tokens(text);
    if let Some(apart) = taken_apart(&tokens) {
        return Some(apart);
    }
    let mut by_first: BTreeMap<&str, Vec<InstructionRow>> = BTreeMap::new();
    for row in ROWS {
        for word in row.first().map(|(words, _)| *words).into_iter().flatten() {
            by_first.entry(*word).or_default().push(row);
        }
    }
    tokens.iter().enumerate().find_map(|(at, token)| {
        let rows = by_first.get(token.as_str())?;
        let end = rows.iter().find_map(|row| {
            let rest = tokens.get(at.saturating_add(1)..)?;
            let used = follows(rest, row.get(1..)?)?;
            Some(at.saturating_add(used).saturating_add(1))
        })?;
        Some(tokens.get(at..end)?.join(" "))
    })
}

/// How many tokens the groups of a row take, if they follow within their distances.
fn follows(tokens: &[String], groups: &[(&[&str], usize)]) -> Option<usize> {
    let Some(((words, distance), rest)) = groups.split_first() else {
        return Some(0);
    };
    for (at, token) in tokens.iter().enumerate() {
        if at > *distance || token == "." {
            return None;
        }
        let next = at.saturating_add(1);
        if words.iter().any(|word| is_word(token, word))
            && let Some(used) = follows(tokens.get(next..)?, rest)
        {
            return Some(next.saturating_add(used));
        }
    }
    None
}

/// The word, or one that has been misspelt on purpose in a letter too many.
fn is_word(token: &str, word: &str) -> bool {
    token == word
        || word.len() > 8
            && token.len() == word.len().saturating_add(1)
            && (0..token.len()).any(|at| {
                token
                    .get(..at)
                    .zip(token.get(at.saturating_add(1)..))
                    .is_some_and(|(before, after)| word.strip_prefix(before) == Some(after))
            })
}

/// An order whose letters stand apart.
fn taken_apart(tokens: &[String]) -> Option<String> {
    tokens
        .split(|token| token.len() != 1 || !token.bytes().all(|c| c.is_ascii_alphabetic()))
        .filter(|letters| letters.len() >= LETTERS)
        .map(<[String]>::concat)
        .find(|word| APART.iter().any(|order| word.contains(order)))
}

/// A word with digits in place of letters as the word that it is read as, where a row knows it.
fn spelt(word: &str) -> String {
    let mixed =
        word.bytes().any(|c| c.is_ascii_digit()) && word.bytes().any(|c| c.is_ascii_alphabetic());
    if mixed && word.len() >= 3 {
        for one in ['i', 'l'] {
            let read: String = word
                .chars()
                .map(|c| match c {
                    '0' => 'o',
                    '1' => one,
                    '3' => 'e',
                    '4' => 'a',
                    '5' => 's',
                    '7' => 't',
                    _ => c,
                })
                .collect();
            let mut known = ROWS.iter().flat_map(|row| row.iter());
            if known.any(|(words, _)| words.contains(&read.as_str())) {
                return read;
            }
        }
    }
    word.to_owned()
}

/// Words in lower case; `.` where a sentence ends; `@`, `www` and `http` where an address stands.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for raw in text.split_whitespace() {
        if raw.contains("://") {
            tokens.push("http".to_owned());
            continue;
        }
        let ends = raw.ends_with(['.', '!', '?', ';']);
        let lower = raw.to_lowercase();
        if lower.contains('@') && lower.contains('.') {
            tokens.push("@".to_owned());
        } else if lower
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .starts_with("www.")
        {
            tokens.push("www".to_owned());
        } else {
            let word = |c: char| c.is_alphanumeric() || c == '\'' || c == '_';
            tokens.extend(
                lower
                    .split(|c| !word(c))
                    .map(|part| part.trim_matches(['\'', '_']))
                    .filter(|part| !part.is_empty())
                    .map(spelt),
            );
        }
        if ends {
            tokens.push(".".to_owned());
        }
    }
    tokens
}
