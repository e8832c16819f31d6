//! Wherever bash runs a command, the parser shows it or refuses the text.
//!
//! Each position below is given to a real bash in an empty directory where
//! `MARKER` is a program that leaves a file. Where the file appears, `MARKER`
//! must be a command of the tree; where bash did not run it, the case is wrong.
#![expect(clippy::expect_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Stdio};

use automode_shell::{Context, Facts, analyse, guard, syntax};

/// Positions in which bash runs `MARKER`.
const RUNS: &[&str] = &[
    // Lists, pipelines, prefixes.
    "MARKER",
    " MARKER",
    "\tMARKER",
    "\n\nMARKER",
    "true; MARKER",
    "true;MARKER",
    "true && MARKER",
    "false || MARKER",
    "true &&\nMARKER",
    "true | MARKER",
    "true |\n MARKER",
    "true |& MARKER",
    "MARKER | cat",
    "MARKER & wait",
    "true & MARKER",
    "! MARKER",
    "! ! MARKER",
    "!(MARKER)",
    "time MARKER",
    "time -p MARKER",
    "time -- MARKER",
    "time ! MARKER",
    "! time MARKER",
    "true # comment\nMARKER",
    "true #; x\nMARKER",
    "X=1 MARKER",
    "X=1 Y=2 MARKER",
    "X= MARKER",
    "X+=a MARKER",
    "X[1]=a MARKER",
    "X=a>f MARKER",
    ">f MARKER",
    "</dev/null MARKER",
    "2>&1 MARKER",
    "{fd}>f MARKER",
    "MAR\\\nKER",
    "M\\ARKER",
    "\"MARKER\"",
    "'MARKER'",
    "MAR''KER",
    "M\"ARK\"ER",
    "$'MARKER'",
    "$'\\x4dARKER'",
    "$'\\115ARKER'",
    "$\"MARKER\"",
    "$(echo MARKER)",
    "true\\\n;MARKER",
    "true &\\\n& MARKER",
    // Compound commands.
    "{ MARKER; }",
    "{ MARKER\n}",
    "(MARKER)",
    "( MARKER )",
    "((1)); MARKER",
    "((MARKER); true)",
    "( (MARKER) )",
    "if MARKER; then :; fi",
    "if true; then MARKER; fi",
    "if false; then :; elif MARKER; then :; fi",
    "if false; then :; elif true; then MARKER; fi",
    "if false; then :; else MARKER; fi",
    "i\\\nf true; then MARKER; fi",
    "while MARKER; do break; done",
    "while true; do MARKER; break; done",
    "until MARKER; do break; done",
    "until false; do MARKER; break; done",
    "for i in a; do MARKER; done",
    "for i in a; { MARKER; }",
    "for i in $(MARKER); do :; done",
    "for i in `MARKER`\ndo :; done",
    "for ((i=0;i<1;i++)); do MARKER; done",
    "for ((i=0;i<1;i++)) { MARKER; }",
    "for ((i=$(MARKER)0;i<0;)); do :; done",
    "for ((;$(MARKER)0;)); do :; done",
    "set -- a; for i do MARKER; done",
    "set -- a; for i; do MARKER; done",
    "select i in a; do MARKER; break; done <<<1",
    "select i in $(MARKER); do break; done <<<1",
    "case x in x) MARKER;; esac",
    "case x in (x) MARKER;; esac",
    "case x in y|x) MARKER; esac",
    "case x in x) ;& y) MARKER;; esac",
    "case x in x) ;;& *) MARKER;; esac",
    "case $(MARKER) in *) ;; esac",
    "case x in $(MARKER)) ;; *) ;; esac",
    "case x in `MARKER`|y) ;; *) ;; esac",
    "case x in\nx)\nMARKER\n;;\nesac",
    "f() { MARKER; }; f",
    "f () ( MARKER ); f",
    "function f { MARKER; }; f",
    "function f() { MARKER; }; f",
    "f() if true; then MARKER; fi; f",
    "f() { :; } > $(MARKER)f; f",
    "f()\n{ MARKER; }\nf",
    "coproc MARKER; wait",
    "coproc { MARKER; }; wait",
    "coproc N { MARKER; }; wait",
    "coproc N (MARKER); wait",
    "{ true; } && { MARKER; }",
    "if true; then { MARKER; } fi",
    // Substitutions in every place of a command.
    "echo $(MARKER)",
    "echo `MARKER`",
    "echo \"$(MARKER)\"",
    "echo \"`MARKER`\"",
    "echo a$(MARKER)b",
    "echo $(echo $(MARKER))",
    "echo `echo \\`MARKER\\``",
    "echo \"`echo \\`MARKER\\``\"",
    "echo `echo \\$(MARKER)`",
    "echo \"$(echo \"$(MARKER)\")\"",
    "echo $(true; MARKER)",
    "echo $(case x in x) MARKER;; esac)",
    "echo $(case x in (x) MARKER;; esac)",
    "echo $( (MARKER) )",
    "echo $((MARKER); (true))",
    "echo $(cat <<E\n$(MARKER)\nE\n)",
    "echo $(# comment )\nMARKER)",
    "echo $(\nMARKER\n)",
    "echo $(<$(MARKER)/dev/null)",
    "echo \"a\" 'b' $(MARKER)",
    "echo '$(' $(MARKER) ')'",
    "X=$(MARKER)",
    "X=`MARKER`",
    "X=a$(MARKER)b true",
    "X=\"$(MARKER)\" true",
    "X=($(MARKER))",
    "X=(a \"$(MARKER)\" b)",
    "X=(\n$(MARKER)\n)",
    "X=([1]=$(MARKER))",
    "X=([$(MARKER)1]=a)",
    "X+=($(MARKER))",
    "X[$(MARKER)1]=a",
    "X[`MARKER`1]=a",
    "X[1+$(MARKER)1]=a",
    "X[1]=$(MARKER)",
    "declare X=$(MARKER)",
    "declare -a X=($(MARKER))",
    "export X=$(MARKER)",
    "readonly X=`MARKER`",
    "f() { local X=$(MARKER); }; f",
    "typeset X=(a $(MARKER))",
    "[ -n \"$(MARKER)\" ]",
    "test `MARKER`",
    ": $(MARKER)",
    ": ${X:-`MARKER`}",
    // Redirections.
    "true > $(MARKER)f",
    "true >$(MARKER)f",
    "true >> `MARKER`f",
    "true < /dev/null$(MARKER)",
    "true <> f$(MARKER)",
    "true >| f$(MARKER)",
    "true &> f$(MARKER)",
    "true &>> f$(MARKER)",
    "true 2> f$(MARKER)",
    "true <<< $(MARKER)",
    "true <<< \"`MARKER`\"",
    "{ true; } > f$(MARKER)",
    "(true) > f$(MARKER)",
    "if true; then :; fi > f$(MARKER)",
    "while false; do :; done < /dev/null$(MARKER)",
    "exec 3> f$(MARKER)",
    "> f$(MARKER)",
    "cat < <(MARKER)",
    "cat <(MARKER)",
    "cat a<(MARKER) 2>/dev/null; wait",
    "true > >(MARKER); wait; sleep 0.1",
    "echo x | tee >(MARKER) >/dev/null; wait; sleep 0.1",
    "X=<(MARKER); wait; sleep 0.1",
    "echo ${X:-<(MARKER)}; wait; sleep 0.1",
    // Here-documents.
    "cat <<E\n$(MARKER)\nE",
    "cat <<E\n`MARKER`\nE",
    "cat <<-E\n\t$(MARKER)\n\tE",
    "cat <<E\n\"$(MARKER)\"\nE",
    "cat <<E\n'$(MARKER)'\nE",
    "cat <<E\n${X:-$(MARKER)}\nE",
    "cat <<E\n$((1+$(MARKER)1))\nE",
    "cat <<E\n\\\\$(MARKER)\nE",
    "cat <<E; MARKER\nx\nE",
    "cat <<E\nx\nE\nMARKER",
    "cat <<'E'\nx\nE\nMARKER",
    "cat <<\\E\nx\nE\nMARKER",
    "cat <<A <<B\na\nA\n$(MARKER)\nB",
    "cat <<E | cat\n$(MARKER)\nE",
    "cat <<E && MARKER\nx\nE",
    "cat <<E\nx\\\nE\nE\nMARKER",
    "cat <<\"E F\"\nx\nE F\nMARKER",
    "(cat <<E)\n$(MARKER)\nE",
    "cat <<E \"a\nb\"\n$(MARKER)\nE",
    // Parameter expansion.
    "echo ${X:-$(MARKER)}",
    "echo ${X-$(MARKER)}",
    "echo ${X:=$(MARKER)}",
    "echo ${X=`MARKER`}",
    "X=1; echo ${X:+$(MARKER)}",
    "X=1; echo ${X+$(MARKER)}",
    "(echo ${X:?$(MARKER)})",
    "(echo ${X?$(MARKER)})",
    "X=1; echo ${X#$(MARKER)}",
    "X=1; echo ${X##`MARKER`}",
    "X=1; echo ${X%$(MARKER)}",
    "X=1; echo ${X%%$(MARKER)}",
    "X=1; echo ${X/$(MARKER)/b}",
    "X=1; echo ${X/1/$(MARKER)}",
    "X=1; echo ${X//1/$(MARKER)}",
    "X=1; echo ${X/#1/`MARKER`}",
    "X=1; echo ${X/%1/$(MARKER)}",
    "X=ab; echo ${X:$(MARKER)1}",
    "X=ab; echo ${X:0:$(MARKER)1}",
    "X=ab; echo ${X^$(MARKER)}",
    "X=ab; echo ${X^^$(MARKER)}",
    "X=ab; echo ${X,,`MARKER`}",
    "X=(a); echo ${X[$(MARKER)0]}",
    "X=(a); echo ${#X[$(MARKER)0]}",
    "X=(a); echo ${X[@]:$(MARKER)0}",
    "Y=X; echo ${!Y:-$(MARKER)}",
    "echo \"${X:-$(MARKER)}\"",
    "echo \"${X:-'$(MARKER)'}\"",
    "echo \"${X:-\"$(MARKER)\"}\"",
    "echo \"${X:-`MARKER`}\"",
    "echo ${X:-\"$(MARKER)\"}",
    "echo ${X:-${Y:-$(MARKER)}}",
    "echo \"${X:-${Y:-\"$(MARKER)\"}}\"",
    "echo \"${X:-a}b$(MARKER)\"",
    "echo ${X:-a b $(MARKER)}",
    "X=1; echo \"${X#\"$(MARKER)\"}\"",
    "set -- a; echo ${1+$(MARKER)}",
    "echo ${@:-$(MARKER)}",
    // Arithmetic.
    "echo $(( $(MARKER)1 ))",
    "echo $((1+`MARKER`1))",
    "echo \"$((1+$(MARKER)1))\"",
    "echo $[ $(MARKER)1 ]",
    "(( $(MARKER)1 ))",
    "(( X = $(MARKER)1 ))",
    "(( X[$(MARKER)0] = 1 ))",
    "echo $(( X[$(MARKER)0] ))",
    "echo $(( ${X:-$(MARKER)1} ))",
    "echo $(( \"$(MARKER)1\" ))",
    "let \"X=$(MARKER)1\"",
    // Conditions.
    "[[ $(MARKER) ]]",
    "[[ -n $(MARKER) ]]",
    "[[ ! -n $(MARKER) ]]",
    "[[ ( -n $(MARKER) ) ]]",
    "[[ a == $(MARKER) ]]",
    "[[ $(MARKER) == a ]]",
    "[[ a = a && -n $(MARKER) ]]",
    "[[ a = b || -n `MARKER` ]]",
    "[[ a =~ $(MARKER) ]]",
    "[[ a =~ (b|$(MARKER)) ]]",
    "[[ a == @(b|$(MARKER)) ]]",
    "[[ 1 -eq $(MARKER)1 ]]",
    "[[ a < $(MARKER) ]]",
    "[[ -v X[$(MARKER)0] ]]",
    "[[ a == a\n&& -n $(MARKER) ]]",
    "[[ -e <(MARKER) ]]; wait; sleep 0.1",
    "[[ a == b ]] || MARKER",
    // Things that look like the end of something.
    "echo a#b; MARKER",
    "echo \"a\\\"; MARKER\"; MARKER",
    "echo 'a\\'; MARKER",
    "echo \"$(echo ')')\"; MARKER",
    "echo $(echo \")\"); MARKER",
    "echo ${X:-\\}}; MARKER",
    "echo ${X:-'}'}; MARKER",
    "echo ${X:-\"}\"}; MARKER",
    "echo {a,b}; MARKER",
    "echo }; MARKER",
    "echo {; MARKER",
    "echo [[; MARKER",
    "echo if; MARKER",
    "echo '#'; MARKER",
    "echo \\#; MARKER",
    "echo ${#X}; MARKER",
    "echo $#; MARKER",
    "echo $$; MARKER",
    "echo \"$\"; MARKER",
    "echo $; MARKER",
    "case a in a) echo \\);; esac; MARKER",
    "X='a b'; MARKER",
];

