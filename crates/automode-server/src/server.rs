//! A running server: the store, the listener, and the work behind the requests.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::alert::Thresholds;
use crate::clock;
use crate::export::Exports;
use crate::http::{
    App, Patience, RateLimit, ServerShared, StartTicket, TlsListener, certificate, serve,
};
use crate::ingest::DAY;
use crate::oidc::OidcProvider;
use crate::store::{AdminAct, DatabaseError, FleetStore};

/// How long requests may take to end when the server does.
const LEAVING: Duration = Duration::from_secs(2);

/// How long a server waits for its database when it starts.
const DATABASE_COMES: Duration = Duration::from_secs(60);

/// What a server needs to know.
pub struct ServerOptions {
    pub database: String,
    pub listen: SocketAddr,
    /// Where people reach it, where that is not the address it listens on.
    pub origin: Option<String>,
    pub organisation: String,
    pub tls: Option<(PathBuf, PathBuf)>,
    pub behind_proxy: bool,
    pub new_token: bool,
    /// Days that lines are kept; 0 is for good.
    pub retention: i64,
    pub provider: Option<OidcProvider>,
    pub exports: Exports,
    pub thresholds: Thresholds,
    pub alone: bool,
    pub patience: Patience,
}

/// A server that is bound and not yet serving.
pub struct Server {
    pub app: App,
    pub address: SocketAddr,
    /// The administrator's token, where it was made just now.
    pub token: Option<String>,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    options: ServerOptions,
}

impl Server {
    /// Opens the store, makes the organisation and binds.
    ///
    /// # Errors
    /// Where any of them cannot be done.
    pub async fn bind(options: ServerOptions) -> Result<Self> {
        let tls = options.tls.as_ref();
        let acceptor = tls
            .map(|(file, key)| certificate(file, key))
            .transpose()
            .context("the certificate cannot be used")?;
        let (store, token) = open_store(&options)
            .await
            .context("the database could not be opened")?;
        let listener = TcpListener::bind(options.listen)
            .await
            .with_context(|| format!("cannot listen on {}", options.listen))?;
        let address = listener.local_addr()?;
        let scheme = if options.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let origin = options
            .origin
            .clone()
            .map(|origin| origin.trim_end_matches('/').to_owned())
            .unwrap_or_else(|| format!("{scheme}://{address}"));
        let app = App {
            store,
            shared: Arc::new(ServerShared {
                secure: origin.starts_with("https://"),
                origin,
                behind_proxy: options.behind_proxy,
                organisation: options.organisation.clone(),
                limits: RateLimit::default(),
                ticket: StartTicket::default(),
                provider: options.provider.clone(),
                alone: options.alone,
                patience: options.patience,
            }),
        };
        Ok(Self {
            app,
            address,
            token,
            listener,
            acceptor,
            options,
        })
    }

    /// An address that signs the local administrator in, once.
    #[must_use]
    pub fn start_page(&self) -> String {
        let shared = &self.app.shared;
        format!("{}/start?ticket={}", shared.origin, shared.ticket.make())
    }

    /// Serves until `stop` is done.
    ///
    /// # Errors
    /// Where the listener fails.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<()> {
        let chores = tokio::spawn(chores(
            self.app.store.clone(),
            self.options.retention,
            self.options.thresholds,
            self.options.exports.clone(),
        ));
        let exporting = tokio::spawn(self.options.exports.clone().run(self.app.store.clone()));
        let (tell, mut told) = tokio::sync::watch::channel(());
        let mut stopping = tell.subscribe();
        tokio::spawn(async move {
            stop.await;
            // Nobody waiting is no fault.
            let _ = tell.send(());
        });
        let graceful = async move {
            let _ = told.changed().await;
        };
        // Pages and polls that wait would hold the server up for as long as they like.
        let impatient = async move {
            let _ = stopping.changed().await;
            tokio::time::sleep(LEAVING).await;
            Ok(())
        };
        let served = match self.acceptor {
            Some(acceptor) => {
                let listener = TlsListener::new(self.listener, acceptor)?;
                tokio::select! {
                    served = serve(listener, self.app, graceful) => served,
                    served = impatient => served,
                }
            }
            None => tokio::select! {
                served = serve(self.listener, self.app, graceful) => served,
                served = impatient => served,
            },
        };
        chores.abort();
        exporting.abort();
        Ok(served?)
    }
}

/// The store and, where it was made just now, the administrator's token. A server and its
/// database are often started together: one that is not there yet is waited for.
async fn open_store(
    options: &ServerOptions,
) -> Result<(FleetStore, Option<String>), DatabaseError> {
    let end = tokio::time::Instant::now() + DATABASE_COMES;
    let mut is_told = false;
    loop {
        let opened = async {
            let store = FleetStore::open(&options.database).await?;
            let found = store.organisation(&options.organisation, clock::now());
            let (organisation, token) = found.await?;
            if token.is_some() || !options.new_token {
                return Ok((store, token));
            }
            let token = store.renew_token(organisation).await?;
            let act = AdminAct {
                time: clock::now(),
                person: "whoever starts the server".to_owned(),
                act: "made a new administrator's token".to_owned(),
                subject: options.organisation.clone(),
                detail: String::new(),
            };
            store.note_act(organisation, &act).await?;
            Ok((store, Some(token)))
        };
        match opened.await {
            Err(DatabaseError::Unreachable(why)) if tokio::time::Instant::now() < end => {
                if !std::mem::replace(&mut is_told, true) {
                    eprintln!("automode-server: the database is not there yet: {why}");
                }
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            opened => return opened,
        }
    }
}

/// Every minute: alerts and figures; every hour: what is older than the retention goes.
async fn chores(store: FleetStore, retention: i64, thresholds: Thresholds, exports: Exports) {
    let mut round = 0_u64;
    loop {
        if retention > 0 && round.is_multiple_of(60) {
            let before = clock::day(clock::now()).saturating_sub(retention);
            let over = clock::now().saturating_sub(retention.unsigned_abs().saturating_mul(DAY));
            let forgotten = async {
                store.forget_before(before).await?;
                store.forget_asks_before(over).await
            };
            if let Err(error) = forgotten.await {
                eprintln!("automode-server: retention: {error}");
            }
        }
        if let Err(error) = exports.each_minute(&store, thresholds).await {
            eprintln!("automode-server: alerts and figures: {error}");
        }
        round = round.wrapping_add(1);
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
}
