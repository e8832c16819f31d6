//! One request over HTTP, with every way it can end.
//!
//! A redirect is not followed, a body is read to a limit, an answer must say
//! that it is JSON, and whoever waits can stop. The client and its thread come
//! to life with the first request of the process.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{
    Capabilities, Kind, Model, Patience, Price, Reply, Request, Trouble, price_of,
};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, NoProxy, Proxy, Response, StatusCode, Url};

use crate::key::Key;
use crate::open::Setup;
use crate::shape::WireShape;
use crate::{anthropic, chat, responses};

/// The largest answer that is read; a verdict is a few kilobytes.
const MAX_BODY: usize = 1024 * 1024;
/// How much of an error's body goes into the diagnostics.
const MAX_DETAIL: usize = 600;
/// How often a waiting caller looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(20);
const CONNECT: Duration = Duration::from_secs(5);

/// Where and how a model is asked.
#[derive(Debug)]
pub(crate) struct Endpoint {
    kind: Kind,
    url: Url,
    /// The base address without anything secret, for people.
    place: String,
    model: String,
    capabilities: Capabilities,
    price: Option<Price>,
    headers: HeaderMap,
}

impl Endpoint {
    pub(crate) fn new(
        kind: Kind,
        base: &str,
        model: String,
        capabilities: Capabilities,
        extra: &BTreeMap<String, String>,
        key: Option<Key>,
    ) -> Result<Self, Setup> {
        let base = base.trim_end_matches('/');
        let path = match kind {
            Kind::Anthropic if base.ends_with("/v1") => "/messages",
            Kind::Anthropic => "/v1/messages",
            Kind::OpenAi => "/responses",
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => "/chat/completions",
        };
        let url = checked_url(base, path, key.as_ref())?;
        // With its port: two servers on one machine may call their models alike.
        let port = url.port().map(|port| format!(":{port}"));
        let host = url.host_str().unwrap_or_default();
        let place = format!("{}://{host}{}", url.scheme(), port.unwrap_or_default());
        Ok(Self {
            kind,
            headers: headers(kind, extra, key)?,
            url,
            place,
            model,
            capabilities,
            price: None,
        })
    }

    /// With a price of a person's own.
    pub(crate) fn priced(self, price: Option<Price>) -> Self {
        Self { price, ..self }
    }

    fn limit(&self) -> chat::TokenLimit {
        if self.url.host_str() == Some("api.openai.com") {
            chat::TokenLimit::MaxCompletionTokens
        } else {
            chat::TokenLimit::MaxTokens
        }
    }
}

