//! What kind of file a runner would take a name for.
//!
//! Code is read as code, settings of tools by their changed lines, and what no
//! runner loads is data. A manifest that a runner is followed through (`package.json`,
//! a Makefile) is read where it is followed. A kind that nobody reads is foreign.

use automode_shell::language::capability::SourceLanguage;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProjectFileKind {
    /// Nothing in it runs.
    Data,
    /// The runner's own analysis reads it from the disk.
    Manifest,
    /// Followed step by step.
    Followed,
    /// Scanned for what it can do.
    Scanned(SourceLanguage),
    /// Markup with scripts in it.
    Markup,
    /// Settings of a tool, which may name what it loads.
    Settings,
    /// Code that nobody reads.
    Foreign,
    /// No ending that says what it is.
    Unnamed,
}

/// Endings of what people and tools read, which settings name all the time. No runner loads it as code.
const ORDINARY: &[&str] = &[
    "md",
    "markdown",
    "rst",
    "adoc",
    "txt",
    "log",
    "csv",
    "tsv",
    "json",
    "json5",
    "xml",
    "yml",
    "yaml",
    "toml",
    "ini",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "ico",
    "pdf",
    "woff",
    "woff2",
    "lock",
    "sql",
    "proto",
    "graphql",
    "po",
    "map",
    "lcov",
    "db",
    "sqlite",
    "sqlite3",
    "env",
    "tmpl",
    "template",
    "hbs",
    "j2",
    "jinja",
    "pem",
    "crt",
    "cfg",
    "conf",
    "properties",
    "feature",
    "xsd",
    "prisma",
    "typed",
    "ignore",
];

/// Endings of other things that no runner loads as code.
const DATA: &[&str] = &[
    "text",
    "jsonl",
    "ndjson",
    "bmp",
    "tiff",
    "ttf",
    "otf",
    "eot",
    "mp3",
    "mp4",
    "wav",
    "ogg",
    "webm",
    "sum",
    "golden",
    "gql",
    "pot",
    "patch",
    "diff",
    "out",
    "prof",
    "parquet",
    "zip",
    "gz",
    "tar",
    "tgz",
    "xz",
    "bz2",
    "example",
    "sample",
    "tpl",
    "mustache",
    "ejs",
    "erb",
    "bib",
    "tex",
    "diffs",
    "key",
    "editorconfig",
    "graphqls",
    "avsc",
    "xsl",
    "wsdl",
    "plist",
    "strings",
    "stringsdict",
    "storyboard",
    "xib",
    "entitlements",
    "xcassets",
    "resx",
    "xaml",
    "axaml",
    "thrift",
    "capnp",
    "fbs",
    "ftl",
    "arb",
    "mo",
    "ics",
    "geojson",
    "topojson",
    "wkt",
    "kml",
    "gpx",
    "ipynb_checkpoints",
    "gitkeep",
    "keep",
    "bak",
    "orig",
    "rej",
    "approved",
    "received",
    "expected",
    "actual",
    "stdout",
    "stderr",
    "input",
    "output",
    "fixture",
    "dat",
    "data",
    "msgpack",
    "pb",
    "avro",
    "orc",
    "feather",
    "npy",
    "npz",
    "h5",
    "onnx",
    "safetensors",
    "mid",
    "flac",
    "avif",
    "heic",
    "psd",
    "ai",
    "sketch",
    "fig",
    "drawio",
    "puml",
    "mmd",
    "dot",
    "gv",
    "srt",
    "vtt",
    "asc",
    "sig",
    "pub",
    "cer",
    "der",
    "p12",
    "crl",
    "csr",
    "eml",
    "vcf",
    "rtf",
    "docx",
    "xlsx",
    "pptx",
    "odt",
    "ods",
    "epub",
    "cff",
    "cast",
    "http",
    "rest",
    "hurl",
    "webmanifest",
    "browserslistrc",
    "tmlanguage",
    "vsix",
    "sarif",
    "tap",
    "junit",
    "coverage",
    "trx",
    "baseline",
];

/// Endings of code that is not read.
const FOREIGN: &[&str] = &[
    "so", "dylib", "dll", "pyd", "node", "jar", "class", "war", "o", "a", "lib", "exe", "wasm",
    "pyc", "pyo", "egg", "whl", "bin", "scala", "sc", "clj", "cljs", "cljc", "edn", "hs", "lhs",
    "ml", "mli", "erl", "hrl", "lua", "r", "jl", "dart", "zig", "nim", "pl", "pm", "t", "ps1",
    "psm1", "bat", "cmd", "vb", "fs", "fsx", "f90", "f", "d", "cr", "v", "asm", "s", "cu", "elm",
    "purs", "rkt", "lisp", "el", "bzl", "bazel", "nix", "sol", "tcl", "coffee", "awk", "pyx",
    "pxd", "vim", "raku", "pro", "star",
];

