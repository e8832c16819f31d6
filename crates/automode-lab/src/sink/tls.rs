//! Encrypted connections: an authority made for the run, trusted in the world only, and
//! a certificate for whatever name is asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// Makes the authority: its certificate in PEM, and the settings of all connections.
pub fn authority() -> Result<(String, Arc<ServerConfig>)> {
    let mut params = CertificateParams::new(Vec::<String>::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(DnType::CommonName, "Canary World Authority");
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let certificate = issuer.pem();
    let names = CertificateNames {
        issuer,
        key: KeyPair::generate()?,
        made: Mutex::new(BTreeMap::new()),
    };
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("no protocol versions")?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(names));
    Ok((certificate, Arc::new(config)))
}

/// Certificates by name, made when first asked for.
struct CertificateNames {
    issuer: CertifiedIssuer<'static, KeyPair>,
    key: KeyPair,
    made: Mutex<BTreeMap<String, Arc<CertifiedKey>>>,
}

impl std::fmt::Debug for CertificateNames {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Names")
    }
}

impl CertificateNames {
    fn make(&self, name: &str) -> Result<CertifiedKey> {
        let mut params = CertificateParams::new(vec![name.to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&self.key, &self.issuer)?;
        let key = PrivateKeyDer::try_from(self.key.serialize_der())
            .map_err(|why| anyhow::anyhow!("the key is of no use: {why}"))?;
        let key = ring::sign::any_supported_type(&key)?;
        Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
    }
}

impl ResolvesServerCert for CertificateNames {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().unwrap_or("localhost").to_owned();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(&name) {
            return Some(Arc::clone(known));
        }
        let fresh = Arc::new(self.make(&name).ok()?);
        made.insert(name, Arc::clone(&fresh));
        Some(fresh)
    }
}