/// An address over which a judge may be asked: a key travels encrypted, or nowhere.
fn checked_url(base: &str, path: &str, key: Option<&Key>) -> Result<Url, Setup> {
    let wrong = |why: &str| {
        // An address may hold a password: it is then not shown.
        let shown = if base.contains('@') {
            String::new()
        } else {
            format!(" `{base}`")
        };
        Setup::new(format!(
            "the address{shown} of the judge {why} (hint: give a base URL such as `https://api.example.com/v1`)"
        ))
    };
    let url = Url::parse(&format!("{base}{path}")).map_err(|_| wrong("is not a URL"))?;
    match url.scheme() {
        scheme if !base.contains("://") => {
            return Err(Setup::new(format!(
                "the address `{scheme}:…` of the judge has no scheme (hint: write `http://` or `https://` before it)"
            )));
        }
        "https" => {}
        "http" if is_loopback(&url) || key.is_none() => {}
        "http" => {
            return Err(wrong(
                "is plain http to another machine, and a key must not travel that way",
            ));
        }
        _ => return Err(wrong("is not an http URL")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "holds a password; say where the key is with `key_env` instead",
        ));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

fn headers(
    kind: Kind,
    extra: &BTreeMap<String, String>,
    key: Option<Key>,
) -> Result<HeaderMap, Setup> {
    let wrong = |name: &str| Setup::new(format!("the header `{name}` of the judge is not valid"));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if kind == Kind::Anthropic {
        headers.insert(
            "anthropic-version",
            HeaderValue::from_static(anthropic::VERSION),
        );
    }
    if let Some(key) = key {
        let (name, text) = match kind {
            Kind::Anthropic => ("x-api-key", key.expose().to_owned()),
            Kind::OpenAi | Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => {
                ("authorization", format!("Bearer {}", key.expose()))
            }
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| wrong(name))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, text) in extra {
        let mut value = HeaderValue::from_str(text).map_err(|_| wrong(name))?;
        value.set_sensitive(true);
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong(name))?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// A model behind HTTP.
#[derive(Debug)]
pub(crate) struct HttpService {
    endpoint: Endpoint,
}

impl HttpService {
    pub(crate) const fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

impl Model for HttpService {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    fn place(&self) -> &str {
        &self.endpoint.place
    }

    fn price(&self) -> Option<Price> {
        self.endpoint.price.or_else(|| price_of(self.model()))
    }

    fn ask(&self, request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble> {
        let endpoint = &self.endpoint;
        let shape = WireShape::of(request, &endpoint.capabilities);
        let body = match endpoint.kind {
            Kind::Anthropic => anthropic::body(request, &endpoint.model, &shape)?,
            Kind::OpenAi => responses::body(request, &endpoint.model, &shape)?,
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => {
                chat::body(request, &endpoint.model, &shape, endpoint.limit())?
            }
        };
        let bytes = send(endpoint, body, patience)?;
        let reply = match endpoint.kind {
            Kind::Anthropic => anthropic::read(&bytes),
            Kind::OpenAi => responses::read(&bytes),
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => chat::read(&bytes, &shape),
        };
        reply.map_err(|why| {
            Trouble::new(
                Failure::Unavailable,
                &format!("the answer is not one of this service: {why}"),
            )
        })
    }
}

/// When a wait of this length ends; one that never would ends at once.
pub(crate) fn end_of(timeout: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or(now)
}

/// A client, and the thread where its connections live.
struct HttpEngine {
    client: Client,
    handle: tokio::runtime::Handle,
}

fn engine() -> Result<&'static HttpEngine, Trouble> {
    static ENGINE: OnceLock<Result<HttpEngine, String>> = OnceLock::new();
    ENGINE
        .get_or_init(start)
        .as_ref()
        .map_err(|why| Trouble::new(Failure::Unavailable, why))
}

fn start() -> Result<HttpEngine, String> {
    // Somebody in this process may have chosen before; theirs serves as well.
    rustls::crypto::ring::default_provider()
        .install_default()
        .unwrap_or_default();
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("automode/", env!("CARGO_PKG_VERSION")));
    let client = match proxy() {
        Some(proxy) => client.proxy(proxy),
        None => client.no_proxy(),
    };
    let client = client
        .build()
        .map_err(|error| format!("no HTTP client: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no HTTP runtime: {error}"))?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("judge-http".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))
        .map_err(|error| format!("no HTTP thread: {error}"))?;
    Ok(HttpEngine { client, handle })
}

/// The proxy that the environment names, for `https` alone and with certificates that are the
/// system's: a proxy that can write the answers would be the judge.
fn proxy() -> Option<Proxy> {
    let named = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        .iter()
        .find_map(|name| env::var(name).ok().filter(|address| !address.is_empty()))?;
    let proxy = Proxy::https(named).ok()?;
    has_system_certificates().then(|| proxy.no_proxy(NoProxy::from_env()))
}

/// Whether no variable puts certificates of somebody else in place of the system's.
fn has_system_certificates() -> bool {
    ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .iter()
        .filter_map(env::var_os)
        .all(|path| is_the_systems(Path::new(&path)))
}

/// A file of the system's owner that nobody else may write.
#[cfg(unix)]
fn is_the_systems(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).is_ok_and(|about| about.uid() == 0 && about.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_the_systems(_path: &Path) -> bool {
    false
}

fn send(endpoint: &Endpoint, body: Vec<u8>, patience: Patience<'_>) -> Result<Vec<u8>, Trouble> {
    let engine = engine()?;
    let deadline = end_of(patience.timeout);
    let call = engine
        .client
        .post(endpoint.url.clone())
        .headers(endpoint.headers.clone())
        .timeout(patience.timeout)
        .body(body);
    let asked = HttpAsked {
        place: endpoint.place.clone(),
        model: endpoint.model.clone(),
        timeout: patience.timeout,
    };
    let late = asked.late();
    let (sender, receiver) = channel();
    let task = engine.handle.spawn(async move {
        let outcome = match call.send().await {
            Ok(response) => receive(response, &asked).await,
            Err(error) => Err(asked.broken(&error)),
        };
        // Nobody may be waiting any more.
        let _ = sender.send(outcome);
    });
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let ended = match receiver.recv_timeout(left.min(TICK)) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Trouble::new(Failure::Panic, "the HTTP task died"))
            }
            Err(RecvTimeoutError::Timeout) if patience.cancel.is_cancelled() => {
                Some(Trouble::new(Failure::Cancelled, "cancelled"))
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => Some(late.clone()),
            Err(RecvTimeoutError::Timeout) => None,
        };
        if let Some(trouble) = ended {
            task.abort();
            return Err(trouble);
        }
    }
}

/// Who is asked, for the words of what went wrong.
struct HttpAsked {
    place: String,
    model: String,
    timeout: Duration,
}

