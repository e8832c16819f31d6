//! Runs the examples of every knowledge file.

use super::parse::words_before_command;
use super::table::{Choice, Command, PROGRAMS, Role, Style, Takes};
use super::{ProgramEffects, consult, natures_of_start};
use crate::{
    Certainty, Context, Dynamic, DynamicSource, Facts, Invocation, Piece, Span, Stdin, Stdout,
    Taint, Value,
};

struct Example {
    file: &'static str,
    run: &'static str,
    effects: &'static [&'static str],
    output: Option<&'static str>,
}

static EXAMPLES: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

const HOME: &str = "/home/dev";
const CWD: &str = "/home/dev/app";

#[test]
fn every_example_holds() {
    let mut wrong = Vec::new();
    for example in EXAMPLES {
        let consequence = run(example.run);
        let found = lines(&consequence);
        let mut expected: Vec<String> = example.effects.iter().map(|line| absolute(line)).collect();
        expected.sort();
        if found != expected {
            wrong.push(format!(
                "{}: {}\n  expected {expected:#?}\n  found    {found:#?}",
                example.file, example.run
            ));
        }
        if let Some(expected) = example.output {
            let found = output(&consequence);
            if found != expected {
                wrong.push(format!(
                    "{}: {}\n  expected output `{expected}`, found `{found}`",
                    example.file, example.run
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_are_sorted_for_the_search() {
    assert!(PROGRAMS.is_sorted_by(|a, b| a.name < b.name));
}

/// The programs that are described, by name.
fn programs() -> impl Iterator<Item = (&'static str, &'static Command)> {
    PROGRAMS
        .iter()
        .filter_map(|known| Some((known.name, known.command?)))
}

#[test]
fn every_program_survives_odd_words() {
    let odd = [
        "--",
        "-",
        "--=",
        "-=",
        "=",
        "--=x",
        "-",
        "--x=",
        "+",
        "@",
        "{}",
        ";",
        "''",
        "*",
        "-$X",
        "--$X",
        "--x=$X",
        "-é",
        "--é=ü",
        "a=b",
        "a:b",
        ":",
        "@x",
        "~",
        "-0",
        "-zzzzzzzzzz",
        "http://",
        "http://[",
        "ext::",
        "127.0.0.1",
        "%1",
        "777",
        "key=",
    ];
    for (name, _) in programs() {
        let name = format!("'{name}'");
        for from in [0, 17] {
            let words = odd[from..].join(" ");
            run(&format!("{name} {words}"));
            run(&format!("x | {name} -x {words}"));
        }
    }
}

#[test]
fn a_word_that_may_be_a_flag_is_a_gap_where_flags_matter() {
    for (name, command) in programs() {
        if command.dynamic_options_are_inert || command.style == Style::Plain || name.contains('/')
        {
            continue;
        }
        let gaps = run(&format!("'{name}' $X")).gaps;
        assert!(!gaps.is_empty(), "{name}");
    }
}

#[test]
fn an_invented_option_or_variable_is_a_gap_for_every_program_and_subcommand() {
    let mut wrong = Vec::new();
    let mut tried: usize = 0;
    for (name, command) in programs() {
        for (words, sub) in below(command, String::new()) {
            let posix = matches!(sub.style, Style::Posix | Style::Shell | Style::LongPosix);
            let mut lines = vec![
                format!("'{name}'{words} --zzqx x"),
                format!("'{name}' --zzqx{words} x"),
                format!("'{name}'{words} --zzqx=x"),
                format!("'{name}'{words} --zzqx README.md src"),
                format!("x | '{name}'{words} --zzqx"),
            ];
            // Behind the first operand, where options are still read.
            if !posix {
                lines.push(format!("'{name}'{words} README.md --zzqx"));
                lines.push(format!("'{name}'{words} src README.md --zzqx=README.md"));
            }
            tried = tried.saturating_add(lines.len());
            let told = lines.into_iter().filter(|_| sub.style != Style::Plain);
            wrong.extend(told.filter(|line| run(line).gaps.is_empty()));
            let line = format!("ZZQX=1 '{name}'{words} x");
            if run(&line).gaps.is_empty() {
                wrong.push(line);
            }
        }
    }
    // Wrappers and runners hand the words on: what runs inside is asked instead.
    wrong.retain(|line| run(line).runs.is_empty());
    assert!(tried > 20_000, "only {tried} lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// From the tables alone: whatever an option that says nothing more takes, the program
/// that may stand there is never passed over for the word after it.
#[test]
fn no_option_of_a_runner_hides_the_command_behind_it() {
    let mut wrong = Vec::new();
    let mut tried: usize = 0;
    for (name, command) in programs() {
        for (words, sub) in below(command, String::new()) {
            let Some(before) = words_before_command(sub) else {
                continue;
            };
            for (spelling, flag) in sub.flags.iter() {
                let idle = |choice: &Choice| choice.roles == [Role::None];
                if flag.takes != Takes::Words
                    || flag.values.len() != 1
                    || !flag.values.iter().copied().flatten().all(idle)
                {
                    continue;
                }
                tried = tried.saturating_add(1);
                let front = "5 ".repeat(before);
                let line = format!("'{name}'{words} {spelling} {front}rm echo f");
                let told = run(&line);
                let runs_it = |run: &crate::Nested| run.to_string().contains("rm");
                let hides =
                    told.gaps.is_empty() && !told.runs.is_empty() && !told.runs.iter().any(runs_it);
                if hides {
                    wrong.push(line);
                }
            }
        }
    }
    assert!(tried > 400, "only {tried} lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A command and all its subcommands with the words that lead to them.
fn below(command: &'static Command, words: String) -> Vec<(String, &'static Command)> {
    let subs = command.subs.iter().chain(command.patterns);
    let below: Vec<_> = subs
        .flat_map(|(sub, next)| below(next, format!("{words} {}", sub.replace('*', "x"))))
        .collect();
    std::iter::once((words, command)).chain(below).collect()
}

/// The effects, nested code and gaps in the notation, sorted.
fn lines(consequence: &ProgramEffects) -> Vec<String> {
    let effects = consequence.effects.iter().map(|(act, _)| act.to_string());
    let runs = consequence.runs.iter().map(ToString::to_string);
    let gaps = consequence.gaps.iter().map(|gap| gap.kind.to_string());
    let mut lines: Vec<String> = effects.chain(runs).chain(gaps).collect();
    lines.sort();
    lines
}

fn output(consequence: &ProgramEffects) -> String {
    let output = &consequence.output;
    let mut words: Vec<String> = Vec::new();
    if let Some(text) = &output.text {
        words.push(format!("text {}", text.shown()));
    }
    if output.passes_input {
        words.push("pass".to_owned());
    }
    words.extend(output.taint.names().map(str::to_owned));
    words.join(" ")
}

/// `./x` and `~/x` of an expected line as absolute paths.
fn absolute(line: &str) -> String {
    let Some((head, rest)) = line.split_once(' ') else {
        return line.to_owned();
    };
    if matches!(
        head,
        "run" | "shell" | "code" | "script" | "input" | "gap" | "task"
    ) {
        return line.to_owned();
    }
    let words: Vec<String> = rest
        .split(' ')
        .map(|word| match word {
            "." => CWD.to_owned(),
            "~" => HOME.to_owned(),
            word => match (word.strip_prefix("./"), word.strip_prefix("~/")) {
                (Some(rest), _) => format!("{CWD}/{rest}"),
                (None, Some(rest)) => format!("{HOME}/{rest}"),
                (None, None) => word.to_owned(),
            },
        })
        .collect();
    format!("{head} {}", words.join(" "))
}

/// Consults the last stage of a pipeline of simple commands.
fn run(line: &str) -> ProgramEffects {
    let (stdin, line) = match line.rsplit_once(" | ") {
        Some((_, last)) if last.matches('\'').count() % 2 == 0 => {
            (Stdin::Pipe(Taint::UNKNOWN), last)
        }
        _ => (Stdin::Inherited, line),
    };
    let (stdin, line) = match line.split_once(" <<< ") {
        Some((command, text)) => (
            Stdin::Text(Value::text(text.trim_matches('\''), Span::default())),
            command,
        ),
        None => (stdin, line),
    };
    let mut words = split(line);
    let mut env = Vec::new();
    while let Some(pair) = words.first().and_then(super::nested::assignment) {
        env.push(pair);
        words.remove(0);
    }
    let invocation = Invocation {
        natures: natures_of_start(&words),
        argv: words,
        env,
        redirects: Vec::new(),
        stdin,
        stdout: Stdout::Shown,
        output: Taint::NONE,
        cwd: Some(CWD.to_owned()),
        span: Span::new(0, line.len()),
        layers: Vec::new(),
        certainty: Certainty::Always,
    };
    let context = Context {
        cwd: CWD.to_owned(),
        home: Some(HOME.to_owned()),
        ..Context::default()
    };
    consult(&invocation, &context, &Facts::default())
}

/// Words with quotes, `$NAME`, `$(…)`, patterns and `~`.
fn split(line: &str) -> Vec<Value> {
    let mut words = Vec::new();
    let mut letters = line.char_indices().peekable();
    while let Some((start, letter)) = letters.peek().copied() {
        if letter == ' ' {
            letters.next();
            continue;
        }
        let mut word = ExampleWord::default();
        let mut quote = None;
        while let Some((_, letter)) = letters.peek().copied() {
            if letter == ' ' && quote.is_none() {
                break;
            }
            letters.next();
            match (letter, quote) {
                ('\'' | '"', None) => {
                    quote = Some(letter);
                    word.started = true;
                }
                (close, Some(open)) if close == open => quote = None,
                ('\\', None | Some('"')) => {
                    word.text.extend(letters.next().map(|(_, next)| next));
                }
                ('$', None | Some('"')) => {
                    word.flush();
                    let source = if letters.peek().is_some_and(|(_, next)| *next == '(') {
                        for (_, next) in letters.by_ref() {
                            if next == ')' {
                                break;
                            }
                        }
                        DynamicSource::Output
                    } else {
                        let mut name = String::new();
                        while let Some((_, next)) =
                            letters.next_if(|(_, c)| c.is_alphanumeric() || "_!".contains(*c))
                        {
                            name.push(next);
                        }
                        DynamicSource::Variable(name)
                    };
                    word.value.may_split |= quote.is_none();
                    let taint = Taint::UNKNOWN;
                    word.value
                        .pieces
                        .push(Piece::Dynamic(Dynamic { source, taint }));
                }
                ('*' | '?', None) => {
                    word.flush();
                    word.value.pieces.push(Piece::Glob(letter.to_string()));
                }
                (letter, _) => word.text.push(letter),
            }
        }
        word.flush();
        if word.value.pieces.is_empty() {
            word.value.pieces.push(Piece::Text(String::new()));
        }
        let end = letters.peek().map_or(line.len(), |(at, _)| *at);
        word.value.span = Span::new(start, end);
        expand_home(&mut word.value);
        words.push(word.value);
    }
    words
}

#[derive(Default)]
struct ExampleWord {
    value: Value,
    text: String,
    started: bool,
}

impl ExampleWord {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.value.pieces.push(Piece::Text(text));
        }
    }
}

fn expand_home(value: &mut Value) {
    if let Some(Piece::Text(text)) = value.pieces.first_mut()
        && (text == "~" || text.starts_with("~/"))
    {
        *text = text.replacen('~', HOME, 1);
    }
}
