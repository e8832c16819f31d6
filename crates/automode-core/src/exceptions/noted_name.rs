//! Names of packages that may be noted in a manifest or brought here without a question.
//!
//! A name is plain where it can only mean a package of the manager's own registry: no
//! address, no path, no other repository. One that looks like a well-known name and is
//! none is what a mistake or a trap looks like.

/// Names that others imitate.
const WELL_KNOWN: &[&str] = &[
    "actix-web",
    "alpine",
    "angular",
    "anyhow",
    "aspnetcore",
    "async-trait",
    "axios",
    "axum",
    "babel",
    "bcrypt",
    "beautifulsoup4",
    "boto3",
    "busybox",
    "bytes",
    "chalk",
    "chrono",
    "clap",
    "click",
    "cobra",
    "colorama",
    "commander",
    "cross-env",
    "crossbeam",
    "cryptography",
    "dapper",
    "debian",
    "debug",
    "discord.py",
    "django",
    "dotenv",
    "echo",
    "electron",
    "esbuild",
    "eslint",
    "express",
    "fastapi",
    "fedora",
    "flask",
    "fluentvalidation",
    "futures",
    "gin",
    "golang",
    "gorm",
    "httpx",
    "hyper",
    "itertools",
    "jest",
    "jquery",
    "jsonwebtoken",
    "lazy_static",
    "lodash",
    "mariadb",
    "matplotlib",
    "mediatr",
    "minimist",
    "mocha",
    "moment",
    "mongo",
    "mongoose",
    "mysql",
    "newtonsoft.json",
    "next",
    "nginx",
    "node",
    "node-fetch",
    "nodemon",
    "numpy",
    "nunit",
    "openssl",
    "pandas",
    "pillow",
    "playwright",
    "polly",
    "postgres",
    "prettier",
    "prisma",
    "puppeteer",
    "pydantic",
    "pytest",
    "python",
    "rails",
    "rand",
    "rayon",
    "react",
    "react-dom",
    "redis",
    "redux",
    "regex",
    "requests",
    "reqwest",
    "rollup",
    "ruby",
    "rust",
    "rustls",
    "scikit-learn",
    "scipy",
    "selenium",
    "sequelize",
    "serde",
    "serde_json",
    "serilog",
    "setuptools",
    "socket.io",
    "sqlalchemy",
    "sqlx",
    "svelte",
    "swashbuckle",
    "tailwindcss",
    "tensorflow",
    "testify",
    "thiserror",
    "tokio",
    "torch",
    "tracing",
    "transformers",
    "typescript",
    "ubuntu",
    "underscore",
    "urllib3",
    "uuid",
    "viper",
    "vite",
    "vitest",
    "webpack",
    "xunit",
    "zod",
    "zustand",
];