/// Texts that name `MARKER` where bash does not run it.
const DOES_NOT_RUN: &[&str] = &[
    "echo MARKER",
    "echo '$(MARKER)'",
    "echo \\$\\(MARKER\\)",
    "echo \"\\$(MARKER)\"",
    "echo '`MARKER`'",
    "echo \\`MARKER\\`",
    "echo \"\\`MARKER\\`\"",
    "# MARKER",
    "true # ; MARKER",
    "true # $(MARKER)",
    "cat <<'E'\n$(MARKER)\nE",
    "cat <<\\E\n`MARKER`\nE",
    "cat <<E\n\\$(MARKER)\nE",
    "cat <<E\nMARKER\nE",
    "X=MARKER",
    "X='$(MARKER)'",
    "X=(MARKER)",
    "f() { :; }; f MARKER",
    "case MARKER in a) ;; esac",
    "case a in MARKER) ;; esac",
    "for i in MARKER; do :; done",
    "[[ MARKER == a ]]",
    "echo $'$(MARKER)'",
    "echo \"${X#'$(MARKER)'}\"",
    "true > MARKER",
    "cat <<< MARKER",
    "echo ${X:-MARKER}",
    "echo {MARKER,a}",
    "alias x=MARKER",
    "echo \"a # $X MARKER\"",
];

