//! Arithmetic on known numbers.
//!
//! The text is expanded first, then read as an expression, as bash does it. A
//! name is looked up and its text read in turn. What is not known is a number
//! all the same: the value keeps that, and assigned names become numbers.

use super::Evaluator;
use super::expand::Quotes;
use super::shell_state::ShellState;
use super::variable::Stored;
use crate::ir::{DynamicSource, GapKind, Span, Taint, Value};
use crate::place::is_secret_variable;
use crate::syntax::Word;

impl Evaluator<'_> {
    /// The value of an expression; always a number.
    pub(super) fn arithmetic(&mut self, expression: &Word, shell: &mut ShellState) -> Value {
        let text = self.expand(expression, shell, Quotes::Implied);
        self.evaluate(&text, shell, expression.span)
    }

    /// The value of a text that bash reads as an expression.
    pub(super) fn evaluate(&mut self, text: &Value, shell: &mut ShellState, span: Span) -> Value {
        self.evaluated_name(text, shell);
        if holds_secret(text, shell) {
            // What is no number is shown in the complaint about it.
            let kind = GapKind::Unseen("what arithmetic says of a secret".to_owned());
            self.gap(kind, span);
        }
        let mut fails = false;
        let result = text.literal().and_then(|text| {
            let mut reader = ArithmeticReader::new(&text, shell, span);
            let result = reader.whole();
            fails = result.is_none() && !reader.unknown;
            result
        });
        match result {
            Some(number) => Value::text(number.to_string(), span),
            None => {
                if fails {
                    // The line is given up, and what stands behind it may not run.
                    let kind = GapKind::Syntax("an expression that may fail".to_owned());
                    self.gap(kind, span);
                }
                self.give_up_assigned(text, shell, span);
                Value::dynamic(DynamicSource::Number, Taint::NONE, span)
            }
        }
    }

    /// The values of names are evaluated in turn, and names that the expression may
    /// assign are numbers of no known value.
    fn give_up_assigned(&mut self, text: &Value, shell: &mut ShellState, span: Span) {
        let shown = text.shown();
        self.evaluated_names(&shown, shell, 0);
        let assigns = shown.contains("++") || shown.contains("--") || shown.contains('=');
        for name in names(&shown).filter(|_| assigns) {
            let binding = shell.variables.get(shell.resolved(name));
            let stored = match binding.map(|binding| &binding.value) {
                Some(Stored::List(_) | Stored::Map(_) | Stored::Hidden(_)) => {
                    Stored::Hidden(Taint::NONE)
                }
                Some(Stored::Scalar(_) | Stored::Reference(_) | Stored::Unset) | None => {
                    Stored::Scalar(Value::dynamic(DynamicSource::Number, Taint::NONE, span))
                }
            };
            shell.set(name, stored);
        }
    }

    /// What the names in an expression hold is an expression too, and so on.
    fn evaluated_names(&mut self, text: &str, shell: &ShellState, depth: u32) {
        for name in names(text).filter(|_| depth < 8) {
            let binding = shell.variables.get(shell.resolved(name));
            let values: Vec<&Value> = match binding.map(|binding| &binding.value) {
                Some(Stored::Scalar(value)) => vec![value],
                Some(Stored::List(values)) => values.iter().collect(),
                Some(Stored::Map(values)) => values.values().collect(),
                Some(Stored::Hidden(_) | Stored::Reference(_) | Stored::Unset) | None => continue,
            };
            for value in values {
                self.evaluated_name(value, shell);
                if self.spend(value.span) {
                    self.evaluated_names(&value.shown(), shell, depth + 1);
                }
            }
        }
    }
}

/// Whether an expression has the text of a secret in it, or names a variable that holds one.
fn holds_secret(text: &Value, shell: &ShellState) -> bool {
    let is_secret = |name: &str| match shell.variables.get(shell.resolved(name)) {
        Some(binding) => binding.value.taint().has(Taint::SECRET),
        None => is_secret_variable(name),
    };
    text.taint().has(Taint::SECRET) || names(&text.shown()).any(is_secret)
}

