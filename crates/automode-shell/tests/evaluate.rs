//! What the evaluator makes of a script: which commands run, with which words.

use automode_shell::{Analysis, Context, Facts, FileFact, analyse};

fn context() -> Context {
    Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: vec![("USER".to_owned(), "dev".to_owned())],
    }
}

fn run(text: &str) -> Analysis {
    analyse(text, &context(), &Facts::default())
}

/// The invocations as a person would write them, directory changes in front.
fn shown(analysis: &Analysis) -> Vec<String> {
    analysis
        .invocations
        .iter()
        .map(|invocation| {
            let words: Vec<String> = invocation.argv.iter().map(|value| value.shown()).collect();
            words.join(" ")
        })
        .collect()
}

/// The commands that the text runs, one per line, without the shell's own.
fn check(text: &str, expected: &[&str]) {
    let analysis = run(text);
    let own = [
        "cd", "export", "set", "read", "shift", "declare", "local", "alias", "trap", "eval",
        "unset", "return", ":",
    ];
    let found: Vec<String> = shown(&analysis)
        .into_iter()
        .filter(|line| !own.contains(&line.split(' ').next().unwrap_or_default()))
        .collect();
    assert_eq!(found, expected, "{text}\n{:?}", analysis.coverage);
}

#[test]
fn quotes_and_escapes() {
    check("rm -rf 'a b' \"c d\" e\\ f", &["rm -rf a b c d e f"]);
    check("r''m \"-r\"f $'\\x2f'", &["rm -rf /"]);
    check("\\rm x", &["rm x"]);
    check("$'r\\x6d' x", &["rm x"]);
    check("'r'\"m\" x", &["rm x"]);
}

#[test]
fn variables_are_followed() {
    check("D=$HOME; rm -rf \"$D\"", &["rm -rf /home/dev"]);
    check("X=rm; $X -rf ~", &["rm -rf /home/dev"]);
    check("X='rm -rf'; $X /", &["rm -rf /"]);
    check("X='rm -rf'; \"$X\" /", &["rm -rf /"]);
    check("A=r; B=m; $A$B x", &["rm x"]);
    check("A=r B=m; ${A}${B} x", &["rm x"]);
    check("X=a; X+=b; ls $X", &["ls ab"]);
    check("ls $UNSET_HERE", &["ls $UNSET_HERE"]);
    check("X=; ls $X b", &["ls b"]);
    check("X=; ls \"$X\" b", &["ls  b"]);
    check("ls $USER", &["ls dev"]);
    check("X=1 ls $X", &["ls $X"]);
    check("P=X; X=rm; ${!P} y", &["rm y"]);
    check("set -- rm -rf /; \"$@\"", &["rm -rf /"]);
    check("set -- a b c; shift; ls $1 $# $*", &["ls b 2 b c"]);
    check("unset X; ls ${X:-d}", &["ls d"]);
    check("read X <<< rm; $X y", &["rm y"]);
    check(
        "printf -v X '%s%s' r m; $X y",
        &["printf -v X %s%s r m", "rm y"],
    );
    check("declare X=rm; $X y", &["rm y"]);
    check("export X=rm; $X y", &["rm y"]);
}

#[test]
fn parameter_operators() {
    check("X=abc; ls ${X:1} ${X:0:2} ${#X}", &["ls bc ab 3"]);
    check(
        "X=a.tar.gz; ls ${X%.gz} ${X%%.*} ${X#*.} ${X##*.}",
        &["ls a.tar a tar.gz gz"],
    );
    check("X=rxm; ${X/x/} y", &["rm y"]);
    check("X=rxxm; ${X//x/} y", &["rm y"]);
    check("X=RM; ${X,,} y", &["rm y"]);
    check("X=rm; ls ${X^} ${X^^}", &["ls Rm RM"]);
    check("ls ${X:-/etc}", &["ls …"]);
    check("X=a; ls ${X:+b} ${X:-c}", &["ls b a"]);
    check(": ${X:=rm}; $X y", &["… y"]);
    check("unset X; : ${X:=rm}; $X y", &["rm y"]);
    check("X=/a/b; ls ${X/#\\/a/c} ${X/%b/d}", &["ls c/b /a/d"]);
}

