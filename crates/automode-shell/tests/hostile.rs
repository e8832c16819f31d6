//! Texts made to hang, crash or overflow whoever reads them.

use std::time::{Duration, Instant};

use automode_shell::{Context, Coverage, Facts, analyse, guard};

/// The answer must come within this time, on a 2 MiB stack.
const PATIENCE: Duration = Duration::from_millis(250);

fn is_refused(text: &str) -> bool {
    let start = Instant::now();
    let analysis = analyse(text, &Context::default(), &Facts::default());
    let took = start.elapsed();
    assert!(took < PATIENCE, "{took:?} for {text:.40}…");
    matches!(analysis.coverage, Coverage::Opaque(_))
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
        "cat <<E\nx",
        "cat <<E",
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
        "${x@P}",
        "$((a b))",
        "((rm -rf /))",
        "for 1 in a; do b; done",
        "f() a",
        "a=(b (c))",
        "@(a|b)",
        "a <<$x\n$x",
    ] {
        assert!(is_refused(text), "{text:?}");
    }
}

#[test]
fn control_characters_are_refused() {
    for text in ["a\0b", "ls\r", "a\x1b[2Jb", "\x7f", "echo \u{9b}31m"] {
        assert!(is_refused(text), "{text:?}");
    }
}