/// The names in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let begins = |first: char| first.is_ascii_alphabetic() || first == '_';
    text.split(move |character| !is_part(character))
        .filter(move |name| name.starts_with(begins))
}

/// Reads one expression by precedence climbing.
struct ArithmeticReader<'t, 's> {
    text: &'t [u8],
    at: usize,
    shell: &'s mut ShellState,
    span: Span,
    steps: u32,
    depth: u32,
    /// Something in it is not known.
    unknown: bool,
}

impl<'t, 's> ArithmeticReader<'t, 's> {
    fn new(text: &'t str, shell: &'s mut ShellState, span: Span) -> Self {
        Self {
            text: text.as_bytes(),
            at: 0,
            shell,
            span,
            steps: 0,
            depth: 0,
            unknown: false,
        }
    }

    fn whole(&mut self) -> Option<i64> {
        self.blanks();
        if self.at == self.text.len() {
            return Some(0);
        }
        // An assignment that only one way reaches is not followed.
        let text = std::str::from_utf8(self.text).ok()?;
        let branches = text.contains(['?', '&', '|']);
        let assigns = text.contains("++") || text.contains("--") || text.contains('=');
        if branches && assigns {
            self.unknown = true;
            return None;
        }
        let value = self.comma()?;
        (self.at == self.text.len()).then_some(value)
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.assignment()?;
        while self.eat(b",") {
            value = self.assignment()?;
        }
        Some(value)
    }

    fn assignment(&mut self) -> Option<i64> {
        self.steps += 1;
        if self.steps > 500 {
            return None;
        }
        let start = self.at;
        if let Some(name) = self.name() {
            for operator in [
                &b"="[..],
                b"+=",
                b"-=",
                b"*=",
                b"/=",
                b"%=",
                b"<<=",
                b">>=",
                b"&=",
                b"^=",
                b"|=",
            ] {
                let compares = operator == b"=" && self.looks_at(b"==");
                if !compares && self.eat(operator) {
                    let right = self.assignment()?;
                    let value = match operator.split_last() {
                        Some((_, [])) | None => right,
                        Some((_, operation)) => apply(operation, self.lookup(&name)?, right)?,
                    };
                    self.assign(&name, value);
                    return Some(value);
                }
            }
        }
        self.at = start;
        self.conditional()
    }

