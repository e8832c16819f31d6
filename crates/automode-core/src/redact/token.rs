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
    pub kind: &'static str,
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
    issuer("sk-lf-", 30, Body::Url, "langfuse-key"),
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
    issuer("lsv2_", 30, Body::Url, "langsmith-key"),
    issuer("pplx-", 32, Body::Alnum, "perplexity-key"),
    issuer("nvapi-", 40, Body::Url, "nvidia-key"),
    issuer("pcsk_", 30, Body::Url, "pinecone-key"),
    issuer("tgp_v1_", 30, Body::Url, "together-key"),
    issuer("ABSK", 80, Body::Alnum, "aws-bedrock-key"),
    issuer("ABIA", 16, Body::Upper, "aws-key-id"),
    issuer("LTAI", 16, Body::Alnum, "alibaba-key"),
    issuer("GOOG1E", 40, Body::Upper, "google-hmac-key"),
    issuer("gloas-", 40, Body::Alnum, "gitlab-token"),
    issuer("glptt-", 40, Body::Alnum, "gitlab-token"),
    issuer("glcbt-", 20, Body::Url, "gitlab-token"),
    issuer("glft-", 20, Body::Url, "gitlab-token"),
    issuer("glagent-", 30, Body::Url, "gitlab-token"),
    issuer("ATATT3", 60, Body::Url, "atlassian-token"),
    issuer("ATBB", 28, Body::Alnum, "bitbucket-token"),
    issuer("xoxe.", 40, Body::Url, "slack-token"),
    issuer("sq0atp-", 22, Body::Url, "square-token"),
    issuer("sq0csp-", 40, Body::Url, "square-secret"),
    issuer("EAACEdEose0cBA", 20, Body::Alnum, "facebook-token"),
    issuer("rk_test_", 16, Body::Alnum, "stripe-key"),
    issuer("shpca_", 20, Body::Alnum, "shopify-token"),
    issuer("shppa_", 20, Body::Alnum, "shopify-token"),
    issuer("dapi", 32, Body::Alnum, "databricks-token"),
    issuer("dp.pt.", 40, Body::Alnum, "doppler-token"),
    issuer("dp.st.", 40, Body::Dotted, "doppler-token"),
    issuer("dt0c01.", 40, Body::Dotted, "dynatrace-token"),
    issuer("EZAK", 54, Body::Alnum, "easypost-key"),
    issuer("fo1_", 40, Body::Url, "fly-token"),
    issuer("fm2_", 60, Body::Url, "fly-token"),
    issuer("FLWSECK", 20, Body::Url, "flutterwave-key"),
    issuer("glsa_", 32, Body::Url, "grafana-token"),
    issuer("HRKU-", 30, Body::Url, "heroku-key"),
    issuer("pat-na1-", 30, Body::Url, "hubspot-token"),
    issuer("pat-eu1-", 30, Body::Url, "hubspot-token"),
    issuer("ico-", 32, Body::Alnum, "infracost-key"),
    issuer("AKCp", 60, Body::Alnum, "artifactory-key"),
    issuer("hvb.", 60, Body::Url, "vault-token"),
    issuer("hvr.", 20, Body::Url, "vault-token"),
    issuer("lin_oauth_", 30, Body::Alnum, "linear-key"),
    issuer("key-", 32, Body::Alnum, "mailgun-key"),
    issuer("sk.eyJ", 40, Body::Dotted, "mapbox-token"),
    issuer("NRAK-", 27, Body::Upper, "new-relic-key"),
    issuer("oy2", 43, Body::Alnum, "nuget-key"),
    issuer("pscale_", 30, Body::Dotted, "planetscale-token"),
    issuer("PMAK-", 40, Body::Url, "postman-key"),
    issuer("pnu_", 36, Body::Alnum, "prefect-key"),
    issuer("rdme_", 60, Body::Alnum, "readme-key"),
    issuer("sntrys_", 40, Body::Url, "sentry-token"),
    issuer("sntryu_", 40, Body::Alnum, "sentry-token"),
    issuer("xkeysib-", 60, Body::Url, "brevo-key"),
    issuer("sqp_", 40, Body::Alnum, "sonar-token"),
    issuer("squ_", 40, Body::Alnum, "sonar-token"),
    issuer("sgp_", 40, Body::Url, "sourcegraph-token"),
    issuer("sbp_", 40, Body::Alnum, "supabase-token"),
    issuer("sb_secret_", 20, Body::Url, "supabase-key"),
    issuer("ops_eyJ", 60, Body::Url, "1password-token"),
    issuer("nfp_", 36, Body::Alnum, "netlify-token"),
    issuer("rnd_", 28, Body::Alnum, "render-key"),
    issuer("dckr_oat_", 20, Body::Url, "docker-token"),
    issuer("CLOJARS_", 60, Body::Alnum, "clojars-token"),
    issuer("tfp_", 50, Body::Url, "typeform-token"),
    issuer("duffel_live_", 40, Body::Url, "duffel-token"),
    issuer("shippo_live_", 40, Body::Alnum, "shippo-token"),
    issuer("EAAA", 56, Body::Url, "square-token"),
    issuer("ddp_", 36, Body::Alnum, "deno-token"),
];

/// A token that begins here.
pub(super) fn prefixed(bytes: &[u8], at: usize) -> Option<Secret> {
    if let Some(secret) = bearer(bytes, at).or_else(|| webhook(bytes, at)) {
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

/// The token of a bot: its number, the colon that stands here, and the secret after it.
pub(super) fn bot(bytes: &[u8], at: usize) -> Option<Secret> {
    const SECRET: usize = 35;
    let number = bytes.get(at.saturating_sub(11)..at)?;
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let start = at.saturating_add(1);
    let end = run(bytes, start, |byte| Body::Url.holds(byte));
    let fits = (8..=10).contains(&digits.count())
        && starts_with(bytes, start, "AA")
        && end.saturating_sub(start) == SECRET;
    fits.then_some(Secret {
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

fn webhook(bytes: &[u8], at: usize) -> Option<Secret> {
    let (place, kind) = HOOKS
        .iter()
        .find(|(place, _)| starts_with(bytes, at, place))?;
    let start = at.saturating_add(place.len());
    let end = run(bytes, start, |byte| Body::Url.holds(byte) || byte == b'/');
    (end.saturating_sub(start) >= SHORTEST).then_some(Secret { start, end, kind })
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
