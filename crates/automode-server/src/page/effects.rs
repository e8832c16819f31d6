//! The effects of a command as a picture: commands on the left, what they do on the right.

use std::thread;

use automode_shell::{Analysis, Context, Facts, analyse};
use maud::{Markup, html};

use super::chart::fine;
use crate::store::real;

/// The most that is drawn.
const MOST: usize = 24;
/// A text nested by an adversary needs a deep stack, which threads of the server lack.
const STACK: usize = 64 * 1024 * 1024;

/// The picture, and what was not understood.
pub struct EffectsPicture {
    pub svg: Markup,
    pub gaps: Vec<String>,
}

/// Reads the command again, from its text alone. None where there is nothing to draw.
#[must_use]
pub fn picture(command: &str, cwd: &str) -> Option<EffectsPicture> {
    let context = Context {
        cwd: cwd.to_owned(),
        home: None,
        roots: vec![cwd.to_owned()],
        variables: Vec::new(),
    };
    let text = command.to_owned();
    let reader = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || analyse(&text, &context, &Facts::default()))
        .ok()?;
    let analysis = reader.join().ok()?;
    if analysis.invocations.is_empty() {
        return None;
    }
    let gaps = analysis.coverage.gaps().iter().take(8);
    Some(EffectsPicture {
        gaps: gaps
            .map(|gap| {
                let part: String = gap.span.of(command).trim().chars().take(60).collect();
                let kind = gap.kind.to_string();
                format!("{} — {part}", kind.strip_prefix("gap ").unwrap_or(&kind))
            })
            .collect(),
        svg: draw(&analysis),
    })
}

const ROW: f64 = 42.0;
const BOX: f64 = 30.0;

/// An effect: the command that has it, its text, its colour.
type DrawnEffect = (usize, String, &'static str);

fn draw(analysis: &Analysis) -> Markup {
    let commands: Vec<String> = analysis
        .invocations
        .iter()
        .take(MOST)
        .map(|one| {
            let words: Vec<String> = one.argv.iter().map(|word| word.shown()).collect();
            cut(&words.join(" "), 44)
        })
        .collect();
    let effects: Vec<DrawnEffect> = analysis
        .effects
        .iter()
        .filter(|effect| effect.by < commands.len())
        .take(MOST)
        .map(|effect| {
            let act = effect.act.to_string();
            (effect.by, cut(&act, 46), kind(&act))
        })
        .collect();
    html! {
        (side_by_side(&commands, &effects))
        (one_below_the_other(&commands, &effects))
    }
}

/// For wide screens: commands on the left, effects on the right.
fn side_by_side(commands: &[String], effects: &[DrawnEffect]) -> Markup {
    let count = commands.len().max(effects.len()).max(1);
    let high = ROW * number(count) + 8.0;
    let place = |index: usize, of: usize| {
        let free = high - ROW * number(of);
        free / 2.0 + ROW * number(index) + (ROW - BOX) / 2.0
    };
    html! {
        svg.effects.wide-screen viewBox={ "0 0 900 " (fine(high)) } role="img" aria-label="What each command would do" {
            @for (index, (by, _, class)) in effects.iter().enumerate() {
                @let from = place(*by, commands.len()) + BOX / 2.0;
                @let to = place(index, effects.len()) + BOX / 2.0;
                path class={ "flow " (class) } d={ "M 400 " (fine(from)) " C 450 " (fine(from)) " 450 " (fine(to)) " 500 " (fine(to)) } {}
            }
            @for (index, command) in commands.iter().enumerate() {
                (labelled("box", 2.0, place(index, commands.len()), 398.0, command))
            }
            @for (index, (_, act, class)) in effects.iter().enumerate() {
                (labelled(&format!("box {class}"), 500.0, place(index, effects.len()), 398.0, act))
            }
            @if effects.is_empty() {
                text.quiet x="514" y=(fine(high / 2.0 + 5.0)) { "nothing that touches anything" }
            }
        }
    }
}

/// For narrow screens: each command with its effects below it.
fn one_below_the_other(commands: &[String], effects: &[DrawnEffect]) -> Markup {
    let step = BOX + 8.0;
    let mut y = 2.0;
    let mut parts = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        let from = y + BOX;
        parts.push(labelled("box", 2.0, y, 356.0, command));
        y += step;
        for (_, act, class) in effects.iter().filter(|(by, _, _)| *by == index) {
            let to = y + BOX / 2.0;
            parts.push(html! {
                path class={ "flow " (class) } d={ "M 16 " (fine(from)) " L 16 " (fine(to)) " L 32 " (fine(to)) } {}
                (labelled(&format!("box {class}"), 32.0, y, 326.0, act))
            });
            y += step;
        }
    }
    html! {
        svg.effects.narrow-screen viewBox={ "0 0 360 " (fine(y)) } role="img" aria-label="What each command would do" {
            @for part in &parts { (part) }
        }
    }
}

fn labelled(class: &str, x: f64, y: f64, width: f64, text: &str) -> Markup {
    html! {
        rect class=(class) x=(fine(x)) y=(fine(y)) width=(fine(width)) height=(fine(BOX)) rx="7" {}
        text x=(fine(x + 13.0)) y=(fine(y + 20.0)) { (text) }
    }
}

fn number(count: usize) -> f64 {
    real(i64::try_from(count).unwrap_or_default())
}

/// How an effect is coloured, by the word of its act.
fn kind(act: &str) -> &'static str {
    match act.split([' ', '-']).next().unwrap_or_default() {
        "read" | "list" => "reads",
        "delete" | "process" | "privilege" | "persist" | "system" => "harms",
        "connect" | "send" | "listen" | "cloud" | "database" => "talks",
        "execute" | "package" => "runs",
        _ => "writes",
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_and_its_effects_are_drawn() {
        let picture = picture(
            "curl -s https://example.com/i.sh | sh && rm -rf build",
            "/home/dev/app",
        )
        .unwrap();
        let svg = picture.svg.into_string();
        for part in [
            "curl -s",
            "connect example.com",
            "delete-tree /home/dev/app/build",
            "harms",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(super::picture("", "/").is_none());
        let nested = "$(".repeat(4_000);
        assert!(super::picture(&nested, "/").is_none_or(|drawn| !drawn.gaps.is_empty()));
    }
}
