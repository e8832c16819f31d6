//! Signing in through an OpenID Connect provider: the code flow with PKCE.
//!
//! What the provider says is believed after its signature, issuer, audience, time and
//! nonce were checked; which algorithm is used is ours to say, not the token's.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::PersonRole;
use crate::{clock, outgoing, secret};

/// How far clocks may be apart, in seconds.
const SKEW: u64 = 120;

/// Why a sign-in did not work.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    #[error("the provider does not answer: {0}")]
    Unreachable(#[from] reqwest::Error),
    #[error("the provider's answer cannot be used: {0}")]
    Unusable(&'static str),
}

/// A provider, as the administrator named it.
#[derive(Clone)]
pub struct OidcProvider {
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// Members of this group of the provider administer.
    pub administrators: String,
    /// Members of this one answer questions.
    pub approvers: String,
}

/// The beginning of a sign-in.
pub struct SignInStart {
    pub address: String,
    /// For the cookie, until the person is back.
    pub sealed: String,
}

/// Whom the provider named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPerson {
    pub subject: String,
    pub name: String,
    pub role: PersonRole,
}

#[derive(Serialize, Deserialize)]
struct PendingSignIn {
    state: String,
    nonce: String,
    verifier: String,
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

impl OidcProvider {
    async fn discover(&self) -> Result<Discovery, OidcError> {
        let place = format!(
            "{}/.well-known/openid-configuration",
            self.issuer.trim_end_matches('/')
        );
        let found: Discovery = outgoing::client()?.get(place).send().await?.json().await?;
        if found.issuer != self.issuer {
            return Err(OidcError::Unusable("it names another issuer"));
        }
        let places = [
            &found.authorization_endpoint,
            &found.token_endpoint,
            &found.jwks_uri,
        ];
        if !places.into_iter().all(|place| self.is_as_safe(place)) {
            return Err(OidcError::Unusable("it names an address without TLS"));
        }
        Ok(found)
    }

    /// A provider with TLS is left over TLS alone: codes and keys travel there.
    fn is_as_safe(&self, place: &str) -> bool {
        place.starts_with("https://")
            || (self.issuer.starts_with("http://") && place.starts_with("http://"))
    }

    /// Where the person goes.
    ///
    /// # Errors
    /// [`OidcError`] where the provider cannot be asked.
    pub async fn start(&self, origin: &str) -> Result<SignInStart, OidcError> {
        let discovery = self.discover().await?;
        let pending = PendingSignIn {
            state: secret::token(),
            nonce: secret::token(),
            verifier: secret::token(),
        };
        let challenge = ring::digest::digest(&ring::digest::SHA256, pending.verifier.as_bytes());
        let mut address = url::Url::parse(&discovery.authorization_endpoint)
            .map_err(|_| OidcError::Unusable("its address is none"))?;
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &format!("{origin}/sign-in/callback"))
            .append_pair("scope", "openid profile email groups")
            .append_pair("state", &pending.state)
            .append_pair("nonce", &pending.nonce)
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256");
        let sealed = serde_json::to_vec(&pending).unwrap_or_default();
        Ok(SignInStart {
            address: address.into(),
            sealed: URL_SAFE_NO_PAD.encode(sealed),
        })
    }

