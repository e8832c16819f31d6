//! The steps of a CI workflow.

/// The steps of a CI workflow. Its secrets become reads of a secret file, so
/// that their way through a step is followed like any other.
pub fn steps(text: &str) -> Vec<String> {
    const SECRET: &str = "$(cat /run/secrets/workflow)";
    let environment: String = text
        .lines()
        .filter_map(|line| {
            let (name, value) = line.trim().trim_start_matches("- ").split_once(':')?;
            let secret = value.contains("secrets.") || value.contains("github.token");
            let plain =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (secret && plain && value.trim().starts_with("${{"))
                .then(|| format!("{name}=\"{SECRET}\"\n"))
        })
        .collect();
    scalars(text, &["run", "script", "before_script", "after_script"])
        .into_iter()
        .map(|step| format!("{environment}{}", expressions(&step, SECRET)))
        .collect()
}

/// `${{ secrets.X }}` read as a secret, any other expression as an unknown variable.
fn expressions(step: &str, secret: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some((before, after)) = rest.split_once("${{") {
        out.push_str(before);
        let Some((inside, tail)) = after.split_once("}}") else {
            break;
        };
        let is_secret = inside.contains("secrets.")
            || inside.contains("github.token")
            || inside.contains("toJSON(secrets)");
        out.push_str(if is_secret { secret } else { "$EXPRESSION" });
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The values of these keys in YAML: on one line, as a block, or as a list.
fn scalars(text: &str, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        let entry = bare.strip_prefix("- ").unwrap_or(bare);
        let Some((key, value)) = entry.split_once(':') else {
            continue;
        };
        if !keys.contains(&key.trim()) {
            continue;
        }
        let value = value.trim();
        if !value.is_empty() && !value.starts_with(['|', '>']) {
            found.push(value.trim_matches(['"', '\'']).to_owned());
            continue;
        }
        let indent = line.len().saturating_sub(entry.len());
        let mut block = String::new();
        while let Some(next) = lines.peek() {
            let inner = next.trim_start();
            let deeper = next.len().saturating_sub(inner.len()) > indent;
            let listed = value.is_empty() && inner.starts_with("- ");
            if !inner.is_empty() && !deeper && !listed {
                break;
            }
            let command = if value.is_empty() {
                inner.strip_prefix("- ").unwrap_or(inner)
            } else {
                inner
            };
            block.push_str(command);
            block.push('\n');
            lines.next();
        }
        found.push(block);
    }
    found
}
