//! Keys that their issuer marked with a prefix.

use super::{SecretSpan, run, starts_with};

/// How a token goes on after its prefix.
#[derive(Clone, Copy)]
pub(super) enum TokenBody {
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
    body: TokenBody,
    pub kind: &'static str,
}

const fn issuer(prefix: &'static str, least: usize, body: TokenBody, kind: &'static str) -> Issuer {
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
    issuer("sk-ant-", 20, TokenBody::Url, "anthropic-key"),
    issuer("sk-or-", 20, TokenBody::Url, "openrouter-key"),
    issuer("sk-lf-", 30, TokenBody::Url, "langfuse-key"),
    issuer("sk-proj-", 20, TokenBody::Url, "openai-key"),
    issuer("sk-", 32, TokenBody::Url, "api-key"),
    issuer("sk_live_", 16, TokenBody::Alnum, "stripe-key"),
    issuer("sk_test_", 16, TokenBody::Alnum, "stripe-key"),
    issuer("rk_live_", 16, TokenBody::Alnum, "stripe-key"),
    issuer("whsec_", 16, TokenBody::Alnum, "stripe-secret"),
    issuer("ghp_", 30, TokenBody::Alnum, "github-token"),
    issuer("gho_", 30, TokenBody::Alnum, "github-token"),
    issuer("ghu_", 30, TokenBody::Alnum, "github-token"),
    issuer("ghs_", 30, TokenBody::Alnum, "github-token"),
    issuer("ghr_", 30, TokenBody::Alnum, "github-token"),
    issuer("github_pat_", 30, TokenBody::Url, "github-token"),
    issuer("glpat-", 20, TokenBody::Url, "gitlab-token"),
    issuer("gldt-", 20, TokenBody::Url, "gitlab-token"),
    issuer("glrt-", 20, TokenBody::Url, "gitlab-token"),
    issuer("xoxb-", 20, TokenBody::Url, "slack-token"),
    issuer("xoxp-", 20, TokenBody::Url, "slack-token"),
    issuer("xoxa-", 20, TokenBody::Url, "slack-token"),
    issuer("xoxr-", 20, TokenBody::Url, "slack-token"),
    issuer("xoxs-", 20, TokenBody::Url, "slack-token"),
    issuer("xapp-", 20, TokenBody::Url, "slack-token"),
    issuer("AKIA", 16, TokenBody::Upper, "aws-key-id"),
    issuer("ASIA", 16, TokenBody::Upper, "aws-key-id"),
    issuer("AIza", 35, TokenBody::Url, "google-key"),
    issuer("ya29.", 20, TokenBody::Url, "google-token"),
    issuer("GOCSPX-", 20, TokenBody::Url, "google-secret"),
    issuer("npm_", 36, TokenBody::Alnum, "npm-token"),
    issuer("pypi-", 40, TokenBody::Url, "pypi-token"),
    issuer("rubygems_", 40, TokenBody::Alnum, "rubygems-token"),
    issuer("cio", 32, TokenBody::Alnum, "cargo-token"),
    issuer("hf_", 30, TokenBody::Alnum, "huggingface-token"),
    issuer("gsk_", 40, TokenBody::Alnum, "groq-key"),
    issuer("xai-", 40, TokenBody::Alnum, "xai-key"),
    issuer("r8_", 30, TokenBody::Alnum, "replicate-token"),
    issuer("dop_v1_", 40, TokenBody::Alnum, "digitalocean-token"),
    issuer("doo_v1_", 40, TokenBody::Alnum, "digitalocean-token"),
    issuer("dckr_pat_", 20, TokenBody::Url, "docker-token"),
    issuer("shpat_", 20, TokenBody::Alnum, "shopify-token"),
    issuer("shpss_", 20, TokenBody::Alnum, "shopify-secret"),
    issuer("SG.", 40, TokenBody::Dotted, "sendgrid-key"),
    issuer("hvs.", 20, TokenBody::Url, "vault-token"),
    issuer("lin_api_", 30, TokenBody::Alnum, "linear-key"),
    issuer("ntn_", 30, TokenBody::Alnum, "notion-token"),
    issuer("figd_", 30, TokenBody::Url, "figma-token"),
    issuer("tskey-", 20, TokenBody::Url, "tailscale-key"),
    issuer("pul-", 40, TokenBody::Alnum, "pulumi-token"),
    issuer("glc_", 30, TokenBody::Alnum, "grafana-token"),
    issuer("AGE-SECRET-KEY-", 40, TokenBody::Upper, "age-key"),
    issuer("eyJ", 60, TokenBody::Dotted, "jwt"),
    issuer("lsv2_", 30, TokenBody::Url, "langsmith-key"),
    issuer("pplx-", 32, TokenBody::Alnum, "perplexity-key"),
    issuer("nvapi-", 40, TokenBody::Url, "nvidia-key"),
    issuer("pcsk_", 30, TokenBody::Url, "pinecone-key"),
    issuer("tgp_v1_", 30, TokenBody::Url, "together-key"),
    issuer("ABSK", 80, TokenBody::Alnum, "aws-bedrock-key"),
    issuer("ABIA", 16, TokenBody::Upper, "aws-key-id"),
    issuer("LTAI", 16, TokenBody::Alnum, "alibaba-key"),
    issuer("GOOG1E", 40, TokenBody::Upper, "google-hmac-key"),
    issuer("gloas-", 40, TokenBody::Alnum, "gitlab-token"),
    issuer("glptt-", 40, TokenBody::Alnum, "gitlab-token"),
    issuer("glcbt-", 20, TokenBody::Url, "gitlab-token"),
    issuer("glft-", 20, TokenBody::Url, "gitlab-token"),
    issuer("glagent-", 30, TokenBody::Url, "gitlab-token"),
    issuer("ATATT3", 60, TokenBody::Url, "atlassian-token"),
    issuer("ATBB", 28, TokenBody::Alnum, "bitbucket-token"),
    issuer("xoxe.", 40, TokenBody::Url, "slack-token"),
    issuer("sq0atp-", 22, TokenBody::Url, "square-token"),
    issuer("sq0csp-", 40, TokenBody::Url, "square-secret"),
    issuer("EAACEdEose0cBA", 20, TokenBody::Alnum, "facebook-token"),
    issuer("rk_test_", 16, TokenBody::Alnum, "stripe-key"),
    issuer("shpca_", 20, TokenBody::Alnum, "shopify-token"),
    issuer("shppa_", 20, TokenBody::Alnum, "shopify-token"),
    issuer("dapi", 32, TokenBody::Alnum, "databricks-token"),
    issuer("dp.pt.", 40, TokenBody::Alnum, "doppler-token"),
    issuer("dp.st.", 40, TokenBody::Dotted, "doppler-token"),
    issuer("dt0c01.", 40, TokenBody::Dotted, "dynatrace-token"),
    issuer("EZAK", 54, TokenBody::Alnum, "easypost-key"),
    issuer("fo1_", 40, TokenBody::Url, "fly-token"),
    issuer("fm2_", 60, TokenBody::Url, "fly-token"),
    issuer("FLWSECK", 20, TokenBody::Url, "flutterwave-key"),
    issuer("glsa_", 32, TokenBody::Url, "grafana-token"),
    issuer("HRKU-", 30, TokenBody::Url, "heroku-key"),
    issuer("pat-na1-", 30, TokenBody::Url, "hubspot-token"),
    issuer("pat-eu1-", 30, TokenBody::Url, "hubspot-token"),
    issuer("ico-", 32, TokenBody::Alnum, "infracost-key"),
    issuer("AKCp", 60, TokenBody::Alnum, "artifactory-key"),
    issuer("hvb.", 60, TokenBody::Url, "vault-token"),
    issuer("hvr.", 20, TokenBody::Url, "vault-token"),
    issuer("lin_oauth_", 30, TokenBody::Alnum, "linear-key"),
    issuer("key-", 32, TokenBody::Alnum, "mailgun-key"),
    issuer("sk.eyJ", 40, TokenBody::Dotted, "mapbox-token"),
    issuer("NRAK-", 27, TokenBody::Upper, "new-relic-key"),
    issuer("oy2", 43, TokenBody::Alnum, "nuget-key"),
    issuer("pscale_", 30, TokenBody::Dotted, "planetscale-token"),
    issuer("PMAK-", 40, TokenBody::Url, "postman-key"),
    issuer("pnu_", 36, TokenBody::Alnum, "prefect-key"),
    issuer("rdme_", 60, TokenBody::Alnum, "readme-key"),
    issuer("sntrys_", 40, TokenBody::Url, "sentry-token"),
    issuer("sntryu_", 40, TokenBody::Alnum, "sentry-token"),
    issuer("xkeysib-", 60, TokenBody::Url, "brevo-key"),
    issuer("sqp_", 40, TokenBody::Alnum, "sonar-token"),
    issuer("squ_", 40, TokenBody::Alnum, "sonar-token"),
    issuer("sgp_", 40, TokenBody::Url, "sourcegraph-token"),
    issuer("sbp_", 40, TokenBody::Alnum, "supabase-token"),
    issuer("sb_secret_", 20, TokenBody::Url, "supabase-key"),
    issuer("ops_eyJ", 60, TokenBody::Url, "1password-token"),
    issuer("nfp_", 36, TokenBody::Alnum, "netlify-token"),
    issuer("rnd_", 28, TokenBody::Alnum, "render-key"),
    issuer("dckr_oat_", 20, TokenBody::Url, "docker-token"),
    issuer("CLOJARS_", 60, TokenBody::Alnum, "clojars-token"),
    issuer("tfp_", 50, TokenBody::Url, "typeform-token"),
    issuer("duffel_live_", 40, TokenBody::Url, "duffel-token"),
    issuer("shippo_live_", 40, TokenBody::Alnum, "shippo-token"),
    issuer("EAAA", 56, TokenBody::Url, "square-token"),
    issuer("ddp_", 36, TokenBody::Alnum, "deno-token"),
];