/// Names of tools' settings.
const SETTINGS: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    ".coveragerc",
    "noxfile.toml",
    "cargo.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "tsconfig.json",
    "jsconfig.json",
    "babel.config.json",
    ".babelrc",
    ".swcrc",
    ".eslintrc",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
    ".mocharc.json",
    ".mocharc.yml",
    ".mocharc.yaml",
    ".nycrc",
    ".nycrc.json",
    "jest.config.json",
    "karma.conf.json",
    "nx.json",
    "project.json",
    "turbo.json",
    "angular.json",
    "deno.json",
    "deno.jsonc",
    "bunfig.toml",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.json",
    "pom.xml",
    "build.xml",
    "settings.xml",
    "gradle.properties",
    "phpunit.xml",
    "phpunit.xml.dist",
    "phpstan.neon",
    ".rspec",
    ".rubocop.yml",
    "mkdocs.yml",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lintstagedrc",
    "bsconfig.json",
    "go.mod",
    "go.work",
    "mix.lock",
    ".formatter.exs",
    "pubspec.yaml",
    "stack.yaml",
    ".golangci.yml",
    ".golangci.yaml",
    "mypy.ini",
    ".flake8",
    ".pylintrc",
    "ruff.toml",
    "conftest.ini",
    "cmakepresets.json",
    "meson.options",
    "buf.yaml",
    "skaffold.yaml",
    "global.json",
    "nuget.config",
    "directory.build.props",
    "directory.build.targets",
    "directory.packages.props",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    "maven.config",
    "jvm.config",
    "extensions.xml",
    "vitest.config.json",
    "nodemon.json",
    "lerna.json",
    "rush.json",
    "cypress.json",
    "playwright.json",
    ".prettierrc",
    ".stylelintrc",
    ".stylelintrc.json",
    ".terserrc",
    ".postcssrc",
    ".parcelrc",
    "nextest.toml",
    "deny.toml",
    "tarpaulin.toml",
    ".tarpaulin.toml",
    "phpcs.xml",
    "psalm.xml",
    "codeception.yml",
    "behat.yml",
    ".simplecov",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".tool-versions",
    "devbox.json",
    "serverless.yml",
    "samconfig.toml",
    "pulumi.yaml",
    "cdk.json",
    "ansible.cfg",
    "workspace.json",
    "pnpm-workspace.yaml",
    "rspack.config.json",
    "wrangler.toml",
    "spring.rb",
    ".credo.exs",
    "swiftlint.yml",
    ".swiftlint.yml",
    "vercel.json",
    "netlify.toml",
    "firebase.json",
    "wrangler.json",
    "wrangler.jsonc",
    "fly.toml",
    "render.yaml",
    "app.json",
    "book.toml",
    "hugo.toml",
    "hugo.yaml",
    "hugo.json",
    "buf.gen.yaml",
    "sqlc.yaml",
    "template.yaml",
    "dbt_project.yml",
    "dvc.yaml",
    "tslint.json",
    "stylelint.json",
    "nodemon.json",
    "typedoc.json",
    "codegen.yml",
    "codegen.yaml",
    "pyrightconfig.json",
    "phpstan.neon.dist",
    "psalm.xml.dist",
    "compile_flags.txt",
    "compile_commands.json",
    "hatch.toml",
    "pixi.toml",
    "tox.toml",
    "uv.toml",
    "poetry.toml",
    "pdm.toml",
    "alembic.ini",
    "uwsgi.ini",
    "supervisord.conf",
    "openapitools.json",
    "ormconfig.json",
    "jasmine.json",
    "cucumber.json",
    "cucumber.yml",
    "jest-preset.json",
    "libs.versions.toml",
    ".clang-tidy",
    ".clangd",
    ".pyre_configuration",
    ".user.ini",
    "php.ini",
    "lombok.config",
    "mprocs.yaml",
    "biome.json",
    "stryker.conf.json",
    "dotnet-tools.json",
    "cliff.toml",
    "pip.conf",
    "pip.ini",
    "kustomization.yaml",
];

/// Endings of project files that a build tool reads and obeys.
const BUILD: &[&str] = &[
    "csproj", "fsproj", "vbproj", "vcxproj", "sln", "slnx", "props", "targets", "pbxproj",
    "xcconfig", "xcscheme", "cabal", "gemspec", "opam", "pri", "qbs", "gyp", "gypi", "ninja", "bp",
    "podspec",
];

