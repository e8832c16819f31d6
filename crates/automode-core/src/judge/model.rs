//! What is known about models: what they refuse, and what they cost.
//!
//! Vendors' newest models answer some parameters with an error: a temperature,
//! a forced tool, the switch that turns thinking off. So each of these is a
//! capability of the model, never a constant. A model that is not in the table
//! gets the form that every model takes: plain text, no extras, room to think.

use super::{Kind, Usage};

/// What a request to a model may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Takes `temperature: 0`.
    pub temperature: bool,
    /// Takes stop sequences.
    pub stop: bool,
    /// A tool can be forced.
    pub forced_tool: bool,
    /// The output can be held to a JSON schema.
    pub schema: bool,
    pub thinking: Thinking,
}

/// Whether a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Not unless it is told to.
    Off,
    /// Unless this value of the vendor's thinking switch is sent.
    Switch(&'static str),
    /// Always; this effort keeps it short, where the vendor has such a setting.
    Always(Option<&'static str>),
}

/// What a person says about a model that the table does not know, or knows wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub temperature: Option<bool>,
    pub stop: Option<bool>,
    pub forced_tool: Option<bool>,
    pub schema: Option<bool>,
    /// It always thinks, or never does.
    pub thinks: Option<bool>,
}

/// Extra tokens for a model that always thinks.
pub const THINKING_PADDING: u32 = 2048;

/// What a model costs, in billionths of a dollar per token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub input: u64,
    /// Writing to the cache.
    pub written: u64,
    /// Reading from the cache.
    pub cached: u64,
    pub output: u64,
    /// Prompts above this many tokens cost this many times as much.
    pub long: Option<(u64, u64)>,
}

impl Price {
    pub const FREE: Self = Self {
        input: 0,
        written: 0,
        cached: 0,
        output: 0,
        long: None,
    };

    /// What a model counts as whose price nobody knows: no less than the dearest of the table.
    pub const UNKNOWN: Self = Self {
        input: 15_000,
        written: 18_750,
        cached: 1_500,
        output: 75_000,
        long: None,
    };

    /// The price of these tokens in millionths of a dollar, rounded up.
    #[must_use]
    pub const fn of(&self, usage: &Usage) -> u64 {
        let nano = usage
            .input
            .saturating_mul(self.input)
            .saturating_add(usage.written.saturating_mul(self.written))
            .saturating_add(usage.cached.saturating_mul(self.cached))
            .saturating_add(usage.output.saturating_mul(self.output));
        let factor = match self.long {
            Some((tokens, factor)) if usage.total_input() > tokens => factor,
            _ => 1,
        };
        nano.saturating_mul(factor).div_ceil(1000)
    }
}

impl Capabilities {
    /// What every model takes.
    const PLAIN: Self = Self {
        temperature: false,
        stop: false,
        forced_tool: false,
        schema: false,
        thinking: Thinking::Always(None),
    };
    const CLASSIC: Self = Self {
        temperature: true,
        stop: true,
        forced_tool: true,
        schema: true,
        thinking: Thinking::Off,
    };
    /// Claude since 4.7: no sampling parameters.
    const CLAUDE: Self = Self {
        temperature: false,
        ..Self::CLASSIC
    };
    const CLAUDE_ADAPTIVE: Self = Self {
        thinking: Thinking::Switch("disabled"),
        ..Self::CLAUDE
    };
    /// Claude 5.5: a tool can no longer be forced.
    const CLAUDE_ALWAYS: Self = Self {
        forced_tool: false,
        thinking: Thinking::Always(Some("low")),
        ..Self::CLAUDE
    };
    /// Responses has no stop sequences; reasoning models take no temperature.
    const GPT: Self = Self {
        temperature: false,
        stop: false,
        thinking: Thinking::Switch("none"),
        ..Self::CLASSIC
    };
    const GPT_REASONING: Self = Self {
        thinking: Thinking::Always(Some("low")),
        ..Self::GPT
    };

    fn with(self, overrides: Overrides) -> Self {
        Self {
            temperature: overrides.temperature.unwrap_or(self.temperature),
            stop: overrides.stop.unwrap_or(self.stop),
            forced_tool: overrides.forced_tool.unwrap_or(self.forced_tool),
            schema: overrides.schema.unwrap_or(self.schema),
            thinking: match overrides.thinks {
                Some(true) => Thinking::Always(None),
                Some(false) => Thinking::Off,
                None => self.thinking,
            },
        }
    }
}

struct PriceRow {
    /// Beginning of the model's name; the longest that fits counts.
    prefix: &'static str,
    capabilities: Capabilities,
    price: Option<Price>,
}

const fn row(prefix: &'static str, capabilities: Capabilities, price: Option<Price>) -> PriceRow {
    PriceRow {
        prefix,
        capabilities,
        price,
    }
}

/// Dollars per million tokens are billionths per token times a thousand.
const fn price(input: u64, written: u64, cached: u64, output: u64) -> Option<Price> {
    Some(Price {
        input,
        written,
        cached,
        output,
        long: None,
    })
}

