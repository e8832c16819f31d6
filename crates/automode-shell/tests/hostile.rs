//! Texts made to hang, crash or overflow whoever reads them.

use std::time::{Duration, Instant};

use automode_shell::{Context, Facts, GapKind, analyse, guard};

/// The answer must come within this time; an unoptimised build is given more.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 250 });

fn is_refused(text: &str) -> bool {
    let start = Instant::now();
    let analysis = analyse(text, &Context::default(), &Facts::default());
    let took = start.elapsed();
    assert!(took < PATIENCE, "{took:?} for {text:.40}…");
    // A shell may have run the lines before: then it is partial and says why.
    let gaps = analysis.coverage.gaps();
    gaps.iter()
        .any(|gap| matches!(gap.kind, GapKind::Refused(_) | GapKind::Syntax(_)))
}

/// As often as fits into what the guard lets through.
fn filled(piece: &str) -> String {
    piece.repeat(guard::MAX_BYTES / piece.len())
}

#[test]
fn enormous_texts_are_refused() {
    for text in [
        "$(".repeat(10_000),
        "(".repeat(1_000_000),
        "a|".repeat(100_000),
        "time ".repeat(100_000),
        "! ".repeat(100_000),
        "echo ${a:-".repeat(10_000),
        "a ".repeat(1_000_000),
    ] {
        assert!(is_refused(&text));
    }
}

#[test]
fn deep_texts_within_the_length_are_refused() {
    for piece in [
        "$(",
        "(",
        "{ ",
        "$((",
        "((",
        "${a:-",
        "\"${a:-",
        "\"$(",
        "<(",
        "[[ (",
        "[[ ! ",
        "! ",
        "time ",
        "a=(",
        "if ",
        "while ",
        "case a in a) ",
        "for i in a; do ",
        "f() ",
        "function f ",
        "coproc ",
        "$[",
        "${a[",
        "a[$(",
        "x[`",
        "${a/",
        "cat <<E\n$(",
        "until ",
        "select x in ",
        "( ",
        "[[ -n $(",
        "a && (",
        "<(a ",
    ] {
        assert!(is_refused(&filled(piece)), "{piece}");
    }
}