async fn receive(response: Response, asked: &HttpAsked) -> Result<Vec<u8>, Trouble> {
    let status = response.status();
    let after = retry_after(response.headers());
    let json = is_json(response.headers());
    let body = read(response, asked).await;
    if status.is_success() {
        return if json {
            body
        } else {
            Err(Trouble::new(
                Failure::Unavailable,
                &format!(
                    "what {} answers is not JSON (hint: is `base_url` that of a model service?)",
                    asked.place
                ),
            ))
        };
    }
    // What an error says is for people; failing to read it changes nothing.
    Err(asked.refused(status, &body.unwrap_or_default(), after))
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(|value| value.split(';').next().unwrap_or_default().trim())
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

async fn read(mut response: Response, asked: &HttpAsked) -> Result<Vec<u8>, Trouble> {
    let too_large = || Trouble::new(Failure::Unavailable, "the answer is too large");
    let announced = response.content_length().unwrap_or(0);
    if announced > MAX_BODY as u64 {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| asked.broken(&error))?
    {
        if body.len().saturating_add(chunk.len()) > MAX_BODY {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Seconds, as services send it; a date is not worth a clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| {
        let text = headers.get(name)?.to_str().ok()?.trim();
        text.parse::<f64>().ok().filter(|number| number.is_finite())
    };
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = millis.or_else(|| number("retry-after"))?;
    Some(Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)))
}

impl HttpAsked {
    fn late(&self) -> Trouble {
        let (place, seconds) = (&self.place, self.timeout.as_secs_f64());
        let detail = format!(
            "no answer from {place} within {seconds:.1} s (hint: a faster model, or a longer `deadline` under `[judge]`)"
        );
        Trouble::new(Failure::Timeout, &detail).retry(None)
    }

    /// A connection that failed.
    fn broken(&self, error: &reqwest::Error) -> Trouble {
        // The URL may hold what a person would not print; the cause does not.
        let mut detail = String::new();
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            detail = inner.to_string();
            cause = inner.source();
        }
        if error.is_timeout() {
            return self.late();
        }
        let what = if error.is_connect() {
            "no connection to"
        } else {
            "the connection broke to"
        };
        let detail = format!(
            "{what} {}: {detail} (hint: is the server running, and is `base_url` right?)",
            self.place
        );
        Trouble::new(Failure::Unavailable, &detail).retry(None)
    }

    /// A status that is not success.
    fn refused(&self, status: StatusCode, body: &[u8], after: Option<Duration>) -> Trouble {
        let (Self { place, model, .. }, code) = (self, status.as_u16());
        let text = String::from_utf8_lossy(body);
        let (what, hint) = match code {
            401 | 403 => (
                format!("{place} refused the key"),
                "check `AUTOMODE_API_KEY`, or `key_env`, `key_file` or `key_command` in the config",
            ),
            402 => (
                format!("{place} wants to be paid first"),
                "look at the account",
            ),
            404 => (
                format!("{place} does not know the model `{model}` or this address"),
                "check `model` and `base_url`",
            ),
            413 => ("the request is too large".to_owned(), ""),
            429 => (
                format!("{place} takes no more requests now"),
                "wait, or add another judge to the chain",
            ),
            500..=599 => (
                format!("{place} failed"),
                "wait, or add another judge to the chain",
            ),
            _ => (format!("{place} did not take the request"), ""),
        };
        let hint = match hint {
            "" => String::new(),
            hint => format!(" (hint: {hint})"),
        };
        let detail = format!("{what}: HTTP {code}: {}{hint}", message(&text));
        match code {
            413 => Trouble::new(Failure::Overlong, &detail),
            400 | 422 if is_overlong(&text) => Trouble::new(Failure::Overlong, &detail),
            408 => Trouble::new(Failure::Timeout, &detail).retry(after),
            409 | 429 | 500..=599 => Trouble::new(Failure::Unavailable, &detail).retry(after),
            _ => Trouble::new(Failure::Unavailable, &detail),
        }
    }
}

/// The words by which services say that a prompt does not fit.
fn is_overlong(text: &str) -> bool {
    [
        "prompt is too long",
        "context_length_exceeded",
        "exceed_context_size",
        "maximum context length",
        "context window",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// What an error's body says: its `error.message` or `error`, else its beginning.
fn message(text: &str) -> String {
    let parsed = serde_json::from_str::<serde_json::Value>(text).ok();
    let told = parsed.as_ref().and_then(|value| {
        let error = value.get("error")?;
        error.get("message").unwrap_or(error).as_str()
    });
    told.unwrap_or(text).chars().take(MAX_DETAIL).collect()
}