const fn tiered(base: Option<Price>, tokens: u64, factor: u64) -> Option<Price> {
    match base {
        Some(base) => Some(Price {
            long: Some((tokens, factor)),
            ..base
        }),
        None => None,
    }
}

type C = Capabilities;

/// Vendors' documentation, November 2026.
#[rustfmt::skip]
const MODELS: &[PriceRow] = &[
    //  model               takes               input  written cached output
    row("claude-fable-5-1", C::CLAUDE_ALWAYS,   price(10_000, 12_500, 250, 50_000)),
    row("claude-fable-5",   C::CLAUDE_ALWAYS,   price(10_000, 12_500, 1_000, 50_000)),
    row("claude-fable-5-2", C::CLAUDE_ALWAYS,   None),
    row("claude-mythos-5",  C::CLAUDE_ALWAYS,   price(10_000, 12_500, 1_000, 50_000)),
    row("claude-opus-5-5",  C::CLAUDE_ALWAYS,   price(4_000, 5_000, 200, 20_000)),
    row("claude-opus-5",    C::CLAUDE_ADAPTIVE, price(5_000, 6_250, 500, 25_000)),
    row("claude-sonnet-5-5", C { forced_tool: false, thinking: Thinking::Switch("between_tools"), ..C::CLAUDE },
                                                price(2_000, 2_500, 100, 10_000)),
    row("claude-sonnet-5",  C::CLAUDE_ADAPTIVE, price(2_000, 2_500, 200, 10_000)),
    row("claude-haiku-5-5", C { forced_tool: false, ..C::CLAUDE_ADAPTIVE },
                                                tiered(price(100, 125, 10, 500), 100_000, 5)),
    row("claude-opus-4-8",  C::CLAUDE,          price(5_000, 6_250, 500, 25_000)),
    row("claude-opus-4-7",  C::CLAUDE,          price(5_000, 6_250, 500, 25_000)),
    row("claude-opus-4-6",  C::CLASSIC,         price(5_000, 6_250, 500, 25_000)),
    row("claude-opus-4-5",  C::CLASSIC,         price(5_000, 6_250, 500, 25_000)),
    row("claude-opus-4-1",  C::CLASSIC,         price(15_000, 18_750, 1_500, 75_000)),
    row("claude-opus-4",    C { schema: false, ..C::CLASSIC }, price(15_000, 18_750, 1_500, 75_000)),
    row("claude-sonnet-4-6", C::CLASSIC,        price(3_000, 3_750, 300, 15_000)),
    row("claude-sonnet-4-5", C::CLASSIC,        price(3_000, 3_750, 300, 15_000)),
    row("claude-sonnet-4",  C { schema: false, ..C::CLASSIC }, price(3_000, 3_750, 300, 15_000)),
    row("claude-haiku-4-5", C::CLASSIC,         price(1_000, 1_250, 100, 5_000)),
    row("gpt-6-astra",      C::GPT,             price(10_000, 10_000, 1_000, 50_000)),
    row("gpt-6-sol",        C::GPT,             price(2_000, 2_500, 200, 10_000)),
    row("gpt-6.1-sol",      C::GPT,             price(2_000, 2_500, 100, 10_000)),
    row("gpt-6-luna",       C::GPT,             price(100, 125, 10, 500)),
    row("gpt-6",            C::GPT,             None),
    row("gpt-5.6-sol",      C::GPT,             price(4_000, 4_000, 400, 20_000)),
    row("gpt-5.6-terra",    C::GPT,             price(2_000, 2_000, 200, 12_000)),
    row("gpt-5.6-luna",     C::GPT,             price(200, 200, 20, 1_200)),
    row("gpt-5.5",          C::GPT,             price(5_000, 5_000, 500, 30_000)),
    row("gpt-5.4-mini",     C::GPT,             price(750, 750, 75, 4_500)),
    row("gpt-5.4",          C::GPT,             price(2_500, 2_500, 250, 15_000)),
    row("gpt-5.2",          C::GPT,             None),
    row("gpt-5.1",          C::GPT,             None),
    row("gpt-5-mini",       C { thinking: Thinking::Always(Some("minimal")), ..C::GPT }, price(250, 250, 25, 2_000)),
    row("gpt-5-nano",       C { thinking: Thinking::Always(Some("minimal")), ..C::GPT }, price(50, 50, 5, 400)),
    row("gpt-5",            C { thinking: Thinking::Always(Some("minimal")), ..C::GPT }, price(1_250, 1_250, 125, 10_000)),
    row("gpt-4.1-mini",     C::CLASSIC,         price(400, 400, 100, 1_600)),
    row("gpt-4.1-nano",     C::CLASSIC,         price(100, 100, 25, 400)),
    row("gpt-4.1",          C::CLASSIC,         price(2_000, 2_000, 500, 8_000)),
    row("gpt-4o-mini",      C::CLASSIC,         price(150, 150, 75, 600)),
    row("gpt-4o",           C::CLASSIC,         price(2_500, 2_500, 1_250, 10_000)),
    row("o1",               C::GPT_REASONING,   None),
    row("o3",               C::GPT_REASONING,   None),
    row("o4",               C::GPT_REASONING,   None),
];