/// Names without an ending that hold nothing that runs.
const PLAIN: &[&str] = &[
    "license",
    "licence",
    "notice",
    "authors",
    "contributors",
    "maintainers",
    "codeowners",
    "changelog",
    "changes",
    "news",
    "todo",
    "readme",
    "version",
    "copying",
    "copyright",
    "patents",
    ".gitignore",
    ".dockerignore",
    ".npmignore",
    ".eslintignore",
    ".prettierignore",
    ".stylelintignore",
    ".gcloudignore",
    ".helmignore",
    ".vscodeignore",
    ".cfignore",
    ".slugignore",
    ".gitkeep",
    ".keep",
    ".editorconfig",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".ruby-version",
    ".java-version",
    ".go-version",
    ".terraform-version",
    ".mailmap",
    ".clang-format",
    ".rustfmt",
    ".env",
    ".ds_store",
    "owners",
    "gemfile.lock",
    "podfile.lock",
];

/// Manifests that a runner is followed through, so that they are read when they run.
const FOLLOWED_BY_RUNNER: &[&str] = &[
    "package.json",
    "composer.json",
    "makefile",
    "gnumakefile",
    "justfile",
    ".justfile",
    "taskfile.yml",
    "taskfile.yaml",
    "procfile",
];

/// Whether an ending is of what settings name all the time.
pub(super) fn is_ordinary(ending: &str) -> bool {
    ORDINARY.contains(&ending) || ending == "jsonc"
}

/// The ending of a file's name; none for a name that only begins with a dot.
pub(super) fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => ending,
        Some(_) | None => "",
    }
}

pub(super) fn of(path: &str) -> ProjectFileKind {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let ending = ending(&lower);
    if FOLLOWED_BY_RUNNER.contains(&name) || ending == "mk" || ending == "just" {
        return ProjectFileKind::Manifest;
    }
    let below = |folder: &str| lower.contains(folder);
    if SETTINGS.contains(&name)
        || BUILD.contains(&ending)
        || below("/.cargo/")
        || below("/.mvn/")
        || below("/.bundle/")
        || below("/.yarn/")
    {
        return ProjectFileKind::Settings;
    }
    if matches!(ending, "vue" | "svelte" | "astro") {
        return ProjectFileKind::Markup;
    }
    if matches!(
        ending,
        "py" | "pyw" | "ipynb" | "sh" | "bash" | "zsh" | "ksh"
    ) {
        return ProjectFileKind::Followed;
    }
    // A test runner evaluates what it noted of earlier results.
    if ending == "snap" {
        return ProjectFileKind::Scanned(SourceLanguage::JavaScript);
    }
    if is_hidden_settings(name, ending) {
        return ProjectFileKind::Settings;
    }
    if matches!(ending, "pyi") || is_type_declaration(name) {
        return ProjectFileKind::Data;
    }
    if let Some(language) = SourceLanguage::of_path(path) {
        return ProjectFileKind::Scanned(language);
    }
    if ORDINARY.contains(&ending)
        || DATA.contains(&ending)
        || PLAIN.contains(&name)
        || name.starts_with(".env.")
    {
        return ProjectFileKind::Data;
    }
    if FOREIGN.contains(&ending) {
        return ProjectFileKind::Foreign;
    }
    ProjectFileKind::Unnamed
}

/// `.prettierrc.yaml`, `.air.toml`, `knip.config.json`: settings of a tool by the form of their name.
fn is_hidden_settings(name: &str, ending: &str) -> bool {
    let format = matches!(
        ending,
        "json" | "json5" | "jsonc" | "yml" | "yaml" | "toml" | "ini" | "neon" | "conf"
    );
    let stem = name
        .strip_suffix(ending)
        .map_or(name, |stem| stem.trim_end_matches('.'));
    let hidden = name.starts_with('.') && !name.starts_with(".env");
    let named = stem.ends_with(".config") || stem.ends_with("rc") && hidden;
    (format && (hidden || named)) || (ending.is_empty() && hidden && name.ends_with("rc"))
}

/// `x.d.ts`: types and nothing else.
fn is_type_declaration(name: &str) -> bool {
    name.ends_with(".d.ts") || name.ends_with(".d.mts") || name.ends_with(".d.cts")
}

/// Whether a file of this name is make's.
pub(super) fn is_makefile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "Makefile" | "makefile" | "GNUmakefile")
}

/// Whether a file of this name holds variables for programs.
pub(super) fn is_environment(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
}

/// Whether nothing that runs can come of a file of this name.
pub(super) fn is_data(path: &str) -> bool {
    of(path) == ProjectFileKind::Data
}
