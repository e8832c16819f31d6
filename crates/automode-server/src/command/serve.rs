//! `automode serve`: the server of a team.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Result, bail};
use automode_server::alert::Thresholds;
use automode_server::export::Exports;
use automode_server::http::Patience;
use automode_server::oidc::OidcProvider;
use automode_server::server::{Server, ServerOptions};

use super::{open_browser, state, stopped};

/// Serve policy, decisions and pages for a team.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// `postgres://…`, or a file for SQLite [default: server.sqlite in the state directory]
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "AUTOMODE_DATABASE",
        hide_env_values = true
    )]
    database: Option<String>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8470")]
    listen: SocketAddr,
    /// Where people reach it, such as https://automode.example.com
    #[arg(long, value_name = "URL")]
    origin: Option<String>,
    /// The organisation's name
    #[arg(long, value_name = "NAME", default_value = "main")]
    organisation: String,
    /// A certificate in a PEM file, with --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "tls")]
    tls_key: Option<PathBuf>,
    /// A proxy with TLS stands in front: believe its X-Forwarded-For
    #[arg(long)]
    behind_proxy: bool,
    /// Print a new token for the administrator; the old one ends
    #[arg(long)]
    new_token: bool,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Days that decisions are kept; 0 is for good
    #[arg(long, value_name = "DAYS", default_value = "90")]
    retention: i64,
    /// The issuer of an OpenID Connect provider; its secret is AUTOMODE_OIDC_SECRET
    #[arg(long, value_name = "URL", requires = "oidc_client")]
    oidc_issuer: Option<String>,
    /// This server's name at the provider
    #[arg(long, value_name = "ID")]
    oidc_client: Option<String>,
    /// The provider's group whose members administer
    #[arg(long, value_name = "GROUP", default_value = "")]
    oidc_administrators: String,
    /// The provider's group whose members answer questions
    #[arg(long, value_name = "GROUP", default_value = "")]
    oidc_approvers: String,
    /// Send decisions, figures and alerts to an OTLP receiver, such as http://collector:4318
    #[arg(long, value_name = "URL")]
    export_otlp: Option<String>,
    /// Send decisions and alerts as syslog over UDP
    #[arg(long, value_name = "HOST:PORT")]
    export_syslog: Option<String>,
    /// Send alerts as JSON
    #[arg(
        long,
        value_name = "URL",
        env = "AUTOMODE_WEBHOOK",
        hide_env_values = true
    )]
    webhook: Option<String>,
    /// Alert when a rule denied so many calls in a day; 0 is never
    #[arg(long, value_name = "COUNT", default_value = "100")]
    alert_denials: i64,
    /// Alert when judges cost so many cents in a day; 0 is never
    #[arg(long, value_name = "CENTS", default_value = "0")]
    alert_budget: i64,
    /// Alert when so many decisions of a day failed for want of a judge; 0 is never
    #[arg(long, value_name = "COUNT", default_value = "10")]
    alert_outages: i64,
    /// Alert when a device said nothing for so many hours; 0 is never
    #[arg(long, value_name = "HOURS", default_value = "24")]
    alert_silence: u64,
}

const EXAMPLES: &str = "\
Examples:
  automode serve --open
  automode serve --database postgres://automode@db/automode --listen 0.0.0.0:8470 --origin https://automode.example.com --behind-proxy
  automode serve --tls cert.pem --tls-key key.pem --listen 0.0.0.0:443";

pub async fn run(args: Args) -> Result<()> {
    let database = match args.database {
        Some(database) => database,
        None => state()?.path("server.sqlite").display().to_string(),
    };
    let encrypted = args.tls.is_some() || args.behind_proxy;
    if !args.listen.ip().is_loopback() && !encrypted {
        bail!(
            "without TLS the server listens on this machine alone\nhint: --tls FILE --tls-key FILE, or --behind-proxy where a proxy brings TLS"
        );
    }
    let provider = args.oidc_issuer.map(|issuer| OidcProvider {
        issuer,
        client_id: args.oidc_client.unwrap_or_default(),
        client_secret: std::env::var("AUTOMODE_OIDC_SECRET").unwrap_or_default(),
        administrators: args.oidc_administrators,
        approvers: args.oidc_approvers,
    });
    let server = Server::bind(ServerOptions {
        database,
        listen: args.listen,
        origin: args.origin,
        organisation: args.organisation,
        tls: args.tls.zip(args.tls_key),
        behind_proxy: args.behind_proxy,
        new_token: args.new_token,
        retention: args.retention,
        provider,
        exports: Exports {
            otlp: args.export_otlp,
            syslog: args.export_syslog,
            webhook: args.webhook,
        },
        thresholds: Thresholds {
            denials: args.alert_denials,
            budget: args.alert_budget.saturating_mul(10_000),
            outages: args.alert_outages,
            silence: args.alert_silence.saturating_mul(3_600_000),
        },
        alone: false,
        patience: Patience::default(),
    })
    .await?;
    let origin = &server.app.shared.origin;
    println!("automode serves {origin} on {}", server.app.store.kind());
    if let Some(token) = &server.token {
        println!("administrator's token, shown this once: {token}");
    }
    let page = server.start_page();
    println!("open {page}   (it signs you in, once)");
    if args.open {
        open_browser(&page);
    }
    server.run(stopped()).await
}
