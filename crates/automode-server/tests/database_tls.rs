//! PostgreSQL over TLS: the real server, with a certificate made for the test.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use automode_server::clock;
use automode_server::store::FleetStore;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use world::Database;

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().expect("a key"))
        .expect("an authority")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_is_held_against_the_authority_and_the_name() {
    let Some(mut database) = Database::start() else {
        return;
    };
    let (ours, other) = (authority(), authority());
    let key = KeyPair::generate().expect("a key");
    let parameters = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let certificate = parameters.signed_by(&key, &ours).expect("a certificate");
    let port = database.run_with_tls(&certificate.pem(), &key.serialize_pem());
    let folder = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string().replace('/', "%2F")
    };
    let (right, wrong) = (file("ca.pem", &ours.pem()), file("other.pem", &other.pem()));
    let check = async |host: &str, words: &str, opens: bool| {
        let address = format!("postgres://automode@{host}:{port}/postgres?{words}");
        let opened = FleetStore::open(&address).await;
        assert_eq!(opened.is_ok(), opens, "{address}: {:?}", opened.err());
    };
    let full = format!("sslmode=verify-full&sslrootcert={right}");
    check("localhost", &full, true).await;
    check("127.0.0.1", &full, false).await;
    check(
        "localhost",
        &format!("sslmode=verify-full&sslrootcert={wrong}"),
        false,
    )
    .await;
    check("localhost", "sslmode=verify-full", false).await;
    check(
        "localhost",
        "sslmode=verify-full&sslrootcert=nowhere.pem",
        false,
    )
    .await;
    let chain = format!("sslmode=verify-ca&sslrootcert={right}");
    check("127.0.0.1", &chain, true).await;
    check(
        "127.0.0.1",
        &format!("sslmode=require&sslrootcert={wrong}"),
        false,
    )
    .await;
    check("127.0.0.1", &format!("sslrootcert={wrong}"), false).await;
    check("127.0.0.1", "sslmode=require", true).await;
    check("127.0.0.1", "sslmode=prefer", true).await;
    check("127.0.0.1", "sslmode=disable", false).await;
    check("127.0.0.1", "sslmode=verify", false).await;
    // It works, news of other replicas included.
    let address = format!("postgres://automode@localhost:{port}/postgres?{full}");
    let one = FleetStore::open(&address).await.expect("a store");
    let replica = FleetStore::open(&address).await.expect("a store");
    let mut news = replica.changes();
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let (own, _) = one.organisation("test", clock::now()).await.expect("made");
    assert!(!one.promote(own, 1).await.expect("answered"));
    let heard = tokio::time::timeout(std::time::Duration::from_secs(10), news.recv()).await;
    assert_eq!(
        heard.expect("in time").expect("news").organisation,
        own.number()
    );
}
