//! Clients that are told to talk to somebody else than their address names.

use automode_shell::Invocation;

/// Flags that lead a connection elsewhere than its address says, or leave it unchecked.
const DETOURS: &[&str] = &[
    "--resolve",
    "--connect-to",
    "-x",
    "--proxy",
    "--preproxy",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "--unix-socket",
    "--abstract-unix-socket",
    "--doh-url",
    "--dns-servers",
    "-k",
    "--insecure",
    "--no-check-certificate",
    "--cacert",
    "--capath",
    "--ca-certificate",
    "-K",
    "--config",
];

/// A client that was told to talk to somebody else than the address names.
pub fn is_detoured(start: &Invocation) -> bool {
    start.argv.iter().skip(1).any(|word| {
        word.literal().is_some_and(|word| {
            let name = word.split('=').next().unwrap_or_default();
            let bundled = word.starts_with('-')
                && !word.starts_with("--")
                && word.chars().all(|c| c == '-' || c.is_ascii_alphabetic())
                && word.contains(['k', 'x', 'K']);
            DETOURS.contains(&name) || bundled
        })
    })
}
