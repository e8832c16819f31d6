//! Rules on shell commands, filed by their first word in one piece of memory.
//!
//! A settings file with thousands of rules is read before every tool call, and a call asks for
//! a few of them. [`FiledRules::pack`] writes rules whose first word is plain to see into a
//! form that is used as it lies: nothing is read, copied or allocated before somebody asks for
//! a word. What was damaged on the way is noticed, and is no rules at all.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{
    Origin,
    index::mixed,
    layer::Written,
    rule::{Rule, plain_command},
};

/// How many shares the words are in.
const SHARES: usize = 512;
/// The check over everything behind it.
const CHECK: usize = 8;
/// Where the first rule begins: behind the check and the beginnings and the end of the shares.
const START: usize = CHECK + (SHARES + 1) * 4;
/// The digest of the word, the line and the length in front of a text.
const HEAD: usize = 12;

/// Rules of one list of one file. Their order never matters.
#[derive(Clone, Debug)]
pub struct FiledRules {
    /// What they lie in, with other things: a copy of a megabyte costs more than the rest of a call.
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
    file: Arc<Origin>,
    root: Option<Arc<str>>,
    /// Each share is read when it is asked for: the digest of the first word, and the rule.
    shares: Vec<OnceLock<Vec<(u32, Rule)>>>,
}

impl FiledRules {
    /// Takes out what can be filed, and answers with it packed.
    #[must_use]
    pub fn pack(rules: &mut Vec<Written>) -> Vec<u8> {
        let mut shares: Vec<Vec<u8>> = vec![Vec::new(); SHARES];
        rules.retain(|rule| {
            let word = plain_command(&rule.text).map(mixed);
            let length = u32::try_from(rule.text.len());
            let share = word.and_then(|word| shares.get_mut(word as usize % SHARES));
            let (Some(word), Some(share), Ok(length)) = (word, share, length) else {
                return true;
            };
            for number in [word, rule.line, length] {
                share.extend(number.to_le_bytes());
            }
            share.extend(rule.text.as_bytes());
            false
        });
        let mut packed = vec![0; CHECK];
        let mut at = START;
        for share in &shares {
            packed.extend(u32::try_from(at).unwrap_or(u32::MAX).to_le_bytes());
            at = at.saturating_add(share.len());
        }
        packed.extend(u32::try_from(at).unwrap_or(u32::MAX).to_le_bytes());
        packed.extend(shares.iter().flatten());
        let sum = check(packed.get(CHECK..).unwrap_or_default());
        if let Some(first) = packed.first_chunk_mut() {
            *first = sum.to_le_bytes();
        }
        packed
    }

    /// The rules that were packed and now lie in that range; nothing where a byte of them changed.
    #[must_use]
    pub fn open(
        whole: &Arc<Vec<u8>>,
        range: Range<usize>,
        file: Origin,
        root: Option<&str>,
    ) -> Option<Self> {
        let bytes = whole.get(range.clone())?;
        let (sum, rest) = bytes.split_first_chunk()?;
        let is_whole = bytes.len() >= START && u64::from_le_bytes(*sum) == check(rest);
        is_whole.then(|| Self {
            whole: Arc::clone(whole),
            range,
            file: Arc::new(file),
            root: root.map(Arc::from),
            shares: vec![OnceLock::new(); SHARES],
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes().len() <= START
    }

    fn bytes(&self) -> &[u8] {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }

    /// The rules whose first word has this digest.
    pub(super) fn of_word(&self, word: u32) -> impl Iterator<Item = &Rule> {
        let share = self.share(word as usize % SHARES).iter();
        share
            .filter(move |(own, _)| *own == word)
            .map(|(_, rule)| rule)
    }

    /// All rules.
    pub(super) fn all(&self) -> impl Iterator<Item = &Rule> {
        let rules = (0..SHARES).flat_map(|share| self.share(share));
        rules.map(|(_, rule)| rule)
    }

    fn share(&self, share: usize) -> &[(u32, Rule)] {
        let read = || {
            let bound = |share: usize| {
                let at = CHECK.saturating_add(share.saturating_mul(4));
                let bytes = self.bytes().get(at..)?.first_chunk()?;
                usize::try_from(u32::from_le_bytes(*bytes)).ok()
            };
            let range = bound(share).zip(bound(share.saturating_add(1)));
            let bytes = range.and_then(|(from, to)| self.bytes().get(from..to));
            let rules = Packed(bytes.unwrap_or_default()).filter_map(|filed| {
                let rule = Rule::parse(filed.text, &self.file, filed.line, self.root.as_ref());
                Some((filed.word, rule.ok()?))
            });
            rules.collect()
        };
        let kept = self.shares.get(share);
        kept.map_or(&[], |kept| kept.get_or_init(read))
    }
}

impl PartialEq for FiledRules {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            whole: _,
            range: _,
            file,
            root,
            shares: _,
        } = self;
        (self.bytes(), file, root) == (other.bytes(), &other.file, &other.root)
    }
}

