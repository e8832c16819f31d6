//! Scripts in manifests and settings that are JSON.

/// Scripts that a package manager runs on its own.
pub fn lifecycle(text: &str) -> Vec<String> {
    values(
        text,
        &[
            "preinstall",
            "install",
            "postinstall",
            "prepare",
            "prepublish",
            "prepack",
            "post-install-cmd",
            "post-update-cmd",
            "pre-install-cmd",
        ],
    )
}

/// The text values of these keys, anywhere in a JSON document.
pub fn values(text: &str, keys: &[&str]) -> Vec<String> {
    fn walk(value: &serde_json::Value, keys: &[&str], found: &mut Vec<String>, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        serde_json::Value::String(text) if keys.contains(&key.as_str()) => {
                            found.push(text.clone());
                        }
                        other => walk(other, keys, found, depth.saturating_sub(1)),
                    }
                }
            }
            serde_json::Value::Array(list) => {
                for value in list {
                    walk(value, keys, found, depth.saturating_sub(1));
                }
            }
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    match serde_json::from_str(text) {
        Ok(value) => walk(&value, keys, &mut found, 16),
        // A fragment of an edit: the pairs on its lines.
        Err(_) => found.extend(text.lines().filter_map(|line| {
            let (key, value) = line.trim().split_once(':')?;
            let value = value.trim().trim_end_matches(',');
            keys.contains(&key.trim().trim_matches('"'))
                .then(|| serde_json::from_str::<String>(value).ok())
                .flatten()
        })),
    }
    found
}

/// Everything under `scripts`, whoever starts it.
pub fn scripts(text: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(manifest)) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let listed = manifest
        .get("scripts")
        .and_then(serde_json::Value::as_object);
    listed
        .into_iter()
        .flat_map(|scripts| scripts.values())
        .filter_map(|script| script.as_str().map(str::to_owned))
        .collect()
}
