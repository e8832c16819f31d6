//! The chain that makes edits show.
//!
//! A line ends in its place in the chain, the digest of the line before it and the
//! digest of everything in this line up to there. A line that was changed, taken out
//! or put in breaks the chain at that place. A line torn by a kill is no part of it:
//! the next one says how many bytes were torn and carries on from the last whole one.

/// The digest before the first line.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const DIGEST: usize = 64;
/// How much of a line's end holds its links: `,"torn":…,"seq":…,"prev":"…","hash":"…"}`.
pub(super) const LINKS: usize = 320;

/// The end of a line, by which the next one is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    pub seq: u64,
    pub hash: String,
}

impl ChainLink {
    /// What the first line is linked to.
    #[must_use]
    pub fn genesis() -> Self {
        Self {
            seq: 0,
            hash: GENESIS.to_owned(),
        }
    }
}

/// A line with its links. `body` is a JSON object; `torn` is how many bytes a killed writer left before it.
#[must_use]
pub fn seal(body: &str, before: &ChainLink, torn: u64) -> (String, ChainLink) {
    let open = body.strip_suffix('}').unwrap_or(body);
    let seq = before.seq.saturating_add(1);
    let torn = match torn {
        0 => String::new(),
        torn => format!("\"torn\":{torn},"),
    };
    let comma = if open.ends_with('{') { "" } else { "," };
    let said = format!(
        "{open}{comma}{torn}\"seq\":{seq},\"prev\":\"{}\"",
        before.hash
    );
    let hash = digest(said.as_bytes());
    (
        format!("{said},\"hash\":\"{hash}\"}}\n"),
        ChainLink { seq, hash },
    )
}

/// The link at the end of a line (without its line break), if it has one. Nothing is checked.
#[must_use]
pub fn link(line: &str) -> Option<ChainLink> {
    let (said, hash) = line.strip_suffix("\"}")?.rsplit_once(",\"hash\":\"")?;
    let (rest, _prev) = said.strip_suffix('"')?.rsplit_once(",\"prev\":\"")?;
    let (_, seq) = rest.rsplit_once("\"seq\":")?;
    (hash.len() == DIGEST).then_some(())?;
    Some(ChainLink {
        seq: seq.parse().ok()?,
        hash: hash.to_owned(),
    })
}

/// How one line stands to the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainState {
    /// It follows and its digest is right.
    Holds(ChainLink),
    /// It is not a line of the chain: torn, or written by something else.
    Torn,
    /// Its own digest is wrong: it was changed.
    Changed,
    /// It is whole but does not follow: lines are missing or were moved.
    Displaced(ChainLink),
}

/// Checks a line against the link before it; without one any whole line begins a chain.
#[must_use]
pub fn check(line: &str, before: Option<&ChainLink>) -> ChainState {
    let (Some(own), Some((said, _))) = (link(line), line.rsplit_once(",\"hash\":\"")) else {
        return ChainState::Torn;
    };
    if digest(said.as_bytes()) != own.hash {
        return ChainState::Changed;
    }
    let Some(before) = before else {
        return ChainState::Holds(own);
    };
    let follows = said.ends_with(&format!("\"prev\":\"{}\"", before.hash))
        && own.seq == before.seq.saturating_add(1);
    if follows {
        ChainState::Holds(own)
    } else {
        ChainState::Displaced(own)
    }
}

/// Whether a line says that bytes before it were torn.
#[must_use]
pub fn admits_torn(line: &str) -> bool {
    line.rsplit_once(",\"seq\":")
        .and_then(|(said, _)| said.rsplit_once("\"torn\":"))
        .is_some_and(|(_, count)| count.bytes().all(|byte| byte.is_ascii_digit()))
}

fn digest(bytes: &[u8]) -> String {
    automode_core::digest(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_holds_and_every_tampering_shows() {
        let (one, first) = seal(r#"{"a":1}"#, &ChainLink::genesis(), 0);
        let (two, second) = seal(r#"{"a":2}"#, &first, 0);
        let (three, third) = seal(r#"{}"#, &second, 17);
        let [one, two, three] = [one.trim_end(), two.trim_end(), three.trim_end()];
        assert_eq!(
            check(one, Some(&ChainLink::genesis())),
            ChainState::Holds(first.clone())
        );
        assert_eq!(check(two, Some(&first)), ChainState::Holds(second.clone()));
        assert_eq!(check(three, Some(&second)), ChainState::Holds(third));
        assert!(admits_torn(three) && !admits_torn(two));
        assert_eq!(
            check(three, Some(&first)),
            ChainState::Displaced(link(three).unwrap())
        );
        assert_eq!(
            check(&two.replace("\"a\":2", "\"a\":3"), Some(&first)),
            ChainState::Changed
        );
        assert_eq!(
            check(two.get(..40).unwrap(), Some(&first)),
            ChainState::Torn
        );
        assert_eq!(check("", Some(&first)), ChainState::Torn);
    }

    #[test]
    fn text_in_a_body_cannot_pass_for_a_link() {
        let body =
            serde_json::json!({"brief": "\",\"seq\":9,\"prev\":\"x\",\"hash\":\"y\"}"}).to_string();
        let (line, link_) = seal(&body, &ChainLink::genesis(), 0);
        assert_eq!(link(line.trim_end()), Some(link_));
        assert!(!admits_torn(line.trim_end()));
    }
}
