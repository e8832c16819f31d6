//! Tools of file servers, known by their description.
//!
//! A tool called `write_file` may write anywhere: on this machine, on another, into a store
//! of its own. One that describes itself word for word as the file server of the protocol's
//! authors does what that server does, and is decided as the call that it stands for: a
//! read, an edit, a move. A description that differs, an argument that is not in the row or
//! a path that is not absolute leaves the call to its name.
//!
//! The words are `@modelcontextprotocol/server-filesystem`'s, 2025.8 to 2026.8. A server that
//! says them and does something else is a program of the person's own choosing that lies to
//! them; nothing between it and its client can tell.

use automode::ToolCall;
use serde_json::{Map, Value, json};

/// One tool: its name, the beginnings of the digests of its descriptions, the arguments that
/// it has, and what it does.
struct FileTool {
    name: &'static str,
    descriptions: &'static [&'static str],
    arguments: &'static [&'static str],
    does: FileAct,
}

#[derive(Clone, Copy)]
enum FileAct {
    Read,
    ReadAll,
    /// Looks at names, sizes and times below a folder.
    Look,
    Write,
    Edit,
    MakeFolder,
    /// Renames; what is at the destination is replaced, whatever the description says.
    Move,
}

const fn row(
    name: &'static str,
    descriptions: &'static [&'static str],
    arguments: &'static [&'static str],
    does: FileAct,
) -> FileTool {
    FileTool {
        name,
        descriptions,
        arguments,
        does,
    }
}

#[rustfmt::skip]
const TABLE: &[FileTool] = &[
    row("read_file", &["7abf56a4c306cf50"], &["path", "head", "tail"], FileAct::Read),
    row("read_text_file", &["43033fa70cb5bafe"], &["path", "head", "tail"], FileAct::Read),
    row("read_media_file", &["fa38aac3f24cf15d", "206ef33602ac2256"], &["path"], FileAct::Read),
    row("read_multiple_files", &["d5a30eac51a3257c"], &["paths"], FileAct::ReadAll),
    row("list_directory", &["2a89821007a4702b"], &["path"], FileAct::Look),
    row("list_directory_with_sizes", &["5f974132fd515ca9"], &["path", "sortBy"], FileAct::Look),
    row("directory_tree", &["a51dfb91799e4e8f"], &["path", "excludePatterns"], FileAct::Look),
    row("search_files", &["7b4e41beb87051cb", "5a9ec8c0901b2ccf"], &["path", "pattern", "excludePatterns"], FileAct::Look),
    row("get_file_info", &["e4cae83266b5e75a"], &["path"], FileAct::Look),
    row("write_file", &["182c8895da7eacc6"], &["path", "content"], FileAct::Write),
    row("edit_file", &["1349a91ad62c6a43"], &["path", "edits", "dryRun"], FileAct::Edit),
    row("create_directory", &["7e243b9bddbea4a9"], &["path"], FileAct::MakeFolder),
    row("move_file", &["0a86f8ce8d46144e"], &["source", "destination"], FileAct::Move),
];

/// Programs that start a server on this machine, with this machine's files before it. A
/// server in a container or on another host has files of its own under the same names.
const STARTERS: &[&str] = &[
    "node",
    "nodejs",
    "npx",
    "bun",
    "bunx",
    "deno",
    "python",
    "python3",
    "mcp-server-filesystem",
];

/// Whether the files of a server that is started like this are those of this machine.
pub(super) fn runs_here(command: &[String]) -> bool {
    let program = command.first().and_then(|word| word.rsplit('/').next());
    program.is_some_and(|program| STARTERS.contains(&program))
}

/// The calls that a call of this tool stands for, with these arguments.
pub(super) fn stands_for(
    tool: &Value,
    arguments: &Map<String, Value>,
    cwd: &str,
) -> Option<Vec<ToolCall>> {
    let name = super::tool::name(tool)?;
    let described = automode_core::digest(tool.get("description")?.as_str()?);
    let row = TABLE.iter().find(|row| row.name == name)?;
    let known = |argument: &String| row.arguments.contains(&argument.as_str());
    let offered = tool.get("inputSchema")?.get("properties")?.as_object()?;
    if !row
        .descriptions
        .iter()
        .any(|known| described.starts_with(known))
        || !offered.keys().all(known)
        || !arguments.keys().all(known)
    {
        return None;
    }
    let calls = match row.does {
        FileAct::Read => vec![call("Read", json!({"file_path": path(arguments, "path")?}))],
        FileAct::ReadAll => arguments
            .get("paths")?
            .as_array()?
            .iter()
            .map(|one| Some(call("Read", json!({"file_path": absolute(one)?}))))
            .collect::<Option<Vec<_>>>()?,
        FileAct::Look => {
            let look = format!("find {} -ls", quoted(path(arguments, "path")?));
            vec![call("Bash", json!({"command": look}))]
        }
        FileAct::Write => vec![call(
            "Write",
            json!({"file_path": path(arguments, "path")?, "content": arguments.get("content")?.as_str()?}),
        )],
        FileAct::Edit => vec![call(
            "Edit",
            json!({"file_path": path(arguments, "path")?, "edits": edits(arguments)?}),
        )],
        FileAct::MakeFolder => {
            let make = format!("mkdir -p -- {}", quoted(path(arguments, "path")?));
            vec![call("Bash", json!({"command": make}))]
        }
        FileAct::Move => {
            let source = quoted(path(arguments, "source")?);
            let destination = quoted(path(arguments, "destination")?);
            let moving = format!("mv -f -T -- {source} {destination}");
            vec![call("Bash", json!({"command": moving}))]
        }
    };
    let calls: Vec<ToolCall> = calls
        .into_iter()
        .map(|(tool, input)| ToolCall {
            tool: tool.to_owned(),
            input,
            cwd: cwd.to_owned(),
        })
        .collect();
    (!calls.is_empty()).then_some(calls)
}