/// The model of a kind when nobody chose one.
#[must_use]
pub const fn default_model(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Anthropic => Some("claude-haiku-5-5"),
        Kind::OpenAi => Some("gpt-6-luna"),
        Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => None,
    }
}

/// What may be asked of a model over this wire.
#[must_use]
pub fn capabilities(kind: Kind, model: &str, overrides: Overrides) -> Capabilities {
    let known = lookup(model).map(|row| row.capabilities);
    let wire = match kind {
        // No stop parameter in Responses.
        Kind::OpenAi => Capabilities {
            stop: false,
            ..known.unwrap_or(Capabilities::PLAIN)
        },
        Kind::Anthropic => known.unwrap_or(Capabilities::PLAIN),
        // Local servers take sampling and stop for every model; a forced tool is often ignored.
        Kind::OpenAiCompatible => known.unwrap_or(Capabilities {
            temperature: true,
            stop: true,
            thinking: Thinking::Off,
            ..Capabilities::PLAIN
        }),
        Kind::Command | Kind::Cassette => Capabilities::PLAIN,
    };
    wire.with(overrides)
}

/// What a model costs, where it is known.
#[must_use]
pub fn price_of(model: &str) -> Option<Price> {
    lookup(model).and_then(|row| row.price)
}

fn lookup(model: &str) -> Option<&'static PriceRow> {
    // Routers and clouds put the vendor in front: `anthropic/claude-…`, `anthropic.claude-…`.
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name
        .rsplit_once("anthropic.")
        .map_or(name, |(_, name)| name);
    // Some of them write `claude-opus-5.5`.
    let name = if name.starts_with("claude") {
        name.replace('.', "-")
    } else {
        name.to_owned()
    };
    MODELS
        .iter()
        .filter(|row| name.strip_prefix(row.prefix).is_some_and(is_variant))
        .max_by_key(|row| row.prefix.len())
}

/// What may follow a model's name: a date, a tag or a word, but no further version number.
fn is_variant(rest: &str) -> bool {
    match rest.strip_prefix('-') {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            digits == 0 || digits >= 4
        }
        None => rest.is_empty() || rest.starts_with([':', '@']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, model: &str, expected: Capabilities) {
        assert_eq!(
            capabilities(kind, model, Overrides::default()),
            expected,
            "{model}"
        );
    }

    #[test]
    fn the_longest_prefix_counts_and_the_unknown_is_plain() {
        check(Kind::Anthropic, "claude-haiku-4-5-20251001", C::CLASSIC);
        check(Kind::Anthropic, "claude-opus-5-5", C::CLAUDE_ALWAYS);
        check(Kind::Anthropic, "claude-opus-5", C::CLAUDE_ADAPTIVE);
        check(Kind::Anthropic, "claude-unheard-of-9", C::PLAIN);
        check(
            Kind::OpenAi,
            "gpt-4.1-mini",
            C {
                stop: false,
                ..C::CLASSIC
            },
        );
        check(Kind::OpenAi, "new-thing", C::PLAIN);
        check(
            Kind::OpenAiCompatible,
            "anthropic/claude-opus-5.5",
            C::CLAUDE_ALWAYS,
        );
        check(Kind::Anthropic, "claude-opus-5-7", C::PLAIN);
        check(
            Kind::OpenAiCompatible,
            "anthropic/claude-opus-5-5",
            C::CLAUDE_ALWAYS,
        );
    }

    #[test]
    fn no_two_rows_have_the_same_prefix() {
        for (index, row) in MODELS.iter().enumerate() {
            assert!(
                MODELS[..index]
                    .iter()
                    .all(|other| other.prefix != row.prefix)
            );
        }
    }

    #[test]
    fn a_price_is_rounded_up_and_knows_its_tiers() {
        let usage = Usage {
            input: 100,
            cached: 5_000,
            written: 0,
            output: 8,
        };
        assert_eq!(price_of("claude-haiku-4-5").unwrap().of(&usage), 640);
        assert_eq!(price_of("claude-haiku-5-5").unwrap().of(&usage), 64);
        let long = Usage {
            cached: 200_000,
            ..Usage::default()
        };
        assert_eq!(price_of("claude-haiku-5-5").unwrap().of(&long), 10_000);
        assert_eq!(price_of("llama3"), None);
    }

    #[test]
    fn no_model_is_dearer_than_an_unknown_one() {
        for row in MODELS {
            let Some(price) = row.price else { continue };
            let factor = price.long.map_or(1, |(_, factor)| factor);
            let all = |price: Price| [price.input, price.written, price.cached, price.output];
            for (known, unknown) in all(price).into_iter().zip(all(Price::UNKNOWN)) {
                assert!(known * factor <= unknown, "{}", row.prefix);
            }
        }
    }

    #[test]
    fn a_person_has_the_last_word() {
        let overrides = Overrides {
            stop: Some(false),
            thinks: Some(true),
            ..Overrides::default()
        };
        let known = capabilities(Kind::OpenAiCompatible, "qwen3", overrides);
        assert!(!known.stop && known.temperature);
        assert_eq!(known.thinking, Thinking::Always(None));
    }
}
