//! Tools by name, and what their input means.
//!
//! [`normalize`] turns a call into its canonical name and its [`Action`].
//! The names are data ([`TABLE`]); a tool that is not in it, or whose input does
//! not have the declared shape, is [`Action::Opaque`] and goes to the judge.
//! Nothing is guessed: two spellings of a field that disagree make a call opaque.

pub(crate) mod input;
mod patch;
mod suspect;
mod table;

use std::borrow::Cow;

use crate::{Action, ToolCall};

pub use suspect::suspects;
pub use table::{Shape, TABLE, Tool, ToolTrust};

/// What reading a resource of a server is called, whichever way it is asked for.
pub const READ_RESOURCE: &str = "read_resource";

/// Whether a tool writes what stands in its input, so that its result is nothing new.
#[must_use]
pub fn is_edit(call: &ToolCall) -> bool {
    matches!(
        normalize(call).1,
        Action::Write { .. } | Action::Edit { .. } | Action::Notebook { .. }
    )
}

/// The canonical name of the tool, and what the call means.
#[must_use]
pub fn normalize(call: &ToolCall) -> (Cow<'static, str>, Action) {
    if let Some(tool) = find(&call.tool) {
        let action = input::read(tool.shape, call).unwrap_or_else(|| opaque(call));
        return (Cow::Borrowed(tool.name), action);
    }
    let action = mcp(call).unwrap_or_else(|| opaque(call));
    (Cow::Owned(call.tool.clone()), action)
}

/// The calls that a call is made of, each of which is decided by itself. A patch of several
/// files is as many; every other call is one.
#[must_use]
pub fn parts(call: &ToolCall) -> Vec<ToolCall> {
    let cut = || {
        find(&call.tool).filter(|tool| tool.shape == Shape::Patch)?;
        let field = input::PATCH.iter().find(|name| call.text(name).is_some())?;
        let parts = patch::parts(call.text(field)?)?;
        let part = |text: String| {
            let mut part = call.clone();
            part.input.insert((*field).to_owned(), text.into());
            part
        };
        Some(parts.into_iter().map(part).collect::<Vec<_>>())
    };
    cut()
        .filter(|parts| parts.len() > 1)
        .unwrap_or_else(|| vec![call.clone()])
}

/// Whether the table has a tool of this name.
#[must_use]
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// How far a tool is trusted by its name alone.
#[must_use]
pub fn trust(name: &str) -> ToolTrust {
    find(name).map_or(ToolTrust::Judged, |tool| tool.trust)
}

/// The directory the call works in: its own where the input of a shell names one.
#[must_use]
pub fn working_directory(call: &ToolCall) -> Cow<'_, str> {
    let runs = |tool: &Tool| matches!(tool.shape, Shape::Shell | Shape::PowerShell);
    if !find(&call.tool).is_some_and(runs) {
        return Cow::Borrowed(&call.cwd);
    }
    let named = [
        "cwd",
        "workdir",
        "working_directory",
        "working_dir",
        "directory",
        "dir_path",
    ]
    .iter()
    .find_map(|field| call.text(field));
    match named {
        Some(directory) => Cow::Owned(crate::path::absolute(directory, &call.cwd, None)),
        None => Cow::Borrowed(&call.cwd),
    }
}

fn find(name: &str) -> Option<&'static Tool> {
    TABLE
        .iter()
        .find(|tool| tool.name == name || tool.aliases.contains(&name))
}

fn mcp(call: &ToolCall) -> Option<Action> {
    let (server, tool) = call.tool.strip_prefix("mcp__")?.split_once("__")?;
    let named = !server.is_empty() && !tool.is_empty();
    named.then(|| Action::Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
        input: call.input.clone(),
    })
}

