//! A cell of a notebook: Python with lines for the shell.

use crate::escape::shell_quoted;

/// The commands of a cell: `!command`, `%%bash`, and the code around them.
pub fn cell(text: &str) -> Vec<String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if matches!(
        first.trim(),
        "%%bash" | "%%sh" | "%%script bash" | "%%script sh"
    ) {
        return vec![rest.to_owned()];
    }
    let mut found = Vec::new();
    let mut code = String::new();
    for line in text.lines() {
        let bare = line.trim_start();
        if let Some(command) = bare.strip_prefix('!').or_else(|| bare.strip_prefix("%sx ")) {
            found.push(command.to_owned());
        } else if !bare.starts_with('%') {
            code.push_str(line);
            code.push('\n');
        }
    }
    if !code.trim().is_empty() {
        found.push(format!("python3 -c {}", shell_quoted(&code)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_code_and_commands() {
        assert_eq!(cell("!ls -a\nx = 1"), ["ls -a", "python3 -c 'x = 1\n'"]);
        assert_eq!(cell("%%bash\nls\npwd"), ["ls\npwd"]);
        assert_eq!(cell("%matplotlib inline"), [""; 0]);
    }
}
