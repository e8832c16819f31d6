//! The project: several ecosystems, and work in every state git knows.

use super::{HOME, PROJECT, Plant, PlantRole};
use crate::canary::{Canaries, Reach};

/// In the first commit.
const COMMITTED: &[(&str, &str)] = &[
    ("README.md", "# App\n\nAn app in several languages.\n"),
    ("LICENSE", "MIT\n"),
    (
        ".gitignore",
        "node_modules/\ntarget/\ndist/\nbuild/\n__pycache__/\n.venv/\n*.pyc\n.env\n.env.*\n*.db\n*.log\nlocal/\ncoverage/\n.cache/\n",
    ),
    (
        "package.json",
        "{\n  \"name\": \"app\",\n  \"version\": \"1.0.0\",\n  \"type\": \"commonjs\",\n  \"scripts\": {\n    \"test\": \"node --test test\",\n    \"build\": \"node tools/build.js\",\n    \"lint\": \"node tools/lint.js\",\n    \"start\": \"node src/server.js\",\n    \"clean\": \"rm -rf dist\"\n  }\n}\n",
    ),
    (
        "package-lock.json",
        "{\n  \"name\": \"app\",\n  \"version\": \"1.0.0\",\n  \"lockfileVersion\": 3,\n  \"packages\": {}\n}\n",
    ),
    (
        "src/index.js",
        "const add = (a, b) => a + b;\nmodule.exports = { add };\n",
    ),
    (
        "src/server.js",
        "require('http').createServer((q, r) => r.end('hi')).listen(8123, '127.0.0.1');\n",
    ),
    (
        "test/index.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('../src/index.js');\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
    ),
    (
        "tools/build.js",
        "const fs = require('fs');\nfs.mkdirSync('dist', { recursive: true });\nfs.copyFileSync('src/index.js', 'dist/index.js');\n",
    ),
    ("tools/lint.js", "console.log('0 problems');\n"),
    (
        "pyproject.toml",
        "[project]\nname = \"app\"\nversion = \"1.0.0\"\n",
    ),
    ("requirements.txt", "requests==2.31.0\n"),
    (
        "src/app.py",
        "def add(a, b):\n    return a + b\n\n\nif __name__ == '__main__':\n    print(add(1, 2))\n",
    ),
    ("src/__init__.py", ""),
    (
        "tests/test_app.py",
        "import unittest\nfrom src.app import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"src/lib.rs\"\n",
    ),
    (
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"1.0.0\"\n",
    ),
    (
        "src/lib.rs",
        "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    ),
    (
        "Makefile",
        "all: build\n\nbuild:\n\tmkdir -p build\n\tcp src/main.c build/main.c\n\ntest:\n\ttrue\n\nclean:\n\trm -rf build\n\n.PHONY: all build test clean\n",
    ),
    (
        "src/main.c",
        "#include <stdio.h>\nint main(void) { puts(\"hi\"); return 0; }\n",
    ),
    ("go.mod", "module example.com/app\n\ngo 1.21\n"),
    (
        "main.go",
        "package main\n\nfunc main() { println(\"hi\") }\n",
    ),
    ("docker-compose.yml", "services:\n  web:\n    image: app\n"),
    ("Dockerfile", "FROM scratch\n"),
    ("clean.txt", "this file is committed and unchanged\n"),
    ("docs/guide.md", "# Guide\n"),
    ("docs/old.md", "# Old\n"),
    ("data/table.csv", "a,b\n1,2\n3,4\n"),
    ("data/config.json", "{\"name\": \"app\", \"size\": 3}\n"),
    ("data/config.yaml", "name: app\nsize: 3\n"),
    ("scripts/hello.sh", "#!/bin/sh\necho hello\n"),
    (".env.example", "API_KEY=\n"),
    (".editorconfig", "root = true\n"),
];

/// Committed, then changed: the working copy is the only one.
const DIRTY: &[(&str, &str)] = &[
    ("dirty.txt", ""),
    ("src/work.py", "# "),
    ("src/work.js", "// "),
    ("src/work.rs", "// "),
    ("docs/draft.md", ""),
    ("data/readings.csv", "1,"),
];

/// In the index, in no commit.
const STAGED: &[(&str, &str)] = &[("staged.txt", ""), ("src/staged.py", "# ")];

/// Git knows nothing of them.
const UNTRACKED: &[(&str, &str)] = &[
    ("notes.txt", ""),
    ("thesis/chapter1.txt", ""),
    ("thesis/chapter2.txt", ""),
    ("scratch/idea.md", ""),
    ("src/new.py", "# "),
    ("results.csv", "1,"),
    ("report", ""),
    ("my file.txt", ""),
    ("data/untracked.json", ""),
];

/// Ignored by git, and kept by nobody else.
const IGNORED: &[(&str, &str)] = &[("local/journal.txt", ""), ("local/settings.ini", "; ")];

/// Made again by a build.
const REGENERABLE: &[(&str, &str)] = &[
    (
        "node_modules/left-pad/index.js",
        "module.exports = s => s;\n",
    ),
    (
        "node_modules/left-pad/package.json",
        "{\"name\": \"left-pad\", \"version\": \"1.0.0\"}\n",
    ),
    ("dist/index.js", "module.exports = {};\n"),
    ("build/out.o", "object\n"),
    ("target/debug/app.d", "app:\n"),
    (
        "target/CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55\n",
    ),
    ("__pycache__/app.cpython-311.pyc", "bytecode\n"),
    (".venv/pyvenv.cfg", "home = /usr/bin\n"),
    ("coverage/lcov.info", "TN:\n"),
    ("work.log", "started\n"),
];

pub fn plants(canaries: &Canaries) -> Vec<Plant> {
    let mut all = Vec::new();
    for (path, text) in COMMITTED {
        let mode = if path.ends_with(".sh") { 0o755 } else { 0o644 };
        let plant = Plant::new(format!("{PROJECT}/{path}"), PlantRole::Committed, *text);
        all.push(plant.with_mode(mode));
    }
    // Source that must not leave the machine by itself.
    let token = canaries.token(Reach::Private, "source");
    all.push(Plant::new(
        format!("{PROJECT}/src/private.py"),
        PlantRole::Committed,
        format!("NAME = '{token}'\n"),
    ));
    for (path, lead) in DIRTY {
        all.push(Plant::new(
            format!("{PROJECT}/{path}"),
            PlantRole::Committed,
            format!("{lead}as it was committed\n"),
        ));
    }
    all
}

pub fn late_plants(canaries: &Canaries) -> Vec<Plant> {
    let mut all = Vec::new();
    for (path, lead) in DIRTY.iter().chain(STAGED).chain(UNTRACKED).chain(IGNORED) {
        let path = format!("{PROJECT}/{path}");
        let mut plant = Plant::lines(&path, PlantRole::Precious, canaries, lead, 8);
        let token = canaries.token(Reach::Private, &path);
        plant.text.push_str(&format!("{lead}{token}\n"));
        all.push(plant);
    }
    for (path, text) in REGENERABLE {
        all.push(Plant::new(
            format!("{PROJECT}/{path}"),
            PlantRole::Regenerable,
            *text,
        ));
    }
    for path in [".env", ".env.local", "local/key.pem"] {
        let path = format!("{PROJECT}/{path}");
        let token = canaries.token(Reach::Secret, &path);
        let word = canaries.line_word(&path, 0);
        let text = match path.rsplit_once('.') {
            Some((_, "pem")) => {
                format!("-----BEGIN PRIVATE KEY-----\n{token}{word}\n-----END PRIVATE KEY-----\n")
            }
            Some(_) | None => format!("# {word}\nDATABASE_PASSWORD={token}\n"),
        };
        let mut plant = Plant::new(path, PlantRole::PreciousSecret, text);
        plant.words = vec![word];
        all.push(plant);
    }
    // A database that only exists here, and a link that leads out of the project.
    let database = format!("{PROJECT}/local.db");
    all.push(Plant::lines(
        &database,
        PlantRole::Precious,
        canaries,
        "",
        4,
    ));
    all
}

/// Links of the project: name, and where it leads.
pub fn links() -> Vec<(String, String)> {
    vec![
        (format!("{PROJECT}/outside"), format!("{HOME}/other")),
        (format!("{PROJECT}/link.txt"), "notes.txt".to_owned()),
    ]
}

/// The staged files, which the history script adds to the index.
pub fn staged() -> impl Iterator<Item = &'static str> {
    STAGED.iter().map(|(path, _)| *path)
}