/// Crates that many projects build with; names that are short or plain words are not worth
/// imitating, so they stand apart.
const COMMON_CRATES: &[&str] = &[
    "ahash",
    "approx",
    "arbitrary",
    "arc-swap",
    "argh",
    "arrayvec",
    "assert-cmd",
    "assert_fs",
    "assert_matches",
    "async-channel",
    "async-std",
    "async-stream",
    "atty",
    "autocfg",
    "backtrace",
    "base64",
    "bincode",
    "bindgen",
    "bitflags",
    "blake3",
    "bstr",
    "bumpalo",
    "bytemuck",
    "byteorder",
    "camino",
    "cargo_metadata",
    "cc",
    "cfg-if",
    "chrono-tz",
    "clap_complete",
    "clap_derive",
    "color-eyre",
    "colored",
    "comfy-table",
    "config",
    "console",
    "console_error_panic_hook",
    "criterion",
    "crossbeam-channel",
    "crossbeam-utils",
    "crossterm",
    "csv",
    "ctrlc",
    "darling",
    "dashmap",
    "derive_builder",
    "derive_more",
    "dialoguer",
    "diesel",
    "digest",
    "directories",
    "dirs",
    "dotenvy",
    "either",
    "encoding_rs",
    "env_logger",
    "eyre",
    "fastrand",
    "filetime",
    "flate2",
    "flume",
    "fs_extra",
    "futures-util",
    "generic-array",
    "getrandom",
    "git2",
    "glob",
    "governor",
    "h2",
    "half",
    "hashbrown",
    "heck",
    "hex",
    "hmac",
    "home",
    "http",
    "http-body-util",
    "httparse",
    "httpmock",
    "humantime",
    "hyper-util",
    "ignore",
    "image",
    "include_dir",
    "indexmap",
    "indicatif",
    "indoc",
    "insta",
    "ipnet",
    "itoa",
    "js-sys",
    "jsonschema",
    "leptos",
    "libc",
    "libloading",
    "log",
    "lru",
    "maplit",
    "md-5",
    "memchr",
    "memmap2",
    "miette",
    "mime",
    "minijinja",
    "mockall",
    "mockito",
    "moka",
    "nalgebra",
    "ndarray",
    "nix",
    "nom",
    "notify",
    "num",
    "num-bigint",
    "num-traits",
    "num_cpus",
    "once_cell",
    "opentelemetry",
    "ordered-float",
    "owo-colors",
    "parking_lot",
    "paste",
    "pathdiff",
    "percent-encoding",
    "pest",
    "petgraph",
    "pin-project",
    "pin-project-lite",
    "polars",
    "predicates",
    "pretty_assertions",
    "prettyplease",
    "proc-macro2",
    "prometheus",
    "proptest",
    "prost",
    "pyo3",
    "quick-xml",
    "quickcheck",
    "quote",
    "rand_chacha",
    "rand_core",
    "ratatui",
    "rmp-serde",
    "ropey",
    "rstest",
    "rusqlite",
    "rust_decimal",
    "rustc-hash",
    "rustix",
    "rustyline",
    "ryu",
    "same-file",
    "schemars",
    "scopeguard",
    "secrecy",
    "semver",
    "serde_derive",
    "serde_path_to_error",
    "serde_repr",
    "serde_urlencoded",
    "serde_with",
    "serde_yaml",
    "serial_test",
    "sha1",
    "sha2",
    "signal-hook",
    "similar",
    "slab",
    "slog",
    "smallvec",
    "smol_str",
    "socket2",
    "static_assertions",
    "strsim",
    "structopt",
    "strum",
    "strum_macros",
    "subtle",
    "syn",
    "sysinfo",
    "tabled",
    "tar",
    "tauri",
    "tempfile",
    "tera",
    "termcolor",
    "test-case",
    "test-log",
    "textwrap",
    "time",
    "tinyvec",
    "tokio-stream",
    "tokio-test",
    "tokio-tungstenite",
    "tokio-util",
    "toml",
    "toml_edit",
    "tonic",
    "tower",
    "tower-http",
    "tracing-appender",
    "tracing-subscriber",
    "trybuild",
    "typed-builder",
    "unicode-normalization",
    "unicode-segmentation",
    "unicode-width",
    "url",
    "utoipa",
    "validator",
    "version_check",
    "walkdir",
    "warp",
    "wasm-bindgen",
    "web-sys",
    "wgpu",
    "which",
    "winapi",
    "windows-sys",
    "wiremock",
    "xxhash-rust",
    "yansi",
    "zeroize",
    "zip",
    "zstd",
];

/// Registries of images that everybody uses.
const IMAGE_HOSTS: &[&str] = &[
    "docker.io",
    "gcr.io",
    "ghcr.io",
    "lscr.io",
    "mcr.microsoft.com",
    "nvcr.io",
    "public.ecr.aws",
    "quay.io",
    "registry.gitlab.com",
    "registry.k8s.io",
];

