//! Tests, as their runner would run them.

/// The text of a Python test with a call of every function that the runner calls.
pub fn called(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tests = name.starts_with("test_") || name.ends_with("_test.py") || name == "conftest.py";
    if !tests || !name.ends_with(".py") {
        return text.to_owned();
    }
    let mut calls = String::new();
    let mut class = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let outer = bare.len() == line.len();
        if let Some(rest) = line.strip_prefix("class ") {
            class = Some(identifier(rest));
        }
        let Some(rest) = bare
            .strip_prefix("async ")
            .unwrap_or(bare)
            .strip_prefix("def ")
        else {
            continue;
        };
        let function = identifier(rest);
        match class {
            _ if outer => {
                class = None;
                calls.push_str(&format!("{function}()\n"));
            }
            Some(class) if function.starts_with("test") || function.starts_with("set") => {
                calls.push_str(&format!("{class}().{function}()\n"));
            }
            Some(_) | None => {}
        }
    }
    format!("{text}\n{calls}")
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn a_runner_calls_what_a_test_defines() {
        let text = "def test_a():\n    pass\nclass TestB:\n    def test_c(self):\n        pass\n";
        let run = called("/p/test_x.py", text);
        assert!(run.ends_with("test_a()\nTestB().test_c()\n"), "{run}");
        assert_eq!(called("/p/app.py", text), text);
    }
}