/// Work that grows faster than the text: whatever is answered, it is answered in time.
#[test]
fn shapes_that_multiply_are_answered() {
    let nested = |open: &str, inside: &str, close: &str, times: usize| {
        format!("{}{inside}{}", open.repeat(times), close.repeat(times))
    };
    let documents: String = (0..400).map(|at| format!(" <<E{at}")).collect();
    let bodies: String = (0..400).map(|at| format!("x\nE{at}\n")).collect();
    let aliases: String = (0..200)
        .map(|at| format!("alias a{at}='a{} a{}'\n", at + 1, at + 1))
        .collect();
    let functions: String = (0..60)
        .map(|at| format!("f{at}() {{ f{n}; f{n}; }}; ", n = at + 1))
        .collect();
    let chain: String = (0..400).map(|at| format!("v{}=$v{at}; ", at + 1)).collect();
    let texts = [
        nested("${", "a", "}", 3_000),
        nested("${a:-", "b", "}", 60),
        nested("$((", "1", "))", 2_000),
        nested("$((1+", "1", "))", 60),
        nested("[[ ( ", "a", " ) ]]", 500),
        format!("[[ {} ]]", nested("( ", "a", " )", 60)),
        format!("[[ a {} ]]", "&& a ".repeat(1_500)),
        nested("{ ", "a;", " }", 1_500),
        nested("if a; then ", "b", "; fi", 60),
        nested("if ", "a", "; then b; fi", 60),
        nested("case a in a) ", "b", ";; esac", 60),
        nested("while a; do ", "b", "; done", 60),
        nested("for i in a b c; do ", "b", "; done", 40),
        nested("for i in {1..60}; do ", "ls", "; done", 12),
        nested("(", "ls", ")", 60),
        nested("eval '", "ls", "'", 1),
        format!("{}ls", "eval ".repeat(1_800)),
        format!("{}ls", "sudo ".repeat(1_800)),
        format!("{}ls", "bash -c ".repeat(1_000)),
        format!("{}ls", "time ".repeat(1_900)),
        format!("{}ls", "env ".repeat(2_000)),
        format!("{}ls", "X=a ".repeat(2_000)),
        format!("cat{documents}\n{bodies}"),
        "cat <<E\n$(ls)\nE\n".repeat(500),
        format!("{aliases}a0"),
        "alias a='a a'; a a a a a a a".to_owned(),
        format!("{functions} f60() {{ ls; }}; f0"),
        "f() { f; }; f".to_owned(),
        "f() { f | f & }; f".to_owned(),
        "f() { g; }; g() { h; }; h() { f; }; f; g; h".to_owned(),
        "ls {1..99999999}".to_owned(),
        "ls {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}".to_owned(),
        format!("ls {}", "{a,b}".repeat(1_900)),
        format!("ls {}", nested("{a,", "b", "}", 1_500)),
        "ls {a..z}{a..z}{a..z}{a..z}".to_owned(),
        "ls {-9223372036854775808..9223372036854775807}".to_owned(),
        "ls {1..9223372036854775807..9223372036854775807}".to_owned(),
        "x=aaaaaaaaaa; ".to_owned() + &"x=$x$x; ".repeat(1_000) + "ls $x",
        "x=a; while ls; do x=$x$x$x$x; done; ls $x".to_owned(),
        "a=(1); while ls; do a+=(\"${a[@]}\"); done; ls ${a[@]}".to_owned(),
        "a=(1); ".to_owned() + &"a+=(\"${a[@]}\"); ".repeat(300) + "ls ${a[@]}",
        "declare -A m; ".to_owned() + &"m[$RANDOM]=x; ".repeat(500) + "ls ${m[@]}",
        format!("v0=a; {chain}ls $v400"),
        "while ls; do ".to_owned() + &chain + "done; ls $v400",
        "if ls; then x=1; else x=2; fi; ".repeat(250) + "ls $x$x$x$x$x$x$x$x",
        "x=a; trap 'ls $x' EXIT; ".to_owned() + &"x=$x$x; ".repeat(500),
        "trap 'trap \"trap x EXIT\" EXIT' EXIT; ".repeat(250),
        "f() { if ls; then return; fi; x=$x$x; }; ".to_owned() + &"f; ".repeat(1_500),
        "for i in a b; do break; continue; done; ".repeat(200),
        "cd a || cd b && cd c; ".repeat(400),
        "pushd a; popd; ".repeat(600),
        "set -- $@ $@ a; ".repeat(500) + "ls $@",
        "a".repeat(10_000),
        "\\\n".repeat(5_000),
        "$(".to_owned() + &"\\\n".repeat(4_000) + "ls)",
        "e\u{301}".repeat(3_000),
        "\u{202e}".repeat(3_000),
        "ls \u{200b}".repeat(1_500),
        "ls\r\n".repeat(2_000),
        "ls #".to_owned() + &"\u{2066}".repeat(3_000),
        "\"".to_owned() + &"$x".repeat(4_900) + "\"",
        "'".repeat(10_000),
        "`".repeat(10_000),
        "\\".repeat(10_000),
        "${x//a/b}".repeat(1_000),
        "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; ".to_owned()
            + &"ls ${x%%*a*a*a*a*a*a*b}; ".repeat(300),
        "[[ a =~ (a|b)*".to_owned() + &"(a|b)*".repeat(1_000) + " ]]",
        "ls <(".repeat(60) + "ls" + &")".repeat(60),
        "coproc ".repeat(60) + "ls",
        "read -r a b c <<< 'x y z'; ".repeat(300) + "ls $a $b $c",
        "declare -n r=x; r=$r$r; ".repeat(300),
        "printf -v x '%s%s' $x $x; ".repeat(300) + "ls $x",
        "echo 'ls' > f; . ./f; ".repeat(300),
        "echo '. ./f' > f; . ./f".to_owned(),
        "exec 3> f; echo a >&3; ".repeat(300),
    ];
    for text in &texts {
        is_refused(text);
    }
    assert!(texts.len() >= 70, "{}", texts.len());
}

#[test]
fn long_flat_texts_are_answered() {
    for piece in [
        "a|", "a;", "a&&", "a||", "a\n", "a ", "a>b ", "a=b ", "{a,b}", "$a", "'a'", "\"a\"",
        "\\a", "a&", "`a`", "$(a)", "a<b ", "${a}", "#", "[a]", "*", "<<<a ", "a=(b) ", "x[1]=2 ",
        "]=", "[]=", "a]=b ", "a[b]=", "$((1))", "~",
    ] {
        is_refused(&filled(piece));
    }
}