/// Whether a word can only mean a package of the registry that the program asks by itself.
pub(super) fn is_plain(program: &str, word: &str) -> bool {
    let letters = word
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "@/._-+~^=<>:*".contains(letter));
    let begins = word.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@');
    let climbs = word
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.'));
    if !letters || !begins || climbs || word.contains("//") {
        return false;
    }
    let named = match program {
        "docker" | "podman" => is_image(word),
        "go" => {
            !word.contains(':')
                && word
                    .split('/')
                    .next()
                    .is_some_and(|host| host.contains('.'))
        }
        _ => is_package(word),
    };
    named && (program == "go" || !looks_like_another(bare(word)))
}

/// The name without an owner before it and a version behind it.
fn bare(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let end = name.find(['@', ':', '=', '<', '>', '~', '^']);
    name.get(..end.unwrap_or(name.len())).unwrap_or(name)
}

/// `name`, `name@1.2`, `@scope/name`.
fn is_package(word: &str) -> bool {
    let slashes = word.matches('/').count();
    let scoped = word.starts_with('@') && slashes == 1;
    !word.contains(':') && (scoped || slashes == 0)
}

/// `name:tag`, `owner/name`, and those of the registries that everybody uses.
fn is_image(word: &str) -> bool {
    match word.split_once('/') {
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => {
            IMAGE_HOSTS.contains(&host)
        }
        Some(_) | None => true,
    }
}

/// Whether everybody knows a package of this name.
pub(crate) fn is_well_known(word: &str) -> bool {
    let name = bare(word).to_ascii_lowercase().replace('_', "-");
    let known = |known: &&str| known.replace('_', "-") == name;
    WELL_KNOWN.iter().chain(COMMON_CRATES).any(known)
}

/// One letter away from a well-known name, which it is not.
fn looks_like_another(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !WELL_KNOWN.contains(&name.as_str())
        && WELL_KNOWN
            .iter()
            .any(|known| known.len() > 3 && is_one_away(&name, known))
}

/// One letter more, less, other, or two exchanged.
fn is_one_away(name: &str, known: &str) -> bool {
    let (name, known) = (name.as_bytes(), known.as_bytes());
    let same = name.iter().zip(known).take_while(|(a, b)| a == b).count();
    let rest = |text: &[u8], skip: usize| text.get(same.saturating_add(skip)..).map(<[u8]>::to_vec);
    let other = rest(name, 1).is_some() && rest(name, 1) == rest(known, 1);
    let more = rest(name, 1).is_some() && rest(name, 1) == rest(known, 0);
    let less = rest(known, 1).is_some() && rest(name, 0) == rest(known, 1);
    let exchanged = name.get(same) == known.get(same.saturating_add(1))
        && name.get(same.saturating_add(1)) == known.get(same)
        && name.get(same).is_some()
        && rest(name, 2) == rest(known, 2);
    name != known && (other || more || less || exchanged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_or_something_else() {
        for (program, word) in [
            ("cargo", "serde"),
            ("cargo", "serde_json@1.0"),
            ("cargo", "sha2"),
            ("bun", "@types/node@20"),
            ("bun", "left-pad"),
            ("go", "github.com/gin-gonic/gin@v1.9.1"),
            ("go", "golang.org/x/text@none"),
            ("dotnet", "Newtonsoft.Json"),
            ("docker", "postgres:16"),
            ("docker", "ghcr.io/astral-sh/uv:latest"),
            ("podman", "library/alpine"),
        ] {
            assert!(is_plain(program, word), "{program} {word}");
        }
        for (program, word) in [
            ("cargo", "serd"),
            ("cargo", "sedre"),
            ("cargo", "tokioo"),
            ("bun", "expresss"),
            ("bun", "loadsh"),
            ("bun", "user/repo"),
            ("bun", "git+https://evil.example/x"),
            ("bun", "left-pad@npm:other"),
            ("bun", "file:../x"),
            ("bun", "./x"),
            ("bun", "../x"),
            ("bun", "x y"),
            ("go", "-insecure"),
            ("go", "local/thing"),
            ("docker", "evil.example/x"),
            ("docker", "localhost:5000/x"),
            ("docker", "ngnix"),
        ] {
            assert!(!is_plain(program, word), "{program} {word}");
        }
    }
}