impl Eq for FiledRules {}

/// A rule as it lies.
struct FiledRule<'b> {
    word: u32,
    line: u32,
    text: &'b str,
}

/// Rules behind each other.
struct Packed<'b>(&'b [u8]);

impl<'b> Iterator for Packed<'b> {
    type Item = FiledRule<'b>;

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.0.split_at_checked(HEAD)?;
        let [word, line, length] = head.as_chunks().0 else {
            return None;
        };
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (text, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(FiledRule {
            word: u32::from_le_bytes(*word),
            line: u32::from_le_bytes(*line),
            text: str::from_utf8(text).ok()?,
        })
    }
}

/// A sum in which no byte can change unnoticed: against accidents, not against attackers.
fn check(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1_u64, 2, 3, 4];
    let mix = |lane: &mut u64, word: &[u8; 8]| {
        *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        *lane ^= *lane >> 32;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let (fours, single) = words.as_chunks::<4>();
    for four in fours {
        lanes
            .iter_mut()
            .zip(four)
            .for_each(|(lane, word)| mix(lane, word));
    }
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let mut sum = (bytes.len() as u64).wrapping_mul(FACTOR);
    for word in single.iter().chain([&last]) {
        mix(&mut sum, word);
    }
    for lane in lanes {
        mix(&mut sum, &lane.to_le_bytes());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Scope;

    fn written(texts: &[&str]) -> Vec<Written> {
        let texts = texts.iter().zip(1..);
        texts
            .map(|(text, line)| Written {
                text: (*text).to_owned(),
                line,
            })
            .collect()
    }

    fn origin() -> Origin {
        Origin {
            scope: Scope::Project,
            file: "/p/.claude/settings.json".to_owned(),
            line: 0,
        }
    }

    fn open(packed: &[u8], root: Option<&str>) -> Option<FiledRules> {
        let whole = Arc::new([b"head\n", packed, b"tail"].concat());
        FiledRules::open(&whole, 5..5 + packed.len(), origin(), root)
    }

    const RULES: &[&str] = &[
        "Bash(ls)",
        "Bash(git push:*)",
        "Bash(git status)",
        "Read(~/.ssh/**)",
        "Bash(*)",
        "mcp__x",
        "Bash(ls -la)",
    ];

    #[test]
    fn what_is_packed_is_found_by_its_word_and_the_rest_stays() {
        let mut rules = written(RULES);
        let packed = FiledRules::pack(&mut rules);
        let left: Vec<&str> = rules.iter().map(|rule| rule.text.as_str()).collect();
        // A `:` behind a blank is not told without reading the rule.
        assert_eq!(
            left,
            ["Bash(git push:*)", "Read(~/.ssh/**)", "Bash(*)", "mcp__x"]
        );
        let filed = open(&packed, Some("/p")).expect("rules");
        for _ in 0..2 {
            let found = |word: &str| {
                let rules = filed.of_word(mixed(word));
                let mut found: Vec<_> = rules
                    .map(|rule| (rule.text.to_string(), rule.origin().line))
                    .collect();
                found.sort();
                found
            };
            assert_eq!(
                found("ls"),
                [("Bash(ls -la)".to_owned(), 7), ("Bash(ls)".to_owned(), 1)]
            );
            assert_eq!(found("git"), [("Bash(git status)".to_owned(), 3)]);
            assert_eq!(found("rm"), []);
        }
        assert_eq!(filed.all().count(), 3);
        assert!(!filed.is_empty());
    }

    #[test]
    fn no_byte_changes_unnoticed() {
        let packed = FiledRules::pack(&mut written(RULES));
        assert!(open(&packed, None).is_some());
        for at in 0..packed.len() {
            for bit in 0..8 {
                let mut broken = packed.clone();
                broken[at] ^= 1 << bit;
                assert_eq!(open(&broken, None), None, "{at}");
            }
            let cut = &packed[..at];
            assert_eq!(open(cut, None), None, "{at}");
        }
    }
}
