//! Task files in Python, whose tasks a runner starts by name.

use automode_shell::{Nature, natures_of};

use crate::scene::report;

/// Lines of a task file in Python that start a program which tests and builds do not need.
pub(super) fn tasks_of_python(path: &str, text: &str) -> Vec<String> {
    const FILES: &[&str] = &["noxfile.py", "tasks.py", "fabfile.py", "dodo.py", "wscript"];
    const STARTS: &[&str] = &[".run(", ".run_always(", ".run_install(", ".sudo(", "local("];
    let name = path.rsplit('/').next().unwrap_or_default();
    if !FILES.contains(&name) {
        return Vec::new();
    }
    text.lines()
        .filter(|line| {
            let rest = STARTS.iter().find_map(|start| line.split_once(start));
            rest.is_some_and(|(_, rest)| {
                let word = rest.trim_start().trim_start_matches(['"', '\'', 'f', 'r']);
                let word = word
                    .split([' ', '"', '\'', ',', ')'])
                    .next()
                    .unwrap_or_default();
                !natures_of(word).contains(Nature::ProjectTool)
            })
        })
        .map(|line| {
            format!(
                "starts a program in a task: `{}`",
                report::name(line.trim())
            )
        })
        .collect()
}