fn call(tool: &'static str, input: Value) -> (&'static str, Map<String, Value>) {
    let fields = match input {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    (tool, fields)
}

fn path<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    absolute(arguments.get(name)?)
}

/// Against which folder the server resolves another path differs between its versions.
fn absolute(value: &Value) -> Option<&str> {
    let path = value.as_str()?;
    let plain = path.starts_with('/') && path.trim() == path && !path.contains(char::is_control);
    plain.then_some(path)
}

/// The replacements, in the words of an edit.
fn edits(arguments: &Map<String, Value>) -> Option<Vec<Value>> {
    let edits = arguments.get("edits")?.as_array()?.iter();
    edits
        .map(|edit| {
            let (old, new) = (edit.get("oldText")?, edit.get("newText")?);
            Some(json!({"old_string": old.as_str()?, "new_string": new.as_str()?}))
        })
        .collect()
}

/// A word of the shell that means exactly this text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: &str = "Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning. Handles text content with proper encoding. Only works within allowed directories.";
    const MOVE: &str = "Move or rename files and directories. Can move files between directories and rename them in a single operation. If the destination exists, the operation will fail. Works across different directories and can be used for simple renaming within the same directory. Both source and destination must be within allowed directories.";

    fn tool(name: &str, description: &str, properties: &[&str]) -> Value {
        let properties: Map<String, Value> = properties
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "string"})))
            .collect();
        json!({"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}})
    }

    fn calls(tool: &Value, arguments: Value) -> Option<Vec<(String, Value)>> {
        let calls = stands_for(tool, arguments.as_object().unwrap(), "/p")?.into_iter();
        Some(
            calls
                .map(|call| (call.tool, Value::Object(call.input)))
                .collect(),
        )
    }

    #[test]
    fn a_tool_with_the_words_of_the_file_server_stands_for_what_it_does() {
        let write = tool("write_file", WRITE, &["path", "content"]);
        assert_eq!(
            calls(&write, json!({"path": "/p/a", "content": "x"})),
            Some(vec![(
                "Write".to_owned(),
                json!({"file_path": "/p/a", "content": "x"})
            )])
        );
        let moves = tool("move_file", MOVE, &["source", "destination"]);
        assert_eq!(
            calls(&moves, json!({"source": "/p/it's", "destination": "/p/b"})),
            Some(vec![(
                "Bash".to_owned(),
                json!({"command": "mv -f -T -- '/p/it'\\''s' '/p/b'"})
            )])
        );
    }

    #[test]
    fn only_a_server_that_is_started_here_has_these_files() {
        let here = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            runs_here(&words)
        };
        assert!(here("npx -y @modelcontextprotocol/server-filesystem /src"));
        assert!(here("/opt/bin/mcp-server-filesystem /src"));
        for elsewhere in [
            "ssh host mcp-server-filesystem /src",
            "docker run -i mcp/filesystem /src",
            "sh -c mcp-server-filesystem",
            "./serve",
        ] {
            assert!(!here(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn what_is_not_in_the_row_leaves_the_call_to_its_name() {
        let write = tool("write_file", WRITE, &["path", "content"]);
        let fine = || json!({"path": "/p/a", "content": "x"});
        assert!(calls(&write, fine()).is_some());
        for (wrong, arguments) in [
            (
                tool("write_file", "Writes a file.", &["path", "content"]),
                fine(),
            ),
            (tool("save_file", WRITE, &["path", "content"]), fine()),
            (
                tool("write_file", WRITE, &["path", "content", "host"]),
                fine(),
            ),
            (write.clone(), json!({"path": "a", "content": "x"})),
            (write.clone(), json!({"path": "~/a", "content": "x"})),
            (write.clone(), json!({"path": "/p/a\nb", "content": "x"})),
            (write.clone(), json!({"path": ["/p/a"], "content": "x"})),
            (write.clone(), json!({"path": "/p/a"})),
            (
                write.clone(),
                json!({"path": "/p/a", "content": "x", "mode": "append"}),
            ),
            (json!({"name": "write_file", "description": WRITE}), fine()),
        ] {
            assert_eq!(
                calls(&wrong, arguments.clone()),
                None,
                "{wrong} {arguments}"
            );
        }
    }
}
