//! `automode mcp`: between a client and an MCP server, its pins, and a tool that approves.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use automode::Presence;
use automode_doors::mcp::http::{self, HttpSettings};
use automode_doors::mcp::pins::{PinStore, ServerPins};
use automode_doors::mcp::{self, Served, approve};
use automode_doors::{Decider, DoorSession, LossQuestions, Tightening};
use serde_json::{Value, json};

use crate::{door, judge, output, person, setup};

/// Stand between an MCP client and an MCP server, and decide every tool call with its arguments.
///
/// Put this in the client's configuration in place of the server; with `--upstream`, put
/// `http://127.0.0.1:8378/mcp` in place of the server's address. A call that is denied, or
/// that a person would have to be asked about, is answered with an error that the model reads.
/// Tools are pinned when a server is first seen: one that is new or changed later is hidden
/// until a person has looked at it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(flatten)]
    door: door::DoorArgs,
    /// The server's name in rules (`mcp__NAME__tool`) [default: by the command]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(subcommand)]
    command: Option<McpCommand>,
    /// Stand before a server that is reached over HTTP, at this address
    #[arg(long, value_name = "URL", conflicts_with = "server")]
    upstream: Option<String>,
    /// Where to listen, with `--upstream`
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8378",
        requires = "upstream"
    )]
    listen: SocketAddr,
    /// Let other machines come too; keys may pass through here
    #[arg(long, requires = "upstream")]
    expose: bool,
    /// The server and its arguments
    #[arg(value_name = "SERVER", last = true)]
    server: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  automode mcp -- npx -y @modelcontextprotocol/server-filesystem ~/src
  automode mcp --name files -- mcp-server-filesystem ~/src
  automode mcp --upstream https://mcp.example.com/mcp --name example
  automode mcp pins
  claude -p --permission-prompt-tool mcp__gate__approve --mcp-config '{\"mcpServers\":{\"gate\":{\"command\":\"automode\",\"args\":[\"mcp\",\"approve\"]}}}' …";

#[derive(clap::Subcommand)]
enum McpCommand {
    Approve(ApproveArgs),
    Pins(PinsArgs),
}

/// Be the server behind a client's `--permission-prompt-tool`: one tool, `approve`.
#[derive(clap::Args)]
struct ApproveArgs {
    #[command(flatten)]
    door: door::DoorArgs,
}

/// Show the servers that were seen and the tools that wait for a person.
#[derive(clap::Args)]
struct PinsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<PinsCommand>,
}

#[derive(clap::Subcommand)]
enum PinsCommand {
    Accept(AcceptArgs),
    Forget(ForgetArgs),
}

/// Let tools be used that are new or changed.
#[derive(clap::Args)]
struct AcceptArgs {
    /// The server, by its name or the beginning of its key
    server: String,
    /// The tools [default: all that wait]
    tools: Vec<String>,
}

/// Forget a server: what it offers next is pinned anew.
#[derive(clap::Args)]
struct ForgetArgs {
    /// The server, by its name or the beginning of its key
    server: String,
}

pub fn run(args: Args) -> Result<u8> {
    match args.command {
        Some(McpCommand::Approve(args)) => approve(&args),
        Some(McpCommand::Pins(args)) => match args.command {
            None => list(args.json),
            Some(PinsCommand::Accept(args)) => accept(&args),
            Some(PinsCommand::Forget(args)) => forget(&args),
        },
        None => stand(&args),
    }
}

fn stand(args: &Args) -> Result<u8> {
    let name = match &args.name {
        Some(name) if *name != mcp::plain(name) => {
            bail!("`--name {name}` has more in it than letters, digits, `-` and single `_`")
        }
        Some(name) => name.clone(),
        None => match &args.upstream {
            Some(address) => mcp::address_name(address),
            None => mcp::server_name(&args.server),
        },
    };
    let cwd = setup::directory(None)?;
    if let Some(upstream) = &args.upstream {
        return listen(args, upstream, name, &cwd);
    }
    let served = Served {
        command: &args.server,
        name: &name,
        session: session("mcp", &cwd),
        cwd: &cwd,
        store: pins()?,
    };
    Ok(mcp::run(served, Arc::new(door::decider(&args.door)))?)
}

