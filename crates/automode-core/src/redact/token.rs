//! Keys that their issuer marked with a prefix.

use super::{Secret, run, starts_with};

/// How a token goes on after its prefix.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// Letters and digits.
    Alnum,
    /// Also `-` and `_`.
    Url,
    /// Also `.`.
    Dotted,
    /// Capital letters and digits.
    Upper,
}

pub(super) struct Issuer {
    pub prefix: &'static str,
    /// The fewest characters after the prefix.
    pub least: usize,
    body: Body,
    kind: &'static str,
}

const fn issuer(prefix: &'static str, least: usize, body: Body, kind: &'static str) -> Issuer {
    Issuer {
        prefix,
        least,
        body,
        kind,
    }
}

/// No token is shorter than this, its prefix included.
pub(super) const SHORTEST: usize = 20;

/// A longer prefix stands before a shorter one that begins it.
pub(super) const ISSUERS: &[Issuer] = &[
    issuer("sk-ant-", 20, Body::Url, "anthropic-key"),
    issuer("sk-or-", 20, Body::Url, "openrouter-key"),
    issuer("sk-proj-", 20, Body::Url, "openai-key"),
    issuer("sk-", 32, Body::Url, "api-key"),
    issuer("sk_live_", 16, Body::Alnum, "stripe-key"),
    issuer("sk_test_", 16, Body::Alnum, "stripe-key"),
    issuer("rk_live_", 16, Body::Alnum, "stripe-key"),
    issuer("whsec_", 16, Body::Alnum, "stripe-secret"),
    issuer("ghp_", 30, Body::Alnum, "github-token"),
    issuer("gho_", 30, Body::Alnum, "github-token"),
    issuer("ghu_", 30, Body::Alnum, "github-token"),
    issuer("ghs_", 30, Body::Alnum, "github-token"),
    issuer("ghr_", 30, Body::Alnum, "github-token"),
    issuer("github_pat_", 30, Body::Url, "github-token"),
    issuer("glpat-", 20, Body::Url, "gitlab-token"),
    issuer("gldt-", 20, Body::Url, "gitlab-token"),
    issuer("glrt-", 20, Body::Url, "gitlab-token"),
    issuer("xoxb-", 20, Body::Url, "slack-token"),
    issuer("xoxp-", 20, Body::Url, "slack-token"),
    issuer("xoxa-", 20, Body::Url, "slack-token"),
    issuer("xoxr-", 20, Body::Url, "slack-token"),
    issuer("xoxs-", 20, Body::Url, "slack-token"),
    issuer("xapp-", 20, Body::Url, "slack-token"),
    issuer("AKIA", 16, Body::Upper, "aws-key-id"),
    issuer("ASIA", 16, Body::Upper, "aws-key-id"),
    issuer("AIza", 35, Body::Url, "google-key"),
    issuer("ya29.", 20, Body::Url, "google-token"),
    issuer("GOCSPX-", 20, Body::Url, "google-secret"),
    issuer("npm_", 36, Body::Alnum, "npm-token"),
    issuer("pypi-", 40, Body::Url, "pypi-token"),
    issuer("rubygems_", 40, Body::Alnum, "rubygems-token"),
    issuer("cio", 32, Body::Alnum, "cargo-token"),
    issuer("hf_", 30, Body::Alnum, "huggingface-token"),
    issuer("gsk_", 40, Body::Alnum, "groq-key"),
    issuer("xai-", 40, Body::Alnum, "xai-key"),
    issuer("r8_", 30, Body::Alnum, "replicate-token"),
    issuer("dop_v1_", 40, Body::Alnum, "digitalocean-token"),
    issuer("doo_v1_", 40, Body::Alnum, "digitalocean-token"),
    issuer("dckr_pat_", 20, Body::Url, "docker-token"),
    issuer("shpat_", 20, Body::Alnum, "shopify-token"),
    issuer("shpss_", 20, Body::Alnum, "shopify-secret"),
    issuer("SG.", 40, Body::Dotted, "sendgrid-key"),
    issuer("hvs.", 20, Body::Url, "vault-token"),
    issuer("lin_api_", 30, Body::Alnum, "linear-key"),
    issuer("ntn_", 30, Body::Alnum, "notion-token"),
    issuer("figd_", 30, Body::Url, "figma-token"),
    issuer("tskey-", 20, Body::Url, "tailscale-key"),
    issuer("pul-", 40, Body::Alnum, "pulumi-token"),
    issuer("glc_", 30, Body::Alnum, "grafana-token"),
    issuer("AGE-SECRET-KEY-", 40, Body::Upper, "age-key"),
    issuer("eyJ", 60, Body::Dotted, "jwt"),
];

/// A token that begins here.
pub(super) fn prefixed(bytes: &[u8], at: usize) -> Option<Secret> {
    if let Some(secret) = bearer(bytes, at) {
        return Some(secret);
    }
    // Most words are short, and no token is: a look at each saves most of the work.
    let beginning = bytes.get(at..at.saturating_add(SHORTEST))?;
    if !beginning.iter().all(|byte| Body::Dotted.holds(*byte)) {
        return None;
    }
    ISSUERS
        .iter()
        .filter(|issuer| starts_with(bytes, at, issuer.prefix))
        .find_map(|issuer| {
            let body = at.saturating_add(issuer.prefix.len());
            let end = run(bytes, body, |byte| issuer.body.holds(byte));
            // A full stop after a token ends a sentence.
            let end = if end.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'.') {
                end.saturating_sub(1)
            } else {
                end
            };
            let enough = end.saturating_sub(body) >= issuer.least;
            enough.then_some(Secret {
                start: at,
                end,
                kind: issuer.kind,
            })
        })
}

/// `Bearer …` and `Basic …`, as in an `Authorization` header.
fn bearer(bytes: &[u8], at: usize) -> Option<Secret> {
    if !matches!(bytes.get(at), Some(b'B' | b'b')) {
        return None;
    }
    let (word, kind) = match bytes.get(at..at.saturating_add(7)) {
        Some(word) if word.eq_ignore_ascii_case(b"bearer ") => (7, "bearer-token"),
        _ => match bytes.get(at..at.saturating_add(6)) {
            Some(word) if word.eq_ignore_ascii_case(b"basic ") => (6, "basic-auth"),
            _ => return None,
        },
    };
    let start = at.saturating_add(word);
    let end = run(bytes, start, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
    });
    let value = bytes.get(start..end)?;
    let dense = value.len() >= 16 && value.iter().any(u8::is_ascii_digit);
    dense.then_some(Secret { start, end, kind })
}

impl Body {
    const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}