/// More positions, which only show when the script is followed.
const RUNS_WHEN_FOLLOWED: &[&str] = &[
    "X=MARKER; $X",
    "X=MARK; ${X}ER",
    "X=xMARKER; ${X#x}",
    "X=MARKERx; ${X%x}",
    "X=MAxRKER; ${X/x/}",
    "X=marker; ${X^^}",
    "X=xxMARKER; ${X:2}",
    "unset X; ${X:-MARKER}",
    "A=(MARKER); ${A[0]}",
    "A=(a MARKER); \"${A[@]:1}\"",
    "P=X; X=MARKER; ${!P}",
    "set -- MARKER; $1",
    "set -- MARKER; \"$@\"",
    "set -- a MARKER; shift; \"$@\"",
    "f() { \"$1\"; }; f MARKER",
    "f() { \"$@\"; }; f MARKER",
    "IFS=:; X=MARKER:a; $X",
    "eval MARKER",
    "eval 'MARKER'",
    "eval \"X=MARKER\"; $X",
    "eval 'eval MARKER'",
    "eval \"$(echo MARKER)\"",
    "trap MARKER EXIT",
    "trap 'true; MARKER' EXIT",
    "(trap MARKER EXIT)",
    "X=true; trap '$X' EXIT; X=MARKER",
    "command MARKER",
    "command -p MARKER; MARKER",
    "builtin eval MARKER",
    "exec MARKER",
    "echo MARKER > s; . ./s",
    "echo MARKER > s; source ./s",
    "echo MARKER > s; bash s",
    "echo MARKER | bash",
    "bash <<< MARKER",
    "bash <<E\nMARKER\nE",
    "bash -c MARKER",
    "bash <(echo MARKER)",
    "source <(echo MARKER)",
    ". /dev/stdin <<< MARKER",
    "read X <<< MARKER; $X",
    "read -r X < <(echo MARKER); $X",
    "printf -v X MARKER; $X",
    "printf -v X 'M%s' ARKER; $X",
    "mapfile -t A <<< MARKER; ${A[0]}",
    "for i in MARKER; do $i; done",
    "for i in true MARKER; do $i; done",
    "while read -r i; do $i; done <<< MARKER",
    "echo MARKER | while read -r i; do $i; done",
    "if true; then X=MARKER; else X=true; fi; $X",
    "case a in a) X=MARKER;; esac; $X",
    "X=MARKER true; X=MARKER; $X",
    "declare X=MARKER; $X",
    "export X=MARKER; bash -c '$X'",
    "f() { local X=MARKER; $X; }; f",
    "f() { X=MARKER; }; f; $X",
    "true && X=MARKER; $X",
    "X=$(echo MARKER); $X",
    "X=$(printf '%s' MARKER); $X",
    "X=$(cat <<< MARKER); $X",
    "X=$'\\x4dARKER'; $X",
    "xargs MARKER < /dev/null",
    "echo MARKER | xargs -I{} bash -c {}",
    "env MARKER",
    "env X=1 MARKER",
    "find . -maxdepth 0 -exec MARKER ';'",
    "nice MARKER",
    "timeout 5 MARKER",
    "shopt -s expand_aliases\nalias x=MARKER\nx",
    "X='a[$(MARKER)0]'; echo $((X)) 2>/dev/null; echo $((a[$(MARKER)0]))",
    "X='a[$(MARKER)0]'; [[ -v $X ]]",
    "X='a[$(MARKER)0]'; [[ $X -eq 0 ]]",
    "test -v 'a[$(MARKER)0]'",
    "a=(1); unset 'a[$(MARKER)0]'",
    "read 'a[$(MARKER)0]' <<< x",
    "printf -v 'a[$(MARKER)0]' x",
    "let 'a[$(MARKER)0]=1'",
    "declare 'a[$(MARKER)0]=1'",
    "X='$(MARKER)'; eval echo $X",
    "X='$(MARKER)'; echo \"${X@P}\"",
    "PROMPT_COMMAND=x; MARKER",
    "f() { MARKER; }; export -f f; bash -c f",
    "exec 3< <(echo MARKER); read X <&3; $X",
    "coproc { echo MARKER; }; read X <&${COPROC[0]}; $X",
    "{ echo MARKER; } | bash",
    "(echo MARKER) | sh",
    "echo true > s; echo MARKER >> s; bash s",
    "printf 'true\\nMARKER\\n' | bash",
    "echo TUFSS0VSCg== | base64 -d | bash",
    "getopts 'M:' o -M MARKER; $OPTARG",
    "[ -n x ] && MARKER",
    "until MARKER; do break; done; X=true; $X",
    "f() { f2; }; f2() { MARKER; }; f",
    "x=f; f() { MARKER; }; $x",
    "X=(MARKER); $X",
    "X=MARKER; Y=X; eval \"\\$$Y\"",
    "X=MAR; Y=KER; $X$Y",
    "{MARKER,}",
    "X=a; while [ $X != MARKER ]; do X=MARKER; done; $X",
];