fn opaque(call: &ToolCall) -> Action {
    Action::Opaque {
        tool: call.tool.clone(),
        input: call.input.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replacement;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn call(tool: &str, input: Value) -> ToolCall {
        let Value::Object(input) = input else {
            panic!("an input is an object")
        };
        ToolCall {
            tool: tool.to_owned(),
            input,
            cwd: "/home/dev/app".to_owned(),
        }
    }

    fn check(tool: &str, input: Value, name: &str, action: Action) {
        let (canonical, meant) = normalize(&call(tool, input));
        assert_eq!((canonical.as_ref(), meant), (name, action), "{tool}");
    }

    fn check_opaque(tool: &str, input: Value) {
        let (_, action) = normalize(&call(tool, input.clone()));
        assert!(
            matches!(action, Action::Opaque { .. }),
            "{tool} {input}: {action:?}"
        );
    }

    fn text(text: &str) -> String {
        text.to_owned()
    }

    fn step(old: &str, new: &str) -> Replacement {
        Replacement {
            old: text(old),
            new: text(new),
            all: false,
        }
    }

    fn one(path: &str, old: &str, new: &str) -> Action {
        Action::edit(text(path), vec![step(old, new)])
    }

    #[test]
    fn both_spellings_of_a_tool_mean_the_same() {
        let shell = || Action::Shell {
            command: text("ls"),
        };
        check("Bash", json!({"command": "ls"}), "Bash", shell());
        check("bash", json!({"command": "ls"}), "Bash", shell());
        let read = || Action::Read { path: text("a.rs") };
        check("Read", json!({"file_path": "a.rs"}), "Read", read());
        check("read_file", json!({"path": "a.rs"}), "Read", read());
        check("FileRead", json!({"file_path": "a.rs"}), "Read", read());
        let write = || Action::Write {
            path: text("a.rs"),
            content: text("x"),
        };
        let input = || json!({"file_path": "a.rs", "content": "x"});
        check("Write", input(), "Write", write());
        check("file_write", input(), "Write", write());
        let edit = || one("a.rs", "x", "y");
        let input = || json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"});
        check("Edit", input(), "Edit", edit());
        check("file_edit", input(), "Edit", edit());
        check(
            "TodoWrite",
            json!({"todos": []}),
            "TodoWrite",
            Action::Inert,
        );
        check("todo_write", json!({}), "TodoWrite", Action::Inert);
        check(
            "ask_user_question",
            json!({}),
            "AskUserQuestion",
            Action::Interact,
        );
    }

    #[test]
    fn every_agents_own_words_are_understood() {
        let edit = || one("a", "x", "y");
        let input = || json!({"filePath": "a", "oldString": "x", "newString": "y"});
        check("edit", input(), "Edit", edit());
        let input = || json!({"path": "a", "old_str": "x", "new_str": "y"});
        check("edit", input(), "Edit", edit());
        let input =
            json!({"file_path": "a", "instruction": "i", "old_string": "x", "new_string": "y"});
        check("replace", input, "Edit", edit());
        let write = || Action::Write {
            path: text("a"),
            content: text("x"),
        };
        check(
            "create",
            json!({"path": "a", "file_text": "x"}),
            "Write",
            write(),
        );
        check(
            "write",
            json!({"filePath": "a", "content": "x"}),
            "Write",
            write(),
        );
        check(
            "view",
            json!({"path": "a"}),
            "Read",
            Action::Read { path: text("a") },
        );
        check(
            "read",
            json!({"filePath": "a"}),
            "Read",
            Action::Read { path: text("a") },
        );
        let search = |path: Option<&str>| Action::Search {
            pattern: text("p"),
            path: path.map(str::to_owned),
        };
        check(
            "grep_search",
            json!({"pattern": "p", "dir_path": "d"}),
            "Grep",
            search(Some("d")),
        );
        check(
            "grep",
            json!({"pattern": "p", "paths": ["d"]}),
            "Grep",
            search(Some("d")),
        );
        check_opaque("grep", json!({"pattern": "p", "paths": ["d", "e"]}));
        check_opaque("edit", json!({"file_path": "a", "diff": "+x"}));
        check_opaque("web_fetch", json!({"prompt": "summarise http://a.b"}));
        check_opaque("bash", json!({"command": "ls", "shellId": "0"}));
    }

    #[test]
    fn several_edits_are_one() {
        let edits = json!({"file_path": "a", "edits": [
            {"old_string": "1", "new_string": "one"},
            {"old_string": "2", "new_string": "two"},
        ]});
        let steps = vec![step("1", "one"), step("2", "two")];
        let action = Action::Edit {
            path: text("a"),
            old: text("1\n2"),
            new: text("one\ntwo"),
            steps,
        };
        check("MultiEdit", edits, "Edit", action);
    }

    #[test]
    fn an_edit_that_replaces_nothing_is_a_whole_file() {
        let edits = json!({"file_path": "a", "edits": [
            {"old_string": "1", "new_string": "one"},
            {"old_string": "", "new_string": "all"},
        ]});
        let (_, action) = normalize(&call("MultiEdit", edits));
        assert!(matches!(action, Action::Edit { old, .. } if old.is_empty()));
    }

    #[test]
    fn mcp_tools_carry_server_and_tool() {
        let action = Action::Mcp {
            server: text("chat"),
            tool: text("post__now"),
            input: call("x", json!({"a": 1})).input,
        };
        let name = "mcp__chat__post__now";
        check(name, json!({"a": 1}), name, action);
    }

    #[test]
    fn what_does_not_fit_is_opaque() {
        check_opaque("Teleport", json!({"to": "mars"}));
        check_opaque("BASH", json!({"command": "ls"}));
        check_opaque("Bash", json!({}));
        check_opaque("Bash", json!({"command": 5}));
        check_opaque("Bash", json!({"command": ["ls"]}));
        check_opaque("Write", json!({"content": "x"}));
        check_opaque(
            "Write",
            json!({"file_path": "a", "path": "b", "content": ""}),
        );
        check_opaque("Write", json!({"file_path": "a", "content": {"x": 1}}));
        check_opaque("Edit", json!({"file_path": "a", "old_string": 1}));
        check_opaque("MultiEdit", json!({"file_path": "a", "edits": ["x"]}));
        check_opaque("apply_patch", json!({"command": "*** Begin Patch"}));
        check_opaque("send_message", json!({"to": "a", "message": "x"}));
        check_opaque("SendMessage", json!({"to": "#all", "message": "x"}));
        check_opaque(
            "SendMessage",
            json!({"to": "a", "message": "x", "file": "y"}),
        );
        check_opaque("mcp__", json!({}));
        check_opaque("mcp__chat", json!({}));
        check_opaque("mcp____post", json!({}));
    }

    #[test]
    fn a_call_may_name_its_own_directory() {
        let inner = call("Bash", json!({"command": "ls", "workdir": "../lib"}));
        assert_eq!(working_directory(&inner), "/home/dev/lib");
        let inner = call(
            "run_shell_command",
            json!({"command": "ls", "dir_path": "/srv"}),
        );
        assert_eq!(working_directory(&inner), "/srv");
        let plain = call("Bash", json!({"command": "ls"}));
        assert_eq!(working_directory(&plain), "/home/dev/app");
        let search = call("Glob", json!({"pattern": "*", "dir_path": "d"}));
        assert_eq!(working_directory(&search), "/home/dev/app");
    }

    #[test]
    fn names_are_unique() {
        let mut seen = BTreeSet::new();
        for tool in TABLE {
            for name in std::iter::once(&tool.name).chain(tool.aliases) {
                assert!(seen.insert(*name), "{name} is listed twice");
            }
        }
    }

    #[test]
    fn only_tools_without_reach_are_trusted_by_name() {
        for tool in TABLE {
            let reaches = matches!(
                tool.shape,
                Shape::Shell
                    | Shape::PowerShell
                    | Shape::Edit
                    | Shape::Write
                    | Shape::Notebook
                    | Shape::Fetch
                    | Shape::Spawn
                    | Shape::Schedule
                    | Shape::Configure
            );
            assert!(!reaches || tool.trust == ToolTrust::Judged, "{}", tool.name);
        }
    }
}
