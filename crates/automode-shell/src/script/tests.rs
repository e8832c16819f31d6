//! Task files and what they come down to.

use super::{Runner, ScriptFile, TaskStart, open, resolve};
use crate::language::tests::shown;
use crate::{Act, Context, Facts, FileFact, GapKind, Layer, Need, Span, TaskRequest, Value};

fn facts(files: &[(&str, &str)]) -> Facts {
    let mut facts = Facts::default();
    for (path, body) in files {
        let fact = FileFact::Text {
            body: (*body).to_owned(),
            session: false,
        };
        facts.files.insert((*path).to_owned(), fact);
    }
    facts
}

fn context() -> Context {
    Context {
        cwd: "/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/app".to_owned()],
        variables: Vec::new(),
    }
}

fn words(words: &[&str]) -> Vec<Value> {
    words
        .iter()
        .map(|word| Value::text(*word, Span::default()))
        .collect()
}

#[track_caller]
fn check(
    runner: Runner,
    file: (&str, &str),
    names: &[&str],
    arguments: &[&str],
    expected: &[&str],
) {
    let (names, arguments) = (TaskRequest::Run(words(names)), words(arguments));
    let request = TaskStart {
        runner,
        tasks: &names,
        arguments: &arguments,
        directory: Some("/app"),
        environment: &[],
        file: None,
        span: Span::default(),
    };
    let mut facts = facts(&[(&format!("/app/{}", file.0), file.1)]);
    for absent in ["GNUmakefile", "makefile", "deno.json"] {
        facts
            .files
            .entry(format!("/app/{absent}"))
            .or_insert(FileFact::Absent);
    }
    let found = resolve(&request, &context(), &facts);
    let lines: Vec<String> = shown(&found)
        .into_iter()
        .filter(|line| !line.starts_with("run Task"))
        .collect();
    assert_eq!(lines, expected, "\n{}\n", file.1);
}

#[test]
fn package_scripts_run_with_what_surrounds_them() {
    let package = r#"{"scripts": {"prebuild": "rm -rf dist", "build": "tsc", "postbuild": "node post.js", "test": "vitest run", "x": 1}}"#;
    let file = ("package.json", package);
    check(
        Runner::Npm,
        file,
        &["build"],
        &[],
        &["shell rm -rf dist", "shell tsc", "shell node post.js"],
    );
    check(
        Runner::Npm,
        file,
        &["test"],
        &["--watch"],
        &["shell vitest run \"$@\""],
    );
    check(
        Runner::Yarn,
        file,
        &["lint"],
        &[],
        &["gap unseen yarn lint, which /app/package.json does not declare"],
    );
    check(Runner::Pnpm, file, &["x"], &[], &["gap syntax pnpm: x"]);
    check(
        Runner::Npm,
        ("package.json", "{"),
        &["x"],
        &[],
        &["gap syntax npm: package.json does not parse"],
    );
    check(
        Runner::Npm,
        ("package.json", "{}"),
        &["x"],
        &[],
        &["gap unseen npm x, which /app/package.json does not declare"],
    );
}

#[test]
fn installing_runs_the_scripts_around_it() {
    let package =
        r#"{"scripts": {"postinstall": "node setup.js", "prepare": "husky", "test": "jest"}}"#;
    let request = TaskStart {
        runner: Runner::Npm,
        tasks: &TaskRequest::Install,
        arguments: &[],
        directory: Some("/app"),
        environment: &[],
        file: None,
        span: Span::default(),
    };
    let found = resolve(
        &request,
        &context(),
        &facts(&[("/app/package.json", package)]),
    );
    assert_eq!(&shown(&found)[1..], ["shell node setup.js", "shell husky"]);
    let nothing = resolve(&request, &context(), &facts(&[("/app/package.json", "{}")]));
    assert_eq!(shown(&nothing), [""; 0]);
}