/// A token that begins here.
pub(super) fn prefixed(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    if let Some(secret) = bearer(bytes, at).or_else(|| webhook(bytes, at)) {
        return Some(secret);
    }
    // Most words are short, and no token is: a look at each saves most of the work.
    let beginning = bytes.get(at..at.saturating_add(SHORTEST))?;
    if !beginning.iter().all(|byte| TokenBody::Dotted.holds(*byte)) {
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
            enough.then_some(SecretSpan {
                start: at,
                end,
                kind: issuer.kind,
            })
        })
}

/// `Bearer …` and `Basic …`, as in an `Authorization` header.
fn bearer(bytes: &[u8], at: usize) -> Option<SecretSpan> {
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
    dense.then_some(SecretSpan { start, end, kind })
}

/// The token of a bot: its number, the colon that stands here, and the secret after it.
pub(super) fn bot(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    const SECRET: usize = 35;
    let number = bytes.get(at.saturating_sub(11)..at)?;
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let start = at.saturating_add(1);
    let end = run(bytes, start, |byte| TokenBody::Url.holds(byte));
    let fits = (8..=10).contains(&digits.count())
        && starts_with(bytes, start, "AA")
        && end.saturating_sub(start) == SECRET;
    fits.then_some(SecretSpan {
        start,
        end,
        kind: "telegram-token",
    })
}

/// Addresses that are secret by themselves: whoever knows the rest of the path may post.
const HOOKS: [(&str, &str); 3] = [
    ("hooks.slack.com/services/", "slack-webhook"),
    ("discord.com/api/webhooks/", "discord-webhook"),
    ("discordapp.com/api/webhooks/", "discord-webhook"),
];

fn webhook(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    let (place, kind) = HOOKS
        .iter()
        .find(|(place, _)| starts_with(bytes, at, place))?;
    let start = at.saturating_add(place.len());
    let end = run(bytes, start, |byte| {
        TokenBody::Url.holds(byte) || byte == b'/'
    });
    (end.saturating_sub(start) >= SHORTEST).then_some(SecretSpan { start, end, kind })
}

impl TokenBody {
    const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}