#[test]
fn arrays() {
    check("A=(rm -rf /); \"${A[@]}\"", &["rm -rf /"]);
    check("A=(rm -rf /); ${A[0]} ${A[2]}", &["rm /"]);
    check("A=(a b c); ls ${#A[@]} ${A[@]:1} ${A[-1]}", &["ls 3 b c c"]);
    check("A=(a); A+=(b); ls ${A[*]}", &["ls a b"]);
    check("A=(a); A[1]=b; ls ${A[@]}", &["ls a b"]);
}

#[test]
fn splitting_and_separators() {
    check("cat${IFS}/etc/passwd", &["cat /etc/passwd"]);
    check("cat$IFS/etc/passwd", &["cat /etc/passwd"]);
    check("IFS=,; X=rm,-rf,/; $X", &["rm -rf /"]);
    check("X='a  b'; ls $X", &["ls a b"]);
    check("{rm,-rf,/}", &["rm -rf /"]);
    check("ls {a,b}{1..2}", &["ls a1 a2 b1 b2"]);
    check("ls a{,.bak} {x}", &["ls a a.bak {x}"]);
    check("ls '{a,b}' \"{a,b}\"", &["ls {a,b} {a,b}"]);
    check("ls ~ ~/x '~' a~", &["ls /home/dev /home/dev/x ~ a~"]);
}

#[test]
fn substitutions() {
    check("$(echo rm) -rf /", &["echo rm", "rm -rf /"]);
    check("`printf 'r%s' m` x", &["printf r%s m", "rm x"]);
    check("X=$(cat <<E\nrm\nE\n); $X y", &["cat", "rm y"]);
    check("ls $(date)", &["date", "ls …"]);
    check(
        "ls \"$(ls \"$(pwd)\")\"",
        &["pwd", "ls /home/dev/app", "ls …"],
    );
    check("ls $((1 + 2 * 3)) $((2**3)) $((7 % 4))", &["ls 7 8 3"]);
    check("i=1; ((i++)); ls $i", &["ls 2"]);
    check("cat <(curl x)", &["curl x", "cat /dev/fd/…"]);
}

#[test]
fn directories() {
    let cwd = |text: &str| {
        run(text)
            .invocations
            .last()
            .and_then(|last| last.cwd.clone())
    };
    assert_eq!(cwd("cd /tmp && ls").as_deref(), Some("/tmp"));
    assert_eq!(cwd("cd src; cd ..; ls").as_deref(), Some("/home/dev/app"));
    assert_eq!(cwd("(cd /tmp); ls").as_deref(), Some("/home/dev/app"));
    assert_eq!(cwd("cd; ls").as_deref(), Some("/home/dev"));
    assert_eq!(cwd("cd /tmp; cd -; ls").as_deref(), Some("/home/dev/app"));
    assert_eq!(cwd("cd \"$X\"; ls").as_deref(), None);
    assert_eq!(
        cwd("pushd /tmp; ls; popd; ls").as_deref(),
        Some("/home/dev/app")
    );
    assert_eq!(cwd("cd a | ls").as_deref(), Some("/home/dev/app"));
    assert_eq!(cwd("if x; then cd /tmp; fi; ls").as_deref(), None);
    assert_eq!(
        cwd("for i in a b; do cd ..; done; ls").as_deref(),
        Some("/home")
    );
    assert_eq!(cwd("while x; do cd ..; done; ls").as_deref(), None);
}

#[test]
fn branches_and_loops() {
    check("if a; then X=b; else X=c; fi; ls $X", &["a", "ls …"]);
    check("for i in a b; do ls $i; done", &["ls a", "ls b"]);
    check("for i in *.c; do ls \"$i\"; done", &["ls *.c"]);
    check("for i in {1..3}; do ls $i; done", &["ls 1", "ls 2", "ls 3"]);
    check("i=0; while x; do ls $i; i=$((i+1)); done", &["x", "ls …"]);
    check("case $x in a) ls 1;; *) ls 2;; esac", &["ls 1", "ls 2"]);
    check("X=rm; if a; then X=ls; fi; $X y", &["a", "ls y", "rm y"]);
    check("a && b || c", &["a", "b", "c"]);
    check("a | b |& c", &["a", "b", "c"]);
    check(
        "printf 'a\\nb\\n' | while read f; do ls $f; done",
        &["printf a\\nb\\n", "ls …"],
    );
    check("select x in a b; do ls $x; done", &["ls …"]);
    check("for ((i=0;i<3;i++)); do ls $i; done", &["ls …"]);
}