/// The commands that the parser sees, or why it refuses.
fn commands(text: &str) -> Result<Vec<String>, String> {
    let admitted = guard::admit(text).map_err(|refusal| refusal.to_string())?;
    let script =
        syntax::parse(admitted, syntax::Origin::Typed).map_err(|error| error.message.to_owned())?;
    let mut names = Vec::new();
    script.visit(&mut |command| {
        if let syntax::CommandKind::Simple(simple) = &command.kind {
            names.extend(
                simple
                    .words
                    .first()
                    .map(|word| word.literal().unwrap_or_default()),
            );
        }
    });
    Ok(names)
}

/// Whether a real bash runs `MARKER` for this text.
fn bash_runs_marker(text: &str, at: &Path) -> bool {
    let left = at.join("left");
    let _ = std::fs::remove_file(&left);
    let status = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", text])
        .current_dir(at)
        .env_clear()
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", at.join("bin").display()),
        )
        .env("LEFT", &left)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok(), "bash must be installed to run this test");
    left.exists()
}

/// A directory with `MARKER` in its `bin`.
fn marker_directory() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bin = directory.path().join("bin");
    std::fs::create_dir(&bin).expect("bin");
    let marker = bin.join("MARKER");
    std::fs::write(&marker, "#!/bin/sh\n: > \"$LEFT\"\n").expect("MARKER");
    std::fs::set_permissions(&marker, std::fs::Permissions::from_mode(0o755)).expect("executable");
    directory
}

