//! What a server is called in rules and records.
//!
//! Never what it calls itself: a server could take the name of another that is trusted.

/// Programs that only start another.
const STARTERS: &[&str] = &[
    "env", "sudo", "sh", "bash", "node", "nodejs", "bun", "bunx", "deno", "npx", "npm", "pnpm",
    "yarn", "dlx", "exec", "x", "run", "python", "python3", "uv", "uvx", "pipx", "docker",
    "podman",
];

/// The name of a server by the command that starts it: letters, digits, `-` and single `_`.
#[must_use]
pub fn server_name(command: &[String]) -> String {
    let named = command.iter().find_map(|word| {
        let last = word.rsplit('/').next().unwrap_or_default();
        let bare = last.split('@').next().unwrap_or_default();
        let stem = bare.rsplit_once('.').map_or(bare, |(stem, _)| stem);
        let starts = STARTERS.contains(&stem) || word.starts_with('-') || word.contains('=');
        (!starts && !stem.is_empty()).then(|| plain(stem))
    });
    named
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "server".to_owned())
}

/// The name of a server by its address: its host.
#[must_use]
pub fn address_name(address: &str) -> String {
    let host = reqwest::Url::parse(address)
        .ok()
        .and_then(|url| url.host_str().map(plain));
    host.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "server".to_owned())
}

/// The word as it may stand in the name of a rule.
#[must_use]
pub fn plain(word: &str) -> String {
    let mut name = String::new();
    for c in word.chars().take(64) {
        let c = if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        };
        if !(c == '_' && name.ends_with('_')) {
            name.push(c);
        }
    }
    name.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_what_starts_it() {
        let check = |command: &str, name: &str| {
            let words: Vec<_> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(server_name(&words), name, "{command}");
        };
        check("/opt/bin/mcp-server-git --repository .", "mcp-server-git");
        check(
            "npx -y @modelcontextprotocol/server-filesystem@1.2 /w",
            "server-filesystem",
        );
        check("uvx mcp-server-fetch", "mcp-server-fetch");
        check("python3 /srv/my__server.py", "my_server");
        check("env TOKEN=x node dist/index.js", "index");
        check("npx", "server");
    }
}
