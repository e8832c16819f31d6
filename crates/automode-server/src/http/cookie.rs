//! The cookies: of a login, and of a sign-in that is under way.
//!
//! Over TLS their names begin with `__Host-`: a browser then takes them from this host
//! alone, and no other host of the domain can put one of its own in their place.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

/// A cookie of ours.
#[derive(Clone, Copy)]
pub struct OwnCookie {
    name: &'static str,
    seconds: u32,
}

/// Who is signed in.
pub const LOGIN: OwnCookie = OwnCookie {
    name: "automode_login",
    seconds: 43_200,
};
/// What was asked of the provider.
pub const START: OwnCookie = OwnCookie {
    name: "automode_start",
    seconds: 600,
};

impl OwnCookie {
    fn name(self, secure: bool) -> String {
        let place = if secure { "__Host-" } else { "" };
        format!("{place}{}", self.name)
    }

    /// Its value, where the request has one.
    pub fn read(self, headers: &HeaderMap, secure: bool) -> Option<String> {
        let own = self.name(secure);
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == own)
            .map(|(_, value)| value.to_owned())
    }

    /// Sets it: no script reads it, no other site sends it.
    pub fn set(self, value: &str, secure: bool) -> String {
        self.written(value, self.seconds, secure)
    }

    pub fn clear(self, secure: bool) -> String {
        self.written("", 0, secure)
    }

    fn written(self, value: &str, seconds: u32, secure: bool) -> String {
        let name = self.name(secure);
        let only = if secure { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{only}")
    }
}
