//! Events of a stream that a server sends.

use serde_json::Value;

/// Where the first event ends, with its empty line.
pub(crate) fn end(bytes: &[u8]) -> Option<usize> {
    let mut line_is_empty = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' if line_is_empty => return at.checked_add(1),
            b'\n' => line_is_empty = true,
            b'\r' => {}
            _ => line_is_empty = false,
        }
    }
    None
}

/// What an event says.
pub(crate) fn data(event: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(event).ok()?;
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The event with other data.
pub(crate) fn with_data(event: &[u8], data: &Value) -> Vec<u8> {
    let text = String::from_utf8_lossy(event);
    let kept: String = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("data:"))
        .map(|line| format!("{line}\n"))
        .collect();
    format!("{kept}data: {data}\n\n").into_bytes()
}

/// Whether somebody else may read other lines in it: a carriage return alone ends a line too,
/// and a byte order mark in front of the first is nothing.
pub(crate) fn is_ambiguous(event: &[u8]) -> bool {
    let mut rest = event.iter().peekable();
    while let Some(byte) = rest.next() {
        if *byte == b'\r' && rest.peek() != Some(&&b'\n') {
            return true;
        }
    }
    std::str::from_utf8(event).map_or(true, |text| text.starts_with('\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_that_others_read_otherwise_is_ambiguous() {
        for (event, ambiguous) in [
            ("data: {}\n\n", false),
            ("data: {}\r\n\r\n", false),
            (": note\rdata: {}\r\r\n\n", true),
            ("data: {}\r", true),
            ("\u{feff}data: {}\n\n", true),
            ("data: \u{feff}\n\n", false),
        ] {
            assert_eq!(is_ambiguous(event.as_bytes()), ambiguous, "{event:?}");
        }
        assert!(is_ambiguous(b"data: \xff\n\n"));
    }

    #[test]
    fn an_event_is_written_with_other_data() {
        let event = b"event: message_delta\r\ndata: {\"a\":1}\r\n\r\n";
        assert_eq!(data(event).unwrap(), "{\"a\":1}");
        assert_eq!(
            with_data(event, &json!({"b": 2})),
            b"event: message_delta\ndata: {\"b\":2}\n\n"
        );
    }
}