#[test]
fn what_nobody_looked_at_is_asked_for() {
    let names = TaskRequest::Run(words(&["build"]));
    let request = TaskStart {
        runner: Runner::Npm,
        tasks: &names,
        arguments: &[],
        directory: Some("/app/sub"),
        environment: &[],
        file: None,
        span: Span::default(),
    };
    let need = |path: &str| Need::File(path.to_owned());
    let found = resolve(&request, &context(), &Facts::default());
    assert_eq!(
        found.needs,
        [need("/app/sub/package.json"), need("/app/package.json")]
    );
    assert_eq!(shown(&found)[1..], ["gap unseen npm build"]);
    let mut absent = Facts::default();
    for path in ["/app/sub/package.json", "/app/package.json"] {
        absent.files.insert(path.to_owned(), FileFact::Absent);
    }
    let found = resolve(&request, &context(), &absent);
    assert_eq!(found.needs, [need("/package.json")]);
    absent
        .files
        .insert("/package.json".to_owned(), FileFact::Absent);
    let found = resolve(&request, &context(), &absent);
    assert!(found.needs.is_empty());
    assert_eq!(
        shown(&found)[1..],
        ["gap unseen npm build: no file that declares it was found"]
    );
}

#[test]
fn what_cannot_be_read_is_not_nothing() {
    for (runner, file) in [
        (Runner::Make, "GNUmakefile"),
        (Runner::Npm, "package.json"),
        (Runner::Yarn, "package.json"),
        (Runner::Just, "justfile"),
        (Runner::Task, "Taskfile.yml"),
        (Runner::Composer, "composer.json"),
        (Runner::Tox, "tox.ini"),
        (Runner::Poe, "pyproject.toml"),
        (Runner::Rake, "rakefile"),
        (Runner::Nox, "noxfile.py"),
        (Runner::Cargo, ".cargo/config.toml"),
        (Runner::Compose, "compose.yaml"),
    ] {
        let names = TaskRequest::Run(words(&["test"]));
        let request = TaskStart {
            runner,
            tasks: &names,
            arguments: &[],
            directory: Some("/app"),
            environment: &[],
            file: None,
            span: Span::default(),
        };
        let mut facts = Facts::default();
        facts
            .files
            .insert(format!("/app/{file}"), FileFact::Unreadable);
        let found = resolve(&request, &context(), &facts);
        let refused = found
            .gaps
            .iter()
            .any(|gap| matches!(&gap.kind, GapKind::Refused(what) if what.contains(file)));
        assert!(refused, "{runner:?}: {:?}", found.gaps);
    }
}

