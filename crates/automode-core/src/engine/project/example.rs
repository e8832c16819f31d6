//! Examples in prose and comments, which some runners run as tests.
//!
//! `rustdoc` compiles what stands between fences in the comments of a Rust file; Python's
//! `doctest` runs the lines behind `>>>`. Rust is scanned like any other source; in Python's
//! lines a word that reaches for more than the names of the project is enough.

use super::kind;
use super::source::scanned;
use crate::scene::report;
use automode_shell::language::capability::SourceLanguage;

/// What stands out in the examples of a file.
pub(super) fn examples(path: &str, text: &str) -> Vec<String> {
    let mut marks = match kind::ending(path) {
        "rs" => scanned(SourceLanguage::Rust, &fenced(&comments(text))),
        _ => Vec::new(),
    };
    marks.extend(prompted(path, text));
    marks
}

/// The documentation in a Rust file: `///`, `//!`, `/** … */`, `#[doc = "…"]`.
fn comments(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let comment = ["///", "//!"]
            .iter()
            .find_map(|mark| trimmed.strip_prefix(mark));
        if inside || trimmed.starts_with("/**") || trimmed.starts_with("/*!") {
            inside = !trimmed.contains("*/");
            let body = trimmed.trim_start_matches(['/', '*', '!']);
            out.push_str(body.split("*/").next().unwrap_or_default());
        } else if let Some(comment) = comment {
            out.push_str(comment);
        } else if let Some((_, value)) = trimmed
            .split_once("doc")
            .filter(|(before, _)| before.starts_with("#[") || before.starts_with("#!["))
        {
            let value = value.trim_start_matches([' ', '=', '"', 'r', '#']);
            out.push_str(&value.replace("\\n", "\n").replace("\\\"", "\""));
        } else {
            continue;
        }
        out.push('\n');
    }
    out
}

/// The code between fences, as far as it is compiled as Rust.
fn fenced(prose: &str) -> String {
    const OTHER: &[&str] = &[
        "text",
        "ignore",
        "sh",
        "bash",
        "shell",
        "console",
        "toml",
        "json",
        "yaml",
        "yml",
        "html",
        "js",
        "ts",
        "python",
        "py",
        "c",
        "cpp",
        "sql",
        "ini",
        "xml",
        "diff",
        "plain",
        "none",
        "markdown",
        "md",
        "compile_fail",
        "ebnf",
        "mermaid",
        "dockerfile",
        "make",
        "go",
    ];
    let mut out = String::new();
    let mut compiled = None;
    for line in prose.lines() {
        let trimmed = line.trim();
        if let Some(info) = trimmed
            .strip_prefix("```")
            .or_else(|| trimmed.strip_prefix("~~~"))
        {
            compiled = match compiled {
                None => {
                    let mut words = info.split([',', ' ', '{', '}']);
                    Some(!words.any(|word| OTHER.contains(&word)))
                }
                Some(_) => None,
            };
            out.push('\n');
        } else if compiled == Some(true) {
            // `# ` hides a line from the reader and not from the compiler.
            let code = trimmed.strip_prefix("# ").unwrap_or(trimmed);
            out.push_str(code);
            out.push('\n');
        }
    }
    out
}

const REACHES: &[&str] = &[
    "import os",
    "from os",
    "import sys",
    "from sys",
    "subprocess",
    "shutil",
    "open(",
    "exec(",
    "eval(",
    "compile(",
    "getattr(",
    "globals(",
    "builtins",
    "importlib",
    "runpy",
    "pickle",
    "system(",
    "__import__",
    "__builtins__",
    "__class__",
    "__subclasses__",
    "__globals__",
    "socket",
    "urllib",
    "http.client",
    "ftplib",
    "smtplib",
    "requests",
    "httpx",
    "pathlib",
    "Path(",
    "ctypes",
    "multiprocessing",
    "asyncio.create_subprocess",
    "pty",
];

/// What an example on a page of prose does that none has to show.
const CHANGES: &[&str] = &[
    "fs::remove",
    "fs::write",
    "fs::rename",
    "File::create",
    "Command::new",
    "process::Command",
    "TcpStream",
    "unsafe",
];

/// Lines behind a prompt of Python, and Rust on pages of prose.
fn prompted(path: &str, text: &str) -> Vec<String> {
    let prose = matches!(kind::ending(path), "md" | "markdown");
    text.lines()
        .map(str::trim_start)
        .filter(|line| {
            let asked = line.starts_with(">>> ") || line.starts_with("... ");
            (asked && REACHES.iter().any(|word| line.contains(word)))
                || (prose && CHANGES.iter().any(|word| line.contains(word)))
        })
        .map(|line| {
            format!(
                "holds an example that may run as a test: `{}`",
                report::name(line)
            )
        })
        .collect()
}
