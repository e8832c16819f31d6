//! Model servers on this machine: who answers to a list of models on a usual port.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long a server on this machine may take.
const PATIENCE: Duration = Duration::from_millis(400);
/// More than any list of models.
const MAX_ANSWER: u64 = 256 * 1024;
/// Where they usually listen.
const PORTS: &[(u16, &str)] = &[
    (11434, "Ollama"),
    (8080, "llama.cpp"),
    (1234, "LM Studio"),
    (8000, "vLLM"),
];

/// A server that speaks the OpenAI-compatible form.
pub struct LocalServer {
    pub title: &'static str,
    pub base_url: String,
    pub models: Vec<String>,
}

/// Everybody who answers.
pub fn found() -> Vec<LocalServer> {
    PORTS
        .iter()
        .filter_map(|(port, title)| {
            let models = models(*port)?;
            Some(LocalServer {
                title,
                base_url: format!("http://127.0.0.1:{port}/v1"),
                models,
            })
        })
        .collect()
}

fn models(port: u16) -> Option<Vec<String>> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let request = format!("GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    // What came before a server fell silent may be all of it.
    stream
        .take(MAX_ANSWER)
        .read_to_end(&mut answer)
        .unwrap_or_default();
    listed(&String::from_utf8_lossy(&answer))
}

/// The models of an answer; nothing where it is none.
fn listed(answer: &str) -> Option<Vec<String>> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if !head.split(' ').nth(1)?.starts_with("200") {
        return None;
    }
    let whole: Value = serde_json::from_str(body.trim()).ok()?;
    let models: Vec<String> = whole
        .get("data")?
        .as_array()?
        .iter()
        .filter_map(|model| model.get("id")?.as_str().map(str::to_owned))
        .collect();
    (!models.is_empty()).then_some(models)
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn only_a_list_of_models_is_a_server() {
        let check = |answer: &str, expected: Option<&[&str]>| {
            let expected =
                expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(listed(answer), expected, "{answer}");
        };
        let list = r#"{"data": [{"id": "qwen3:8b"}, {"id": "phi"}]}"#;
        check(
            &format!("HTTP/1.1 200 OK\r\nx: y\r\n\r\n{list}"),
            Some(&["qwen3:8b", "phi"]),
        );
        check(&format!("HTTP/1.1 404 No\r\n\r\n{list}"), None);
        check("HTTP/1.1 200 OK\r\n\r\n<html>", None);
        check("HTTP/1.1 200 OK\r\n\r\n{\"data\": []}", None);
        check("SSH-2.0-x", None);
        check("", None);
    }
}