#[test]
fn there_are_many_positions() {
    assert!(RUNS.len() >= 150, "{}", RUNS.len());
    let mut unique: Vec<_> = RUNS.to_vec();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), RUNS.len());
}

#[test]
fn what_bash_runs_is_seen() {
    let directory = marker_directory();
    let mut wrong = Vec::new();
    let mut refused = Vec::new();
    for text in RUNS {
        if !bash_runs_marker(text, directory.path()) {
            wrong.push(format!("bash does not run it: {text:?}"));
        }
        match commands(text) {
            Ok(names) if names.iter().any(|name| name == "MARKER") => {}
            Ok(_) if *text == "$(echo MARKER)" => {}
            Ok(names) => wrong.push(format!("not seen: {text:?} {names:?}")),
            Err(why) => refused.push(format!("{text:?}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Refusing would be safe, but none of these is so odd that it has to be.
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn what_bash_does_not_run_is_not_seen() {
    let directory = marker_directory();
    for text in DOES_NOT_RUN {
        assert!(
            !bash_runs_marker(text, directory.path()),
            "bash runs it: {text:?}"
        );
        let names = commands(text).unwrap_or_else(|why| panic!("{text:?}: {why}"));
        assert!(
            !names.iter().any(|name| name == "MARKER"),
            "{text:?} {names:?}"
        );
    }
}

/// Wherever bash runs it, the analysis names it or does not claim to know everything.
#[test]
fn nothing_that_runs_escapes_the_analysis() {
    let directory = marker_directory();
    let context = Context {
        cwd: directory.path().display().to_string(),
        ..Context::default()
    };
    let mut wrong = Vec::new();
    for text in RUNS.iter().chain(RUNS_WHEN_FOLLOWED) {
        if !bash_runs_marker(text, directory.path()) {
            wrong.push(format!("bash does not run it: {text:?}"));
        }
        let analysis = analyse(text, &context, &Facts::default());
        let named = analysis.invocations.iter().any(|invocation| {
            invocation
                .argv
                .first()
                .and_then(|name| name.literal())
                .as_deref()
                == Some("MARKER")
        });
        if !named && analysis.coverage.is_complete() {
            wrong.push(format!("silent: {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