    fn conditional(&mut self) -> Option<i64> {
        let condition = self.binary(0)?;
        if !self.eat(b"?") {
            return Some(condition);
        }
        let yes = self.assignment()?;
        if !self.eat(b":") {
            return None;
        }
        let no = self.assignment()?;
        Some(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        const LEVELS: &[&[&[u8]]] = &[
            &[b"||"],
            &[b"&&"],
            &[b"|"],
            &[b"^"],
            &[b"&"],
            &[b"==", b"!="],
            &[b"<=", b">=", b"<", b">"],
            &[b"<<", b">>"],
            &[b"+", b"-"],
            &[b"*", b"/", b"%"],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.power();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    /// The operator at this level, unless a longer one stands here.
    fn operator(&mut self, operators: &[&'static [u8]]) -> Option<&'static [u8]> {
        const LONGER: &[&[u8]] = &[
            b"<<=", b">>=", b"**", b"||", b"&&", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"+=",
            b"-=", b"*=", b"/=", b"%=", b"&=", b"^=", b"|=",
        ];
        self.blanks();
        let found = operators.iter().find(|operator| self.looks_at(operator))?;
        let shadowed = LONGER
            .iter()
            .any(|longer| longer.len() > found.len() && self.looks_at(longer));
        if shadowed {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary()?;
        if !self.eat(b"**") {
            return Some(base);
        }
        self.steps += 1;
        if self.steps > 500 {
            return None;
        }
        let exponent = u32::try_from(self.power()?).ok()?;
        base.checked_pow(exponent)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 40 {
            return None;
        }
        self.blanks();
        let value = if self.eat(b"++") || self.eat(b"--") {
            let step = if self.text.get(self.at.checked_sub(1)?) == Some(&b'+') {
                1
            } else {
                -1
            };
            let name = self.name()?;
            let value = self.lookup(&name)?.checked_add(step)?;
            self.assign(&name, value);
            value
        } else if self.eat(b"+") {
            self.unary()?
        } else if self.eat(b"-") {
            self.unary()?.checked_neg()?
        } else if self.looks_at(b"!") && !self.looks_at(b"!=") && self.eat(b"!") {
            i64::from(self.unary()? == 0)
        } else if self.eat(b"~") {
            !self.unary()?
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn primary(&mut self) -> Option<i64> {
        if self.eat(b"(") {
            let value = self.comma()?;
            return self.eat(b")").then_some(value);
        }
        if let Some(name) = self.name() {
            let value = self.lookup(&name)?;
            for (operator, step) in [(b"++", 1), (b"--", -1)] {
                if self.eat(operator) {
                    self.assign(&name, value.checked_add(step)?);
                }
            }
            return Some(value);
        }
        self.number()
    }

    fn number(&mut self) -> Option<i64> {
        self.blanks();
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.text.get(start..self.at)?).ok()?;
        if let Some((radix, digits)) = text.split_once('#') {
            let radix = radix
                .parse()
                .ok()
                .filter(|radix| (2..=36).contains(radix))?;
            return i64::from_str_radix(digits, radix).ok();
        }
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return i64::from_str_radix(digits, 16).ok();
        }
        match text.strip_prefix('0') {
            Some(digits) if !digits.is_empty() => i64::from_str_radix(digits, 8).ok(),
            _ => text.parse().ok(),
        }
    }

    fn name(&mut self) -> Option<String> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let first = rest.first()?;
        if !first.is_ascii_alphabetic() && *first != b'_' {
            return None;
        }
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        // An element of an array is not followed.
        if rest.get(length) == Some(&b'[') {
            self.unknown = true;
            return None;
        }
        self.at += length;
        rest.get(..length)
            .map(|name| String::from_utf8_lossy(name).into_owned())
    }

    fn lookup(&mut self, name: &str) -> Option<i64> {
        let found = self.known(name);
        self.unknown |= found.is_none();
        found
    }

    fn known(&self, name: &str) -> Option<i64> {
        match &self.shell.variables.get(self.shell.resolved(name))?.value {
            Stored::Scalar(value) => {
                let text = value.literal()?;
                let text = text.trim();
                if text.is_empty() {
                    return Some(0);
                }
                // A value that is itself an expression is not followed, nor an octal number.
                let octal = text.len() > 1 && text.trim_start_matches('-').starts_with('0');
                text.parse().ok().filter(|_| !octal)
            }
            Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_) => None,
            Stored::Unset => Some(0),
        }
    }

    fn assign(&mut self, name: &str, value: i64) {
        self.shell.set(
            name,
            Stored::Scalar(Value::text(value.to_string(), self.span)),
        );
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn looks_at(&self, operator: &[u8]) -> bool {
        self.text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(operator))
    }

    fn eat(&mut self, operator: &[u8]) -> bool {
        self.blanks();
        let found = self.looks_at(operator);
        if found {
            self.at += operator.len();
            self.blanks();
        }
        found
    }
}

fn apply(operator: &[u8], left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).ok();
    Some(match operator {
        b"||" => i64::from(left != 0 || right != 0),
        b"&&" => i64::from(left != 0 && right != 0),
        b"|" => left | right,
        b"^" => left ^ right,
        b"&" => left & right,
        b"==" => i64::from(left == right),
        b"!=" => i64::from(left != right),
        b"<=" => i64::from(left <= right),
        b">=" => i64::from(left >= right),
        b"<" => i64::from(left < right),
        b">" => i64::from(left > right),
        b"<<" => left.checked_shl(shift?)?,
        b">>" => left.checked_shr(shift?)?,
        b"+" => left.checked_add(right)?,
        b"-" => left.checked_sub(right)?,
        b"*" => left.checked_mul(right)?,
        b"/" => left.checked_div(right)?,
        b"%" => left.checked_rem(right)?,
        _ => return None,
    })
}
