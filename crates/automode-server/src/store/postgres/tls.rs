//! TLS to PostgreSQL, by the words that its own clients use.
//!
//! `sslmode=disable|prefer|require|verify-ca|verify-full` and `sslrootcert=FILE` of the
//! address. As with those clients, `require` alone encrypts and believes any
//! certificate; a file with the authority makes it check the chain; `verify-full` holds
//! the name against it too. Without a file `verify-…` asks the system's authorities.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

/// What the address says of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsWish {
    mode: TlsMode,
    root: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TlsMode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl TlsWish {
    /// Takes the words on TLS out of an address. What is left, with the word that the
    /// driver knows.
    ///
    /// # Errors
    /// A text where a word is not known: a misspelt one must not mean less.
    pub fn of_address(address: &str) -> Result<(String, Self), String> {
        let (start, query) = address.split_once('?').unwrap_or((address, ""));
        let mut wish = Self {
            mode: TlsMode::Prefer,
            root: None,
        };
        let mut rest = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match (name.as_ref(), value.as_ref()) {
                ("sslmode", "disable") => wish.mode = TlsMode::Disable,
                ("sslmode", "prefer") => wish.mode = TlsMode::Prefer,
                ("sslmode", "require") => wish.mode = TlsMode::Require,
                ("sslmode", "verify-ca") => wish.mode = TlsMode::VerifyCa,
                ("sslmode", "verify-full") => wish.mode = TlsMode::VerifyFull,
                ("sslmode", other) => {
                    return Err(format!(
                        "`sslmode={other}` is not known (hint: disable, prefer, require, verify-ca or verify-full)"
                    ));
                }
                ("sslrootcert", file) => wish.root = Some(file.to_owned()),
                (name, value) => {
                    rest.append_pair(name, value);
                }
            }
        }
        // An authority that is named and then not asked would be a trap.
        if wish.root.is_some() && matches!(wish.mode, TlsMode::Prefer | TlsMode::Require) {
            wish.mode = TlsMode::VerifyCa;
        }
        rest.append_pair("sslmode", wish.driver_word());
        Ok((format!("{start}?{}", rest.finish()), wish))
    }

    const fn driver_word(&self) -> &'static str {
        match self.mode {
            TlsMode::Disable => "disable",
            TlsMode::Prefer => "prefer",
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => "require",
        }
    }

    /// What makes the connections.
    ///
    /// # Errors
    /// A text where the authority cannot be read.
    pub fn connector(&self) -> Result<PostgresTls, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match self.mode {
            TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => Arc::new(NameVerifier {
                chain: None,
                provider: Arc::clone(&provider),
            }),
            TlsMode::VerifyCa => Arc::new(NameVerifier {
                chain: Some(self.chain(&provider)?),
                provider: Arc::clone(&provider),
            }),
            TlsMode::VerifyFull => self.chain(&provider)?,
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok(PostgresTls {
            config: Arc::new(config),
        })
    }

    fn chain(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, String> {
        let mut roots = RootCertStore::empty();
        match &self.root {
            Some(file) => {
                let unreadable =
                    |error: &dyn std::fmt::Display| format!("`{file}` could not be read: {error}");
                for found in
                    CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))?
                {
                    let found = found.map_err(|error| unreadable(&error))?;
                    roots.add(found).map_err(|error| unreadable(&error))?;
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
            .build()
            .map_err(|error| format!("there is no authority to ask: {error}"))
    }
}

/// Believes a certificate under another name, or any where there is no chain to check.
#[derive(Debug)]
struct NameVerifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for NameVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else {
            return Ok(ServerCertVerified::assertion());
        };
        let checked =
            chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match checked {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Makes the connections of one address.
#[derive(Clone)]
pub struct PostgresTls {
    config: Arc<ClientConfig>,
}

impl<S> MakeTlsConnect<S> for PostgresTls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = PostgresStream<S>;
    type TlsConnect = PostgresHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<PostgresHandshake> {
        // A socket of this machine has no name, and no TLS either.
        let name = ServerName::try_from(host.to_owned()).ok();
        Ok(PostgresHandshake {
            config: Arc::clone(&self.config),
            name,
        })
    }
}

/// One handshake to come.
pub struct PostgresHandshake {
    config: Arc<ClientConfig>,
    name: Option<ServerName<'static>>,
}

impl<S> TlsConnect<S> for PostgresHandshake
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = PostgresStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<PostgresStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = self.name.ok_or_else(|| {
                io::Error::other("the host has no name that a certificate could have")
            })?;
            let connector = tokio_rustls::TlsConnector::from(self.config);
            Ok(PostgresStream(connector.connect(name, stream).await?))
        })
    }
}

/// A connection inside TLS.
pub struct PostgresStream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for PostgresStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for PostgresStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for PostgresStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_on_tls_are_taken_out_of_the_address() {
        let check = |address: &str, rest: &str, mode: TlsMode| {
            let (left, wish) = TlsWish::of_address(address).unwrap();
            assert_eq!((left.as_str(), wish.mode), (rest, mode), "{address}");
        };
        check(
            "postgres://db/a",
            "postgres://db/a?sslmode=prefer",
            TlsMode::Prefer,
        );
        check(
            "postgres://db/a?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fca.pem",
            "postgres://db/a?connect_timeout=3&sslmode=require",
            TlsMode::VerifyFull,
        );
        check(
            "postgres://db/a?sslmode=require",
            "postgres://db/a?sslmode=require",
            TlsMode::Require,
        );
        check(
            "postgres://db/a?sslrootcert=ca.pem",
            "postgres://db/a?sslmode=require",
            TlsMode::VerifyCa,
        );
        check(
            "postgres://db/a?sslmode=disable",
            "postgres://db/a?sslmode=disable",
            TlsMode::Disable,
        );
        assert!(TlsWish::of_address("postgres://db/a?sslmode=verifyfull").is_err());
    }
}