/// Stands before a server that is reached over HTTP, for as long as the process lives.
fn listen(args: &Args, upstream: &str, name: String, cwd: &str) -> Result<u8> {
    let settings = HttpSettings {
        listen: args.listen,
        upstream: upstream.to_owned(),
        exposed: args.expose,
        name,
        session: session("mcp", cwd),
        cwd: cwd.to_owned(),
        store: pins()?,
    };
    http::serve(settings, Arc::new(door::decider(&args.door)), |address| {
        println!("listening on http://{address}/mcp");
    })?;
    Ok(0)
}

fn approve(args: &ApproveArgs) -> Result<u8> {
    let cwd = setup::directory(None)?;
    let decider: Arc<dyn Decider> = Arc::new(door::decider(&args.door));
    let session = session("approve", &cwd);
    approve::serve(io::stdin(), io::stdout(), &session, &decider)?;
    Ok(0)
}

/// A session of this process's own: neither client tells another.
fn session(door: &'static str, cwd: &str) -> DoorSession {
    DoorSession {
        door,
        id: format!("{door}-{}", automode_doors::session_id()),
        roots: vec![cwd.to_owned()],
        presence: Presence::Headless,
        losses: LossQuestions::Asked,
        tightening: Tightening::default(),
    }
}

fn pins() -> Result<PinStore> {
    let state = judge::state().context(
        "there is no place to keep the pins of servers\nhint: set HOME or XDG_STATE_HOME",
    )?;
    Ok(PinStore::open(&state)?)
}

fn list(as_json: bool) -> Result<u8> {
    let all = pins()?.all()?;
    if as_json {
        let rows: Vec<Value> = all.iter().map(row).collect();
        output::print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
        return Ok(0);
    }
    if all.is_empty() {
        println!("no server was seen yet");
    }
    for (key, server) in all {
        let short: String = key.chars().take(8).collect();
        println!(
            "{} ({short})  {}",
            server.name,
            output::clean(&server.command)
        );
        println!("  {} tools pinned", server.tools.len());
        for (name, tool) in &server.quarantined {
            let name = output::clean(name);
            println!("  {name} waits for you: {}", tool.why.name());
            println!("    {}", output::clean(&tool.description));
        }
        if !server.quarantined.is_empty() {
            println!("  hint: automode mcp pins accept {short}");
        }
    }
    Ok(0)
}

fn row((key, server): &(String, ServerPins)) -> Value {
    let waiting: Vec<Value> = server
        .quarantined
        .iter()
        .map(|(name, tool)| json!({"tool": name, "why": tool.why.name(), "description": tool.description}))
        .collect();
    json!({
        "key": key,
        "name": server.name,
        "command": server.command,
        "tools": server.tools.keys().collect::<Vec<_>>(),
        "waiting": waiting,
    })
}

fn accept(args: &AcceptArgs) -> Result<u8> {
    person::required("automode mcp pins accept")?;
    let store = pins()?;
    let (key, mut server) = find(&store, &args.server)?;
    for (name, tool) in &server.quarantined {
        if args.tools.is_empty() || args.tools.contains(name) {
            println!("{} ({})", output::clean(name), tool.why.name());
            println!("  {}", output::clean(&tool.description));
        }
    }
    let accepted = server.accept(&args.tools);
    if accepted.is_empty() {
        bail!("no tool of that server waits\nhint: automode mcp pins");
    }
    if !person::agrees("may an agent use these as they are now?")? {
        bail!("nothing was changed");
    }
    store.keep(&key, &server)?;
    println!("accepted: it can be called now; a client shows it once it lists its tools again");
    Ok(0)
}

fn forget(args: &ForgetArgs) -> Result<u8> {
    person::required("automode mcp pins forget")?;
    let store = pins()?;
    let (key, server) = find(&store, &args.server)?;
    let question = format!(
        "forget what the {} tools of `{}` were?",
        server.tools.len(),
        server.name
    );
    if !person::agrees(&question)? {
        bail!("nothing was changed");
    }
    store.forget(&key)?;
    println!("forgotten: what it offers next is pinned anew");
    Ok(0)
}

fn find(store: &PinStore, named: &str) -> Result<(String, ServerPins)> {
    let mut fitting = store
        .all()?
        .into_iter()
        .filter(|(key, server)| server.name == named || key.starts_with(named));
    match (fitting.next(), fitting.next()) {
        (Some(found), None) => Ok(found),
        (Some(_), Some(_)) => bail!(
            "more than one server is called `{named}`\nhint: use the key that `automode mcp pins` shows"
        ),
        (None, _) => bail!("no server `{named}` was seen\nhint: automode mcp pins"),
    }
}
