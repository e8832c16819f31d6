//! The HTTP client that everything here uses: no redirects, bounded waiting.

use std::time::Duration;

/// A client. Cipher suites are chosen once for the process.
///
/// # Errors
/// Where the system gives none.
pub fn client() -> Result<reqwest::Client, reqwest::Error> {
    // Somebody in this process may have chosen before; theirs serves as well.
    rustls::crypto::ring::default_provider()
        .install_default()
        .unwrap_or_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .timeout(Duration::from_secs(70))
        .user_agent(concat!("automode/", env!("CARGO_PKG_VERSION")))
        .build()
}
