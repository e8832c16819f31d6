//! The tools that are known, as data.
//!
//! One row a tool: its canonical name, other spellings, how its input is read,
//! and how far the name alone is trusted. Adding a row here with a trust other
//! than `Judged` means that no judge sees the tool; vetoes still do.

/// One known tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    pub trust: ToolTrust,
}

/// How an input is read into an [`crate::Action`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Shell,
    PowerShell,
    Read,
    Search,
    /// Looks for names by a pattern that may lead anywhere.
    Names,
    Edit,
    /// Text in the form of `apply_patch`.
    Patch,
    Write,
    Notebook,
    Fetch,
    WebSearch,
    Spawn,
    Schedule,
    Message,
    Configure,
    Interact,
    /// What a server offers under an address.
    Resource,
    Inert,
}

/// How far a tool is trusted by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTrust {
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
    trust: ToolTrust,
) -> Tool {
    Tool {
        name,
        aliases,
        shape,
        trust,
    }
}

/// Every tool known by name.
#[rustfmt::skip]
pub const TABLE: &[Tool] = &[
    row("Bash", &["bash", "shell", "run_shell_command"], Shape::Shell, ToolTrust::Judged),
    row("PowerShell", &["powershell"], Shape::PowerShell, ToolTrust::Judged),
    row("Edit", &["FileEdit", "MultiEdit", "file_edit", "edit_file", "multi_edit", "edit", "replace"], Shape::Edit, ToolTrust::Judged),
    row("apply_patch", &["ApplyPatch", "applypatch"], Shape::Patch, ToolTrust::Judged),
    row("Write", &["FileWrite", "file_write", "write_file", "write", "create"], Shape::Write, ToolTrust::Judged),
    row("NotebookEdit", &["notebook_edit"], Shape::Notebook, ToolTrust::Judged),
    row("WebFetch", &["web_fetch", "webfetch"], Shape::Fetch, ToolTrust::Judged),
    row("WebSearch", &["web_search", "google_web_search"], Shape::WebSearch, ToolTrust::Judged),
    row("Agent", &["Task", "agent", "task", "invoke_agent"], Shape::Spawn, ToolTrust::Judged),
    row("CronCreate", &["cron_create"], Shape::Schedule, ToolTrust::Judged),
    row("Config", &["config"], Shape::Configure, ToolTrust::Judged),
    row("Read", &["FileRead", "read_file", "file_read", "read", "view", "view_image"], Shape::Read, ToolTrust::Safe),
    row("NotebookRead", &["notebook_read"], Shape::Read, ToolTrust::Safe),
    row("Grep", &["grep", "grep_search"], Shape::Search, ToolTrust::Safe),
    row("Glob", &["glob"], Shape::Names, ToolTrust::Safe),
    row("List", &["list", "list_directory"], Shape::Search, ToolTrust::Safe),
    row("LSP", &["lsp"], Shape::Inert, ToolTrust::Safe),
    row("TodoWrite", &["todo_write", "todowrite", "write_todos", "update_plan"], Shape::Inert, ToolTrust::Safe),
    row("TaskCreate", &["task_create"], Shape::Inert, ToolTrust::Safe),
    row("TaskGet", &["task_get"], Shape::Inert, ToolTrust::Safe),
    row("TaskUpdate", &["task_update"], Shape::Inert, ToolTrust::Safe),
    row("TaskList", &["task_list"], Shape::Inert, ToolTrust::Safe),
    row("TaskStop", &["task_stop"], Shape::Inert, ToolTrust::Safe),
    row("EnterPlanMode", &["enter_plan_mode"], Shape::Inert, ToolTrust::Safe),
    row("TeamCreate", &["team_create"], Shape::Inert, ToolTrust::Safe),
    row("TeamDelete", &["team_delete"], Shape::Inert, ToolTrust::Safe),
    row("SendMessage", &[], Shape::Message, ToolTrust::Safe),
    row("Sleep", &["sleep"], Shape::Inert, ToolTrust::Safe),
    row("ReadMcpResource", &["ReadMcpResourceTool", "read_mcp_resource"], Shape::Resource, ToolTrust::Safe),
    row("classify_result", &[], Shape::Inert, ToolTrust::Safe),
    row("ToolSearch", &["tool_search"], Shape::Inert, ToolTrust::Irrelevant),
    row("ListMcpResources", &["ListMcpResourcesTool", "list_mcp_resources"], Shape::Inert, ToolTrust::Irrelevant),
    row("TodoRead", &["todo_read", "todoread"], Shape::Inert, ToolTrust::Irrelevant),
    row("TaskOutput", &["BashOutput", "task_output", "read_bash", "read_background_output", "read_agent"], Shape::Inert, ToolTrust::Irrelevant),
    row("ListProcesses", &["list_bash", "list_background_processes", "list_agents"], Shape::Inert, ToolTrust::Irrelevant),
    row("UpdateTopic", &["update_topic"], Shape::Inert, ToolTrust::Irrelevant),
    row("GetGoal", &["get_goal"], Shape::Inert, ToolTrust::Irrelevant),
    row("CronList", &["cron_list"], Shape::Inert, ToolTrust::Irrelevant),
    row("AskUserQuestion", &["ask_user_question"], Shape::Interact, ToolTrust::Person),
    row("ExitPlanMode", &["exit_plan_mode"], Shape::Interact, ToolTrust::Person),
];