#[test]
fn a_manifest_above_the_project_is_the_one_that_runs() {
    let names = TaskRequest::Run(words(&["test"]));
    let request = TaskStart {
        runner: Runner::Npm,
        tasks: &names,
        arguments: &[],
        directory: Some("/work/app"),
        environment: &[],
        file: None,
        span: Span::default(),
    };
    let context = Context {
        roots: vec!["/work/app".to_owned()],
        ..context()
    };
    let mut facts = facts(&[("/work/package.json", r#"{"scripts": {"test": "rm -rf ~"}}"#)]);
    facts
        .files
        .insert("/work/app/package.json".to_owned(), FileFact::Absent);
    let found = resolve(&request, &context, &facts);
    assert_eq!(shown(&found)[1..], ["shell rm -rf ~"]);
}

#[test]
fn compose_files_are_read() {
    for (text, open) in [
        (
            "services:\n  db:\n    image: postgres\n    volumes:\n      - data:/var/lib\nvolumes:\n  data:\n",
            false,
        ),
        (
            "services:\n  web:\n    build: .\n    volumes: [\".:/app\", \"./src:/src\"]\n",
            false,
        ),
        ("services:\n  a:\n    volumes: [\"/:/host\"]\n", true),
        ("services:\n  a:\n    volumes:\n    - ~/.ssh:/keys\n", true),
        (
            "services:\n  a:\n    volumes:\n      - type: bind\n        source: /\n        target: /host\n",
            true,
        ),
        ("services:\n  a:\n    privileged: true\n", true),
        ("services:\n  a:\n    network_mode: host\n", true),
        ("services:\n  a: { image: x, pid: host }\n", true),
        (
            "services:\n  a:\n    volumes:\n      - /var/run/docker.sock:/s\n",
            true,
        ),
        ("services:\n  a:\n    volumes: [\"../..:/up\"]\n", true),
        ("services:\n  a:\n    volumes: [\"${HOME}:/h\"]\n", true),
        ("services:\n  a:\n    cap_add: [SYS_ADMIN]\n", true),
        ("services: {\n", true),
    ] {
        let none = TaskRequest::Run(Vec::new());
        let request = TaskStart {
            runner: Runner::Compose,
            tasks: &none,
            arguments: &[],
            directory: Some("/app"),
            environment: &[],
            file: None,
            span: Span::default(),
        };
        let found = resolve(&request, &context(), &facts(&[("/app/compose.yaml", text)]));
        let refused = found
            .gaps
            .iter()
            .any(|gap| matches!(gap.kind, GapKind::Refused(_)));
        assert_eq!(refused, open, "{text}: {:?}", found.gaps);
    }
}

#[test]
fn makefiles_are_followed() {
    let make = |text: &str, goals: &[&str], arguments: &[&str], expected: &[&str]| {
        check(Runner::Make, ("Makefile", text), goals, arguments, expected);
    };
    make(
        "all: build test\nbuild:\n\tcargo build\ntest:\n\t@cargo test\n",
        &[],
        &[],
        &["shell cargo build", "shell cargo test"],
    );
    make(
        "CC := gcc\nO ?= -O2\nx: a.c b.h\n\t$(CC) ${O} -o $@ $< $^\n",
        &["x"],
        &[],
        &["shell gcc -O2 -o x a.c a.c b.h"],
    );
    make(
        ".PHONY: clean\nclean:\n\t-rm -rf $(OUT)\n\t@echo $$HOME\nOUT = dist\n",
        &["clean"],
        &[],
        &["shell rm -rf dist", "shell echo $HOME"],
    );
    make(
        "x:\n\trm -rf $(DIR)\n",
        &["x"],
        &["DIR=/"],
        &["shell rm -rf /"],
    );
    make(
        "x:\n\trm -rf $(DIR)\n",
        &["x"],
        &[],
        &["shell rm -rf ${DIR}"],
    );
    make(
        "%.o: %.c\n\tcc -c $< -o $@\nx: a.o\n\tcc a.o\n",
        &["x"],
        &[],
        &["shell cc -c a.c -o a.o", "shell cc a.o"],
    );
    make(
        "V := $(shell git describe)\nx:\n\techo $(V)\n",
        &["x"],
        &[],
        &["shell git describe", "shell echo $(git describe)"],
    );
    make(
        "V != id\nx:\n\ttrue\n",
        &["x"],
        &[],
        &["shell id", "shell true"],
    );
    make(
        "x:\n\tcd a && \\\n\tls\n",
        &["x"],
        &[],
        &["shell cd a && \\\n\tls"],
    );
    make("x: ; echo hi\n", &["x"], &[], &["shell echo hi"]);
    make(
        "ifeq ($(OS),W)\nD = a\nelse\nD = b\nendif\nx:\n\trm $(D)\n",
        &["x"],
        &[],
        &["shell rm …"],
    );
    make(
        "export A = 1\nx:\n\techo $$A\n",
        &["x"],
        &[],
        &["shell export A='1'; echo $A"],
    );
    make(
        ".ONESHELL:\nx:\n\tcd a\n\tls\n",
        &["x"],
        &[],
        &["shell cd a\nls"],
    );
    make(
        "x:\n\t$(MAKE) -C sub all\n",
        &["x"],
        &[],
        &["shell make -C sub all"],
    );
    make(
        "S = $(wildcard *.c)\nO = $(S:.c=.o)\nx:\n\tcc $(O) $(notdir $(S))\n",
        &["x"],
        &[],
        &["shell cc ${MAKE_WORDS} ${MAKE_WORDS}"],
    );
    make(
        "x:\n\t$(subst q,;,echo a q rm b)\n",
        &["x"],
        &[],
        &["shell …", "gap syntax make: $(subst …)"],
    );
    make(
        "x:\n\t$(strip echo a; rm b)\n",
        &["x"],
        &[],
        &["shell echo a; rm b"],
    );
    make(
        "include other.mk\nx:\n\ttrue\n",
        &["x"],
        &[],
        &["shell true", "gap syntax make: include other.mk"],
    );
    make(
        "x:\n\ttrue\n",
        &["y"],
        &[],
        &["gap unseen make y, which /app/Makefile does not declare"],
    );
    make(
        "a: b\n\ttrue\nb: a\n\tfalse\n",
        &["a"],
        &[],
        &["shell false", "shell true"],
    );
    make(
        "help: ## Show help\n\t@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sort\n",
        &[],
        &[],
        &["shell grep -E '^[a-z]+:.*##' Makefile | sort"],
    );
    make(
        "define go\necho a\nendef\nx:\n\t$(go)\n",
        &["x"],
        &[],
        &["shell echo a"],
    );
    make(
        "x: V = 1\nx:\n\techo $(V)\n",
        &["x"],
        &[],
        &["shell echo 1"],
    );
}

#[test]
fn a_variable_of_the_environment_reaches_make() {
    let names = TaskRequest::Run(words(&["x"]));
    let environment = [("RUN".to_owned(), Value::text("rm -rf /", Span::default()))];
    let request = TaskStart {
        runner: Runner::Make,
        tasks: &names,
        arguments: &[],
        directory: Some("/app"),
        environment: &environment,
        file: None,
        span: Span::default(),
    };
    let mut facts = facts(&[("/app/Makefile", "RUN ?= ls\nx:\n\t$(RUN)\n")]);
    for absent in ["GNUmakefile", "makefile"] {
        facts
            .files
            .insert(format!("/app/{absent}"), FileFact::Absent);
    }
    let found = resolve(&request, &context(), &facts);
    assert_eq!(&shown(&found)[1..], ["shell rm -rf /"]);
}

#[test]
fn other_runners_are_followed() {
    let just = "set shell := [\"bash\", \"-c\"]\nout := \"dist\"\n\ndefault: build\n\n# comment\nbuild target='all': clean\n    @cargo build {{target}}\n\nclean:\n    rm -rf {{out}}\n\nall *args:\n    ls {{args}}\n\npy:\n    #!/usr/bin/env python3\n    print(1)\n";
    let file = ("justfile", just);
    check(
        Runner::Just,
        file,
        &[],
        &[],
        &["shell rm -rf dist", "shell cargo build all"],
    );
    check(
        Runner::Just,
        file,
        &["build", "x"],
        &[],
        &["shell rm -rf dist", "shell cargo build x"],
    );
    check(
        Runner::Just,
        file,
        &["all"],
        &["-l", "-a"],
        &["shell ls -l -a"],
    );
    check(
        Runner::Just,
        file,
        &["py"],
        &[],
        &["code python #!/usr/bin/env python3\nprint(1)"],
    );
    check(
        Runner::Just,
        ("justfile", "x:\n  echo {{ env('A') }}\n"),
        &["x"],
        &[],
        &["gap syntax just: braces in `x`"],
    );
    check(
        Runner::Just,
        file,
        &["nope"],
        &[],
        &["gap unseen just nope, which /app/justfile does not declare"],
    );

    let task = "version: '3'\ntasks:\n  default:\n    deps: [clean]\n    cmds:\n      - go build ./...\n      - task: test\n  test:\n    cmd: go test {{.CLI_ARGS}}\n  clean: rm -rf bin\n  t:\n    cmds:\n      - echo {{.X}}\n";
    let file = ("Taskfile.yml", task);
    check(
        Runner::Task,
        file,
        &[],
        &[],
        &[
            "shell rm -rf bin",
            "shell go build ./...",
            "shell go test \"$@\"",
        ],
    );
    check(
        Runner::Task,
        file,
        &["t"],
        &[],
        &["gap syntax task: echo {{.X}}"],
    );

    let composer = r#"{"scripts": {"test": ["@lint", "phpunit"], "lint": "php -l src", "cb": "App\\Install::run", "post-install-cmd": "id"}}"#;
    let file = ("composer.json", composer);
    check(
        Runner::Composer,
        file,
        &["test"],
        &[],
        &["shell php -l src", "shell phpunit"],
    );
    check(
        Runner::Composer,
        file,
        &["cb"],
        &[],
        &["gap syntax composer: App\\Install::run"],
    );

    let cargo = "[alias]\nxtask = \"run --package xtask --\"\nl = [\"clippy\", \"--all\"]\n";
    check(
        Runner::Cargo,
        (".cargo/config.toml", cargo),
        &["xtask"],
        &["dist"],
        &["command cargo run --package xtask -- dist"],
    );
    check(
        Runner::Cargo,
        (".cargo/config.toml", cargo),
        &["l"],
        &[],
        &["command cargo clippy --all"],
    );

    let project = "[tool.poe.tasks]\ntest = \"pytest -q\"\nall = [\"test\", \"lint\"]\nlint = { shell = \"ruff check . && mypy\" }\npy = { script = \"pkg:main\" }\n[tool.pdm.scripts]\nfmt = { composite = [\"black .\", \"isort .\"] }\n[tool.hatch.envs.default.scripts]\ncov = [\"pytest --cov\", \"coverage report\"]\n";
    let file = ("pyproject.toml", project);
    check(
        Runner::Poe,
        file,
        &["all"],
        &[],
        &["shell pytest -q", "shell ruff check . && mypy"],
    );
    check(
        Runner::Poe,
        file,
        &["py"],
        &[],
        &["gap syntax poe: a task that calls Python"],
    );
    check(
        Runner::Pdm,
        file,
        &["fmt"],
        &[],
        &["shell black .", "shell isort ."],
    );
    check(
        Runner::Hatch,
        file,
        &["cov"],
        &[],
        &["shell pytest --cov", "shell coverage report"],
    );

    let deno = "{\n  // comment\n  \"tasks\": { \"dev\": \"deno run a.ts\", \"b\": { \"command\": \"echo //x\", \"dependencies\": [\"dev\"] }, },\n}";
    check(
        Runner::Deno,
        ("deno.json", deno),
        &["b"],
        &[],
        &["shell deno run a.ts", "shell echo //x"],
    );

    let tox = "[tox]\nenvlist = py\n[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs}\n[testenv:lint]\ncommands = ruff check\n";
    check(
        Runner::Tox,
        ("tox.ini", tox),
        &["lint"],
        &["-q"],
        &["shell pytest \"$@\"", "shell ruff check"],
    );
    check(
        Runner::Nox,
        ("noxfile.py", "import nox"),
        &["test"],
        &[],
        &["gap unseen nox test"],
    );
}

#[test]
fn scripts_on_disk_are_opened() {
    let run = |path: &str, body: &str, session: bool| {
        let mut facts = Facts::default();
        let fact = FileFact::Text {
            body: body.to_owned(),
            session,
        };
        facts.files.insert(format!("/app/{path}"), fact);
        let opened = ScriptFile {
            path: &Value::text(path, Span::default()),
            language: None,
            arguments: &words(&["a"]),
            input: crate::Taint::NONE,
            cwd: Some("/app"),
            layer: &Layer::File(path.to_owned()),
            span: Span::default(),
        };
        open(&opened, &context(), &facts)
    };
    assert_eq!(
        shown(&run("s.sh", "rm x", false)),
        ["run file /app/s.sh", "shell rm x"]
    );
    assert_eq!(
        shown(&run(
            "s",
            "#!/usr/bin/env python3\nimport os, sys\nos.remove(sys.argv[1])",
            false
        )),
        ["run file /app/s", "delete /app/a"]
    );
    assert_eq!(
        shown(&run("s.py", "open('x','w')", false)),
        ["run file /app/s.py", "write /app/x"]
    );
    assert_eq!(
        shown(&run("s.bin", "#!/opt/weird\nx", false)),
        ["run file /app/s.bin", "gap unseen s.bin"]
    );
    let found = run("s.sh", "true", true);
    assert!(
        matches!(&found.effects[0].0, Act::Execute { origin, .. } if origin.seen && origin.taint.has(crate::Taint::SESSION))
    );
}