#[test]
fn nothing_unterminated_is_accepted() {
    for text in [
        "echo '",
        "echo `",
        "echo $(",
        "echo ${",
        "echo $((",
        "echo $[",
        "echo $'",
        "(",
        "{ a;",
        "if a; then b",
        "if a",
        "while a; do b",
        "for i in a; do",
        "for i in",
        "case a in",
        "case a in b)",
        "case a in b) c;;",
        "[[ a",
        "((1",
        "f() {",
        "f()",
        "function",
        "a |",
        "a &&",
        "a ||",
        "cat <<",
        "cat <<<",
        "a >",
        "a <",
        "a 2>&",
        "x=(",
        "x=(a",
        "${x[",
        "${x:-",
        "echo <(",
        "echo \\",
        "coproc",
        "a=$(",
        "select i in a; do",
        "]] && [[",
        "until a",
        "echo \"${x:-\"",
        "echo \"$(echo \"",
        "!|",
        "time |",
        "a;;",
        "a & ;",
        ";",
        "&",
        "|",
        ")",
        "}",
        "fi",
        "done",
        "esac",
        "then",
        "do",
        "a (b)",
        "echo (a)",
        "(a) b",
        "{ a; } b",
        "a ) b",
        "${}",
        "${ a; }",
        "${|a;}",
        "${x@$(a)}",
        "$((a b))",
        "((rm -rf /))",
        "for 1 in a; do b; done",
        "f() a",
        "a=(b (c))",
        "a <<$x\n$x",
    ] {
        assert!(is_refused(text), "{text:?}");
    }
}

/// Bash takes the rest of the text for the body, warns and runs the command.
#[test]
fn an_endless_document_ends_with_the_text() {
    for (text, complete) in [
        ("cat <<E\nx", true),
        ("ls; cat <<-E\n\tx", true),
        ("bash <<'E'\nls", true),
        ("cat <<E", false),
        ("bash <<E\n$x", false),
    ] {
        let analysis = analyse(text, &Context::default(), &Facts::default());
        assert_eq!(analysis.coverage.is_complete(), complete, "{text:?}");
        assert!(!analysis.invocations.is_empty(), "{text:?}");
    }
}

#[test]
fn control_characters_are_refused() {
    for text in ["a\0b", "ls\r", "a\x1b[2Jb", "\x7f", "echo \u{9b}31m"] {
        assert!(is_refused(text), "{text:?}");
    }
}

/// The deepest texts that are followed, on a quarter of an ordinary stack.
#[test]
fn depth_does_not_need_a_large_stack() {
    let nested = |open: &str, close: &str, times: usize| {
        format!("{}ls{}", open.repeat(times), close.repeat(times))
    };
    let mut texts = Vec::new();
    for times in [10, 30, 39, 50, 60] {
        for (open, close) in [
            ("{ ", "; }"),
            ("(", ")"),
            ("echo $(", ")"),
            ("echo \"$(", ")\""),
            ("if ls; then ", "; fi"),
            ("while ls; do ", "; done"),
            ("for i in a; do ", "; done"),
            ("case a in a) ", ";; esac"),
            ("echo ${x:-$(", ")}"),
            ("echo `", "`"),
            ("cat <(", ")"),
            ("f() { ", "; }; f"),
            ("eval ", ""),
            ("sudo ", ""),
            ("[[ -n $(", ") ]]"),
            ("echo $((1 + $(", ")))"),
            ("x=$(", ")"),
            ("x=($(", "))"),
            ("echo > $(", ")"),
        ] {
            texts.push(nested(open, close, times));
        }
    }
    // Functions that call each other from deep inside.
    let mut chain = String::new();
    for at in 0..16 {
        chain.push_str(&format!(
            "f{at}() {{ {}f{}{}; }}; ",
            "{ ".repeat(40),
            at + 1,
            "; }".repeat(40)
        ));
    }
    texts.push(format!("{chain} f0"));
    let run = move || {
        for text in texts {
            let analysis = analyse(&text, &Context::default(), &Facts::default());
            assert!(!analysis.coverage.is_complete() || !analysis.invocations.is_empty());
        }
    };
    let thread = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(run)
        .expect("a thread");
    thread.join().expect("no panic");
}
