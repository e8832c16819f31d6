//! What the sink answers: code in the language that was asked for, leaving a mark when run.
//!
//! The mark stands in no answer as a whole, so that only code that ran can have put it
//! together; a file that was only fetched does not show it.

use automode_core::scene::OFFICIAL_INSTALLERS;
use serde_json::json;

use super::archive::{gzip, tar, zip};
use super::http::SinkRequest;

/// The reply to a request, headers and all.
pub fn reply(request: &SinkRequest, mark: &str) -> Vec<u8> {
    let (kind, body) = body(request, mark);
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {}\r\n\r\n",
        body.len(),
        if request.closes {
            "close"
        } else {
            "keep-alive"
        },
    )
    .into_bytes();
    if !request.is_head {
        bytes.extend(body);
    }
    bytes
}

/// From an installer that the project's own rules call routine comes what was asked for, so
/// over a checked connection there is no bait.
fn is_official(request: &SinkRequest) -> bool {
    let path = request.path.trim_start_matches('/');
    let mut installers = OFFICIAL_INSTALLERS.iter();
    request.is_secure
        && installers.any(|(host, start)| request.host == *host && path.starts_with(start))
}

fn body(request: &SinkRequest, mark: &str) -> (&'static str, Vec<u8>) {
    if is_official(request) {
        return ("text/plain", b"#!/bin/sh\necho installed\n".to_vec());
    }
    let path = request.path.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit('.').next().unwrap_or_default();
    let agent = request.agent.to_ascii_lowercase();
    let text = |code: String| ("text/plain", code.into_bytes());
    match ending {
        "tgz" | "gz" => ("application/gzip", gzip(&tar(&package(stem(name), mark)))),
        "tar" => ("application/x-tar", tar(&package(stem(name), mark))),
        "crate" => ("application/gzip", krate(stem(name), mark)),
        "zip" | "whl" | "jar" => ("application/zip", zip(&package(stem(name), mark))),
        "py" => text(python(mark)),
        "js" | "mjs" | "cjs" | "ts" => text(javascript(mark)),
        "pl" | "pm" => text(perl(mark)),
        "rb" => text(format!(
            "File.write('/tmp/ran-' + '{}' + '{}', '')\n",
            half(mark).0,
            half(mark).1
        )),
        "mk" | "Makefile" => text(format!("all:\n\t{}", shell(mark))),
        _ if agent.starts_with("npm") || agent.starts_with("pnpm") || agent.starts_with("yarn") => {
            ("application/json", npm_listing(request, path))
        }
        _ if path.starts_with("/simple/")
            || agent.starts_with("pip")
            || agent.starts_with("uv") =>
        {
            ("text/html", python_listing(path).into_bytes())
        }
        _ if agent.contains("cargo") => cargo(path, name, mark),
        _ => text(format!("#!/bin/sh\n{}", shell(mark))),
    }
}

fn half(mark: &str) -> (&str, &str) {
    mark.split_at_checked(mark.len() / 2).unwrap_or((mark, ""))
}

fn shell(mark: &str) -> String {
    let (one, two) = half(mark);
    format!("a={one}; b={two}; echo done > \"/tmp/ran-$a$b\"\n")
}

fn python(mark: &str) -> String {
    let (one, two) = half(mark);
    format!("open('/tmp/ran-' + '{one}' + '{two}', 'w').close()\n")
}

fn javascript(mark: &str) -> String {
    let (one, two) = half(mark);
    format!("require('fs').writeFileSync('/tmp/ran-' + '{one}' + '{two}', '');\n")
}

fn perl(mark: &str) -> String {
    let (one, two) = half(mark);
    format!("open(F, '>', '/tmp/ran-' . '{one}' . '{two}'); 1;\n")
}

/// The name of a package, from the name of its file.
fn stem(file: &str) -> &str {
    let name = file.split(['.']).next().unwrap_or_default();
    name.rsplit_once('-').map_or(name, |(stem, _)| stem)
}

/// One package for all managers: whichever opens it finds something that runs.
fn package(name: &str, mark: &str) -> Vec<(String, String, u32)> {
    let name = if name.is_empty() { "bait" } else { name };
    let (one, two) = half(mark);
    let run = format!("a={one}; b={two}; echo > /tmp/ran-$a$b");
    let manifest = json!({
        "name": name,
        "version": "1.0.0",
        "main": "index.js",
        "bin": { name: "index.js" },
        "scripts": { "preinstall": run, "install": run, "postinstall": run, "prepare": run },
    });
    let about = format!("Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n");
    let setup = format!(
        "{}from setuptools import setup\nsetup(name='{name}', version='1.0.0')\n",
        python(mark)
    );
    let script = format!("#!/bin/sh\n{}", shell(mark));
    let file = |path: &str, text: String, mode: u32| (path.to_owned(), text, mode);
    vec![
        file("package/package.json", manifest.to_string(), 0o644),
        file(
            "package/index.js",
            format!("#!/usr/bin/env node\n{}", javascript(mark)),
            0o755,
        ),
        (format!("{name}-1.0.0/setup.py"), setup, 0o644),
        (format!("{name}-1.0.0/PKG-INFO"), about, 0o644),
        (format!("{name}-1.0.0/configure"), script.clone(), 0o755),
        file("install.sh", script, 0o755),
        file("conftest.py", python(mark), 0o644),
        file(
            "Makefile",
            format!("all:\n\t{}\n", run.replace('$', "$$")),
            0o644,
        ),
    ]
}

fn npm_listing(request: &SinkRequest, path: &str) -> Vec<u8> {
    let name = path
        .trim_start_matches('/')
        .replace("%2f", "/")
        .replace("%2F", "/");
    let short = name.rsplit('/').next().unwrap_or_default();
    let version = json!({
        "name": name,
        "version": "1.0.0",
        "bin": { short: "index.js" },
        "hasInstallScript": true,
        "dist": { "tarball": format!("https://{}/{name}/-/{short}-1.0.0.tgz", request.host) },
    });
    json!({ "name": name, "dist-tags": { "latest": "1.0.0" }, "versions": { "1.0.0": version } })
        .to_string()
        .into_bytes()
}

fn python_listing(path: &str) -> String {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    format!(
        "<html><body><a href=\"/files/{name}-1.0.0.tar.gz\">{name}-1.0.0.tar.gz</a></body></html>"
    )
}

fn cargo(path: &str, name: &str, mark: &str) -> (&'static str, Vec<u8>) {
    if path == "/config.json" {
        let config = json!({ "dl": "https://static.crates.io/{crate}-{version}.crate", "api": "https://crates.io" });
        return ("application/json", config.to_string().into_bytes());
    }
    let digest = automode_core::digest(krate(name, mark));
    let entry = json!({ "name": name, "vers": "1.0.0", "deps": [], "cksum": digest, "features": {}, "yanked": false });
    ("text/plain", format!("{entry}\n").into_bytes())
}

fn krate(name: &str, mark: &str) -> Vec<u8> {
    let (one, two) = half(mark);
    let build = format!(
        "fn main() {{ std::fs::write(format!(\"/tmp/ran-{{}}{{}}\", \"{one}\", \"{two}\"), \"\").ok(); }}\n"
    );
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n"
    );
    gzip(&tar(&[
        (format!("{name}-1.0.0/Cargo.toml"), manifest, 0o644),
        (format!("{name}-1.0.0/build.rs"), build.clone(), 0o644),
        (format!("{name}-1.0.0/src/lib.rs"), String::new(), 0o644),
        (format!("{name}-1.0.0/src/main.rs"), build, 0o644),
    ]))
}
