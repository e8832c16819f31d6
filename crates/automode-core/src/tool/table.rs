//! The tools that are known, as data.
//!
//! One row a tool: its canonical name, other spellings, how its input is read,
//! and how far the name alone is trusted. Adding a row here with a standing other
//! than `Judged` means that no judge sees the tool; vetoes still do.

/// One known tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    pub standing: Standing,
}

/// How an input is read into an [`crate::Action`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Shell,
    PowerShell,
    Read,
    Search,
    Edit,
    Write,
    Notebook,
    Fetch,
    WebSearch,
    Spawn,
    Schedule,
    Message,
    Configure,
    Interact,
    Inert,
}

/// How far a tool is trusted by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// What it does depends on its input.
    Judged,
    /// It reads, keeps lists or talks inside the session.
    Safe,
    /// It declares itself irrelevant to security: the judge is told nothing.
    Irrelevant,
    /// It is a question to a person.
    Person,
}

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    shape: Shape,
    standing: Standing,
) -> Tool {
    Tool {
        name,
        aliases,
        shape,
        standing,
    }
}

/// Every tool known by name.
#[rustfmt::skip]
pub const TABLE: &[Tool] = &[
    row("Bash", &["bash", "shell", "run_shell_command"], Shape::Shell, Standing::Judged),
    row("PowerShell", &["powershell"], Shape::PowerShell, Standing::Judged),
    row("Edit", &["FileEdit", "MultiEdit", "file_edit", "edit_file", "multi_edit", "edit", "replace"], Shape::Edit, Standing::Judged),
    row("Write", &["FileWrite", "file_write", "write_file", "write", "create"], Shape::Write, Standing::Judged),
    row("NotebookEdit", &["notebook_edit"], Shape::Notebook, Standing::Judged),
    row("WebFetch", &["web_fetch", "webfetch"], Shape::Fetch, Standing::Judged),
    row("WebSearch", &["web_search", "google_web_search"], Shape::WebSearch, Standing::Judged),
    row("Agent", &["Task", "agent", "task", "invoke_agent"], Shape::Spawn, Standing::Judged),
    row("CronCreate", &["cron_create"], Shape::Schedule, Standing::Judged),
    row("Config", &["config"], Shape::Configure, Standing::Judged),
    row("Read", &["FileRead", "read_file", "file_read", "read", "view", "view_image"], Shape::Read, Standing::Safe),
    row("NotebookRead", &["notebook_read"], Shape::Read, Standing::Safe),
    row("Grep", &["grep", "grep_search"], Shape::Search, Standing::Safe),
    row("Glob", &["glob"], Shape::Search, Standing::Safe),
    row("List", &["list", "list_directory"], Shape::Search, Standing::Safe),
    row("LSP", &["lsp"], Shape::Inert, Standing::Safe),
    row("TodoWrite", &["todo_write", "todowrite", "write_todos", "update_plan"], Shape::Inert, Standing::Safe),
    row("TaskCreate", &["task_create"], Shape::Inert, Standing::Safe),
    row("TaskGet", &["task_get"], Shape::Inert, Standing::Safe),
    row("TaskUpdate", &["task_update"], Shape::Inert, Standing::Safe),
    row("TaskList", &["task_list"], Shape::Inert, Standing::Safe),
    row("TaskStop", &["task_stop"], Shape::Inert, Standing::Safe),
    row("EnterPlanMode", &["enter_plan_mode"], Shape::Inert, Standing::Safe),
    row("TeamCreate", &["team_create"], Shape::Inert, Standing::Safe),
    row("TeamDelete", &["team_delete"], Shape::Inert, Standing::Safe),
    row("SendMessage", &["send_message"], Shape::Message, Standing::Safe),
    row("Sleep", &["sleep"], Shape::Inert, Standing::Safe),
    row("ReadMcpResource", &["ReadMcpResourceTool", "read_mcp_resource"], Shape::Inert, Standing::Safe),
    row("classify_result", &[], Shape::Inert, Standing::Safe),
    row("ToolSearch", &["tool_search"], Shape::Inert, Standing::Irrelevant),
    row("ListMcpResources", &["ListMcpResourcesTool", "list_mcp_resources"], Shape::Inert, Standing::Irrelevant),
    row("TodoRead", &["todo_read", "todoread"], Shape::Inert, Standing::Irrelevant),
    row("TaskOutput", &["BashOutput", "task_output", "read_bash", "read_background_output", "read_agent"], Shape::Inert, Standing::Irrelevant),
    row("ListProcesses", &["list_bash", "list_background_processes", "list_agents"], Shape::Inert, Standing::Irrelevant),
    row("UpdateTopic", &["update_topic"], Shape::Inert, Standing::Irrelevant),
    row("GetGoal", &["get_goal"], Shape::Inert, Standing::Irrelevant),
    row("CronList", &["cron_list"], Shape::Inert, Standing::Irrelevant),
    row("AskUserQuestion", &["ask_user_question"], Shape::Interact, Standing::Person),
    row("ExitPlanMode", &["exit_plan_mode"], Shape::Interact, Standing::Person),
];
