//! The name of a group.

use super::HttpRefusal;

/// The name, where it can stand in a policy as it is.
///
/// # Errors
/// A refusal where it cannot.
pub fn group_name(word: &str) -> Result<String, HttpRefusal> {
    let fits =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if word.is_empty() || word.len() > 40 || !word.chars().all(fits) {
        return Err(HttpRefusal::bad(
            "a group is named in small letters, digits and `-`",
        ));
    }
    Ok(word.to_owned())
}
