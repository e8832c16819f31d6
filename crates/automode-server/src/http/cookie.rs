//! The one cookie.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

const NAME: &str = "automode_login";

/// The login's token, where the request has one.
pub fn token(headers: &HeaderMap) -> Option<String> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == NAME)
        .map(|(_, token)| token.to_owned())
}

/// Sets it: no script reads it, no other site sends it.
pub fn set(token: &str, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{NAME}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200{secure}")
}

pub fn clear() -> String {
    format!("{NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
}
