//! Tests, as their runner would run them.

/// Files whose functions a tool calls by their names.
const LOADED: &[&str] = &[
    "conftest.py",
    "dodo.py",
    "environment.py",
    "fabfile.py",
    "gunicorn.conf.py",
    "hatch_build.py",
    "locustfile.py",
    "noxfile.py",
    "setup.py",
    "tasks.py",
];

/// Folders whose files are steps of a story.
const FOLDERS: &[&str] = &["/features/", "/steps/"];

/// The text of a Python test with a call of every function that the runner calls.
pub fn called(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tests = name.starts_with("test_")
        || name.ends_with("_test.py")
        || LOADED.contains(&name)
        || FOLDERS.iter().any(|folder| path.contains(folder));
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
            Some(class) if is_called_by_runner(function) => {
                calls.push_str(&format!("{class}().{function}()\n"));
            }
            Some(_) | None => {}
        }
    }
    format!("{text}\n{calls}")
}

/// A method that a runner calls by its name.
fn is_called_by_runner(method: &str) -> bool {
    ["test", "set", "tear", "run", "on_", "before", "after", "as"]
        .iter()
        .any(|start| method.starts_with(start))
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
        let steps = called(
            "/p/features/environment.py",
            "def before_all(c):\n    pass\n",
        );
        assert!(steps.ends_with("before_all()\n"), "{steps}");
        assert_eq!(called("/p/app.py", text), text);
    }
}