#[test]
fn functions_and_aliases() {
    check("f() { rm -rf \"$1\"; }; f /", &["rm -rf /"]);
    check(
        "f() { local X=$1; ls $X; }; X=z; f a; ls $X",
        &["ls a", "ls z"],
    );
    check("rm() { ls \"$@\"; }; rm a", &["ls a"]);
    check("rm() { ls; }; command rm a", &["rm a"]);
    check("f() { ls; }", &[]);
    check("alias x='rm -rf'; x /", &["rm -rf /", "x /"]);
    check("f() { return; ls; }; f; ls b", &["ls", "ls b"]);
}

#[test]
fn text_that_is_run() {
    check("eval 'rm -rf /'", &["rm -rf /"]);
    check("eval rm -rf /", &["rm -rf /"]);
    check("X='rm -rf /'; eval $X", &["rm -rf /"]);
    check("eval \"$(echo rm x)\"", &["echo rm x", "rm x"]);
    check("trap 'rm -rf /' EXIT", &["rm -rf /", "rm -rf /"]);
    check("X=a; trap 'rm $X' EXIT; X=b", &["rm a", "rm b", "rm …"]);
    check("exec rm x", &["rm x"]);
    check("command rm x", &["rm x"]);
    check("builtin echo x", &["echo x"]);
    check("eval eval eval rm x", &["rm x"]);
}

#[test]
fn scripts_that_the_command_writes() {
    check(
        "echo 'rm -rf /' > x.sh; . ./x.sh",
        &["echo rm -rf /", ". ./x.sh", "rm -rf /"],
    );
    check(
        "cat > x.sh <<'E'\nrm y\nE\nsource x.sh",
        &["cat", "source x.sh", "rm y"],
    );
    let mut facts = Facts::default();
    facts.files.insert(
        "/home/dev/app/s.sh".to_owned(),
        FileFact::Text {
            body: "D=/x\nrm -rf $D\n".to_owned(),
            session: false,
        },
    );
    let analysis = analyse("source s.sh && ls $D", &context(), &facts);
    assert_eq!(shown(&analysis), ["source s.sh", "rm -rf /x", "ls /x"]);
}

#[test]
fn a_fork_bomb_is_seen() {
    let analysis = run(":(){ :|:& };:");
    assert!(
        analysis
            .effects
            .iter()
            .any(|effect| effect.act == automode_shell::Act::Exhaust)
    );
    assert!(!analysis.coverage.is_complete());
}

/// Where shells differ, what another one would run is not passed over.
#[test]
fn other_shells_are_thought_of() {
    for text in [
        "((reboot))",
        "((reboot -f))",
        "((!reboot))",
        "((reboot>3))",
        "((reboot&1))",
        "[[ a == b || reboot ]]",
        "[[ a =~ b|reboot ]]",
        "echo $'\\'; reboot; #'",
        "@(a|b)",
        "echo *(e:reboot:)",
        "echo =(reboot)",
    ] {
        assert!(!run(text).coverage.is_complete(), "{text}");
    }
    for text in [
        "i=1; ((i++))",
        "((i+=2))",
        "[[ -f a || -f b ]]",
        "[[ a =~ ^(b|c)$ ]]",
        "echo $'a\\n'",
    ] {
        assert!(
            run(text).coverage.is_complete(),
            "{text} {:?}",
            run(text).coverage
        );
    }
}

#[test]
fn a_tree_that_is_shown_shows_its_secrets() {
    use automode_shell::{Act, Context, Facts, FileFact, analyse};
    let context = Context {
        cwd: "/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/app".to_owned()],
        variables: Vec::new(),
    };
    let mut facts = Facts::default();
    facts.files.insert(
        "/app/.env".to_owned(),
        FileFact::Text {
            body: "KEY=x".to_owned(),
            session: false,
        },
    );
    for (command, shown) in [
        ("grep -r '' .", true),
        ("grep -rn . .", true),
        ("grep -R KEY .", true),
        ("find . -type f -exec cat {} \\;", true),
        ("cat .*", true),
        ("head .e*", true),
        ("rg -uuu KEY .", true),
        ("rg --hidden KEY .", true),
        ("rg KEY", false),
        ("grep -rn foo src", false),
        ("cat *", false),
        ("cat README.md", false),
        ("grep KEY README.md", false),
        ("find . -name '*.py' | head", false),
    ] {
        let analysis = analyse(command, &context, &facts);
        let found = analysis.effects.iter().any(
            |effect| matches!(&effect.act, Act::Read { target } if target.path == "/app/.env"),
        );
        assert_eq!(found, shown, "{command}: {:?}", analysis.effects);
    }
}
