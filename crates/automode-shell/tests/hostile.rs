//! Texts made to hang, crash or overflow whoever reads them.

use std::time::{Duration, Instant};

use automode_shell::{Context, Facts, GapKind, analyse, guard};

/// The answer must come within this time; an unoptimised build is given more.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 250 });

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

/// Bash takes these with a warning, so they are read, but never for complete.
#[test]
fn an_endless_document_is_read_with_a_gap() {
    for text in [
        "cat <<E\nx",
        "cat <<E",
        "ls; cat <<-E\n\tx",
        "bash <<'E'\nls",
    ] {
        let analysis = analyse(text, &Context::default(), &Facts::default());
        assert!(!analysis.coverage.is_complete(), "{text:?}");
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
