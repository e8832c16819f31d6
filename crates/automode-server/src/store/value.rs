//! Values and rows, the same for both databases.
//!
//! Four kinds suffice: numbers, fractions, text and nothing. What a column does not
//! hold reads as zero or empty, so that no page dies of an old row.

/// One value of a statement or a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nothing,
    Number(i64),
    Fraction(f64),
    Text(String),
}

/// One row of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    #[must_use]
    pub fn number(&self, column: usize) -> i64 {
        match self.0.get(column) {
            Some(Value::Number(number)) => *number,
            Some(Value::Fraction(fraction)) => whole(*fraction),
            Some(Value::Text(_) | Value::Nothing) | None => 0,
        }
    }

    #[must_use]
    pub fn fraction(&self, column: usize) -> f64 {
        match self.0.get(column) {
            Some(Value::Fraction(fraction)) => *fraction,
            Some(Value::Number(number)) => real(*number),
            Some(Value::Text(_) | Value::Nothing) | None => 0.0,
        }
    }

    #[must_use]
    pub fn text(&self, column: usize) -> String {
        self.maybe(column).unwrap_or_default()
    }

    /// The text, where there is one.
    #[must_use]
    pub fn maybe(&self, column: usize) -> Option<String> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Some(text.clone()),
            Some(Value::Nothing | Value::Number(_) | Value::Fraction(_)) | None => None,
        }
    }
}

/// A count as a fraction; counts of rows are far below what a fraction holds exactly.
#[must_use]
pub fn real(number: i64) -> f64 {
    number as f64
}

/// Saturating is what is wanted.
fn whole(fraction: f64) -> i64 {
    fraction as i64
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(fraction: f64) -> Self {
        Self::Fraction(fraction)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

/// The values of a statement, in the order of its `$1`, `$2`, …
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::store::Value::from($value)),*]
    };
}