    /// Who came back.
    ///
    /// # Errors
    /// [`OidcError`] where anything does not fit.
    pub async fn finish(
        &self,
        origin: &str,
        sealed: &str,
        state: &str,
        code: &str,
    ) -> Result<KnownPerson, OidcError> {
        let unusable = OidcError::Unusable;
        let pending: PendingSignIn = URL_SAFE_NO_PAD
            .decode(sealed)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .ok_or(unusable("the sign-in was not begun here"))?;
        if state.is_empty() || pending.state != state {
            return Err(unusable("it belongs to another sign-in"));
        }
        let discovery = self.discover().await?;
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &format!("{origin}/sign-in/callback"))
            .append_pair("client_id", &self.client_id)
            .append_pair("client_secret", &self.client_secret)
            .append_pair("code_verifier", &pending.verifier)
            .finish();
        let client = outgoing::client()?;
        let reply: Value = client
            .post(&discovery.token_endpoint)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?;
        let token = reply
            .get("id_token")
            .and_then(Value::as_str)
            .ok_or(unusable("there is no token in it"))?;
        let keys: Value = client.get(&discovery.jwks_uri).send().await?.json().await?;
        let claims = verified(token, &keys)?;
        self.check(&claims, &pending.nonce, clock::now() / 1_000)?;
        Ok(self.person(&claims))
    }

    fn check(&self, claims: &Value, nonce: &str, now: u64) -> Result<(), OidcError> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        let audience = match claims.get("aud") {
            Some(Value::Array(list)) => {
                list.len() == 1 && list.iter().any(|one| one == self.client_id.as_str())
            }
            Some(one) => one == self.client_id.as_str(),
            None => false,
        };
        let expires = claims
            .get("exp")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        if text("iss") != self.issuer {
            return Err(OidcError::Unusable("another issuer made the token"));
        }
        if !audience {
            return Err(OidcError::Unusable("the token is for somebody else"));
        }
        if expires.saturating_add(SKEW) < now {
            return Err(OidcError::Unusable("the token is too old"));
        }
        if nonce.is_empty() || text("nonce") != nonce {
            return Err(OidcError::Unusable("the token is from another sign-in"));
        }
        if text("sub").is_empty() {
            return Err(OidcError::Unusable("the token names nobody"));
        }
        Ok(())
    }

    fn person(&self, claims: &Value) -> KnownPerson {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let groups: Vec<&str> = claims
            .get("groups")
            .and_then(Value::as_array)
            .map(|groups| groups.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let member = |group: &str| !group.is_empty() && groups.contains(&group);
        let role = if member(&self.administrators) {
            PersonRole::Administrator
        } else if member(&self.approvers) {
            PersonRole::Approver
        } else {
            PersonRole::Viewer
        };
        let subject = text("sub").unwrap_or_default().to_owned();
        let name = text("name").or_else(|| text("email")).unwrap_or(&subject);
        KnownPerson {
            name: name.chars().take(80).collect(),
            // No subject of a provider can be the local administrator.
            subject: format!("{}#{subject}", self.issuer),
            role,
        }
    }
}

/// The claims of a token that one of these keys signed.
fn verified(token: &str, keys: &Value) -> Result<Value, OidcError> {
    let bad = OidcError::Unusable("the token is not signed by the provider");
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(bad);
    };
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let (Some(header), Some(claims), Some(signature)) =
        (decode(head), decode(body), decode(signature))
    else {
        return Err(bad);
    };
    let header: Value = serde_json::from_slice(&header)
        .map_err(|_| OidcError::Unusable("the token cannot be read"))?;
    let message = format!("{head}.{body}");
    let listed = keys.get("keys").and_then(Value::as_array);
    let wanted = header.get("kid");
    let fits = listed
        .into_iter()
        .flatten()
        .filter(|key| wanted.is_none() || key.get("kid") == wanted)
        .any(|key| signed_by(key, &header, message.as_bytes(), &signature));
    if !fits {
        return Err(bad);
    }
    serde_json::from_slice(&claims).map_err(|_| OidcError::Unusable("the token cannot be read"))
}

fn signed_by(key: &Value, header: &Value, message: &[u8], signature: &[u8]) -> bool {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let bytes = |name: &str| text(name).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let algorithm = header.get("alg").and_then(Value::as_str);
    match (text("kty"), algorithm) {
        (Some("RSA"), Some("RS256")) => {
            let (Some(n), Some(e)) = (bytes("n"), bytes("e")) else {
                return false;
            };
            RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok()
        }
        (Some("EC"), Some("ES256")) => {
            let (Some(x), Some(y)) = (bytes("x"), bytes("y")) else {
                return false;
            };
            let point: Vec<u8> = std::iter::once(4).chain(x).chain(y).collect();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(message, signature)
                .is_ok()
        }
        _ => false,
    }
}
