//! Orders to the tools that build and test: settings of CMake and Terraform, plugins of
//! Gradle, pragmas in comments of Go and JavaScript. What loads a file under a name that is
//! not its language's is in `loaded_file.rs`.
//!
//! A build file is a list of commands, so that lists hold what is harmless: a command that is
//! in none and that the file does not define is a use.

use super::lexer::{CodeLexeme, CodeToken, literal, mark, word};
use super::{Capability, CapabilityUse, SourceLanguage};

/// Uses that no name of the language shows.
pub(super) fn directives(
    language: SourceLanguage,
    text: &str,
    tokens: &[CodeLexeme],
) -> Vec<CapabilityUse> {
    match language {
        SourceLanguage::CMake => cmake(tokens),
        SourceLanguage::Rust => rust(tokens),
        SourceLanguage::Php => php(tokens),
        SourceLanguage::Terraform => terraform(tokens),
        SourceLanguage::Groovy => gradle(tokens),
        SourceLanguage::Go => go(text),
        SourceLanguage::JavaScript => javascript(text),
        SourceLanguage::Java
        | SourceLanguage::Kotlin
        | SourceLanguage::C
        | SourceLanguage::CSharp
        | SourceLanguage::Swift
        | SourceLanguage::Ruby
        | SourceLanguage::Elixir
        | SourceLanguage::Dockerfile
        | SourceLanguage::Compose
        | SourceLanguage::Workflow => Vec::new(),
    }
}

pub(super) fn found(line: usize, capability: Capability, text: &str) -> CapabilityUse {
    CapabilityUse {
        line,
        capability,
        text: text.chars().take(80).collect(),
    }
}

/// Commands of CMake that only describe a build.
const DESCRIBES: &[&str] = &[
    "add_compile_definitions",
    "add_compile_options",
    "add_definitions",
    "add_dependencies",
    "add_executable",
    "add_library",
    "add_link_options",
    "add_subdirectory",
    "add_test",
    "aux_source_directory",
    "block",
    "break",
    "build_command",
    "catch_discover_tests",
    "cmake_dependent_option",
    "cmake_host_system_information",
    "cmake_minimum_required",
    "cmake_parse_arguments",
    "cmake_path",
    "cmake_policy",
    "configure_file",
    "configure_package_config_file",
    "continue",
    "create_test_sourcelist",
    "define_property",
    "else",
    "elseif",
    "enable_language",
    "enable_testing",
    "endblock",
    "endforeach",
    "endfunction",
    "endif",
    "endmacro",
    "endwhile",
    "export",
    "feature_summary",
    "find_file",
    "find_library",
    "find_package",
    "find_package_handle_standard_args",
    "find_path",
    "find_program",
    "fltk_wrap_ui",
    "foreach",
    "function",
    "generate_export_header",
    "get_cmake_property",
    "get_directory_property",
    "get_filename_component",
    "get_property",
    "get_source_file_property",
    "get_target_property",
    "get_test_property",
    "gtest_add_tests",
    "gtest_discover_tests",
    "if",
    "include",
    "include_directories",
    "include_guard",
    "include_regular_expression",
    "install",
    "link_directories",
    "link_libraries",
    "list",
    "macro",
    "mark_as_advanced",
    "math",
    "message",
    "option",
    "pkg_check_modules",
    "pkg_search_module",
    "print_properties",
    "project",
    "qt_add_executable",
    "qt_wrap_cpp",
    "remove_definitions",
    "return",
    "separate_arguments",
    "set",
    "set_directory_properties",
    "set_package_properties",
    "set_property",
    "set_source_files_properties",
    "set_target_properties",
    "set_tests_properties",
    "site_name",
    "source_group",
    "string",
    "target_compile_definitions",
    "target_compile_features",
    "target_compile_options",
    "target_include_directories",
    "target_link_directories",
    "target_link_libraries",
    "target_link_options",
    "target_precompile_headers",
    "target_sources",
    "try_compile",
    "unset",
    "while",
    "write_basic_package_version_file",
    "check_include_file",
    "check_include_files",
    "check_function_exists",
    "check_symbol_exists",
    "check_type_size",
    "check_cxx_compiler_flag",
    "check_c_compiler_flag",
    "check_ipo_supported",
    "python_add_library",
    "pybind11_add_module",
    "qt_standard_project_setup",
    "swig_add_library",
    "and",
    "or",
    "not",
];

/// Parts of settings whose value a build starts, or reads as more of itself.
const STARTS: &[&str] = &[
    "_COMPILER",
    "_LAUNCHER",
    "RULE_LAUNCH",
    "CLANG_TIDY",
    "CPPCHECK",
    "CPPLINT",
    "INCLUDE_WHAT_YOU_USE",
    "_INCLUDE",
    "CMAKE_MODULE_PATH",
    "CMAKE_TOOLCHAIN",
    "_EMULATOR",
    "CMAKE_LINKER",
    "CMAKE_AR",
    "CMAKE_MAKE_PROGRAM",
    "CTEST_",
    "ENV",
    "_COMMAND",
];

fn cmake(tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let own: Vec<String> = (0..tokens.len())
        .filter(|at| {
            word(tokens, *at)
                .is_some_and(|word| matches!(word.to_lowercase().as_str(), "function" | "macro"))
        })
        .filter_map(|at| word(tokens, at.saturating_add(2)).map(str::to_lowercase))
        .collect();
    let mut uses = Vec::new();
    let mut depth = 0_usize;
    for (at, lexeme) in tokens.iter().enumerate() {
        match &lexeme.token {
            CodeToken::Mark("(") => depth = depth.saturating_add(1),
            CodeToken::Mark(")") => depth = depth.saturating_sub(1),
            CodeToken::Word(name)
                if depth == 0 && mark(tokens, at.saturating_add(1)) == Some("(") =>
            {
                let name = name.to_lowercase();
                let end = (at..tokens.len())
                    .find(|end| mark(tokens, *end) == Some(")"))
                    .unwrap_or(tokens.len());
                let inside = tokens.get(at.saturating_add(2)..end).unwrap_or_default();
                if !DESCRIBES.contains(&name.as_str()) && !own.contains(&name) {
                    uses.push(found(lexeme.line, Capability::DynamicCode, &name));
                } else if let Some(capability) = cmake_command(&name, inside) {
                    uses.push(found(lexeme.line, capability, &name));
                }
            }
            CodeToken::Word(_)
            | CodeToken::Mark(_)
            | CodeToken::Text { .. }
            | CodeToken::Number
            | CodeToken::Command => {}
        }
    }
    uses
}

/// What one command of a build does with what stands between its brackets.
fn cmake_command(name: &str, inside: &[CodeLexeme]) -> Option<Capability> {
    let words = || {
        inside.iter().filter_map(|lexeme| match &lexeme.token {
            CodeToken::Word(word) => Some(word.as_str()),
            CodeToken::Text { text, .. } => Some(text.as_str()),
            CodeToken::Mark(_) | CodeToken::Number | CodeToken::Command => None,
        })
    };
    // `include(Name)` is a module of CMake's own; a file has its ending.
    let odd = words().any(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.contains('.') && !name.ends_with(".cmake") && !name.contains("${")
    });
    let rooted = words()
        .next()
        .is_some_and(|first| first.starts_with(['/', '~', '$']));
    let own_place = words().any(|word| {
        ["_SOURCE_DIR}", "_BINARY_DIR}", "CMAKE_CURRENT_LIST_DIR}"]
            .iter()
            .any(|place| word.contains(place))
    });
    let climbs = words().any(|word| word.split('/').any(|part| part == ".."));
    let outside = words().any(|word| word.starts_with(['/', '~']) || word.contains("ENV{"));
    match name {
        "include" if odd => Some(Capability::DynamicCode),
        "include" | "add_subdirectory" if climbs || outside || (rooted && !own_place) => {
            Some(Capability::DynamicCode)
        }
        "configure_file" => (outside || climbs).then_some(Capability::FileWrite),
        "install" => words()
            .any(|word| matches!(word, "CODE" | "SCRIPT"))
            .then_some(Capability::DynamicCode),
        "export" => words()
            .any(|word| word == "PACKAGE")
            .then_some(Capability::FileWrite),
        "add_test" => {
            // A test is a target of the build, or a program of its own choice.
            let starts = words().any(|word| {
                matches!(
                    word,
                    "rm" | "sh"
                        | "bash"
                        | "curl"
                        | "wget"
                        | "python"
                        | "python3"
                        | "mv"
                        | "dd"
                        | "perl"
                )
            });
            (starts || outside).then_some(Capability::Process)
        }
        "set"
        | "set_property"
        | "set_target_properties"
        | "set_directory_properties"
        | "set_source_files_properties"
        | "list"
        | "option" => words()
            .any(|word| STARTS.iter().any(|part| word.contains(part)) && !is_plain_setting(word))
            .then_some(Capability::DynamicCode),
        _ => None,
    }
}

/// Settings that only sound like those that start something.
fn is_plain_setting(word: &str) -> bool {
    word.ends_with("_COMPILER_ID")
        || word.ends_with("_COMPILER_VERSION")
        || word.ends_with("_INCLUDE_DIRS")
        || word.ends_with("_INCLUDE_DIR")
        || word.ends_with("_INCLUDE_DIRECTORIES")
        || word.contains("INCLUDE_CURRENT_DIR")
        || word.contains("EXPORT_COMPILE_COMMANDS")
        || matches!(word, "ENVIRONMENT" | "CMAKE_CURRENT_SOURCE_DIR")
}

/// A macro that makes its code of text: no name in it is one of the file.
fn rust(tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let is = |at: usize, wanted: &str| word(tokens, at) == Some(wanted);
    let makes_code = (0..tokens.len()).any(|at| is(at, "TokenStream"));
    if !makes_code {
        return Vec::new();
    }
    (1..tokens.len())
        .filter(|at| {
            let member = mark(tokens, at.saturating_sub(1)) == Some(".");
            is(*at, "from_str") || (is(*at, "parse") && member)
        })
        .filter_map(|at| {
            Some(found(
                tokens.get(at)?.line,
                Capability::DynamicCode,
                "parse",
            ))
        })
        .collect()
}

/// `preg_replace('/x/e', …)` runs what it puts in.
fn php(tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let pattern = |at: usize| {
        let called = word(tokens, at.checked_sub(2)?)
            .is_some_and(|name| matches!(name, "preg_replace" | "preg_filter" | "mb_ereg_replace"));
        literal(tokens, at).filter(|_| called)
    };
    let runs = |text: &str| {
        let end = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        !end.is_empty() && text.get(end.len()..).is_some_and(|rest| rest.contains('e'))
    };
    (2..tokens.len())
        .filter(|at| pattern(*at).is_some_and(runs))
        .filter_map(|at| {
            Some(found(
                tokens.get(at)?.line,
                Capability::DynamicCode,
                "preg_replace",
            ))
        })
        .collect()
}

fn terraform(tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let mut uses = Vec::new();
    for (at, lexeme) in tokens.iter().enumerate() {
        let next = literal(tokens, at.saturating_add(1));
        let value = literal(tokens, at.saturating_add(2))
            .filter(|_| mark(tokens, at.saturating_add(1)) == Some("="));
        let capability = match (word(tokens, at), next, value) {
            (Some("data"), Some("external"), _) => Some(Capability::Process),
            (Some("data"), Some("http"), _) => Some(Capability::Network),
            // Where the state goes, with all that it knows.
            (Some("backend"), Some(kind), _) if kind != "local" => Some(Capability::Network),
            (Some("source"), _, Some(source))
                if !source.starts_with("./")
                    && !source.starts_with("../")
                    && !source.starts_with("hashicorp/") =>
            {
                Some(Capability::DynamicCode)
            }
            (Some("filename" | "content_filename"), _, Some(path))
                if path.starts_with(['/', '~']) =>
            {
                Some(Capability::FileWrite)
            }
            _ => None,
        };
        if let Some(capability) = capability {
            uses.push(found(lexeme.line, capability, next.or(value).unwrap_or("")));
        }
    }
    uses
}

/// Makers of plugins that builds are made of everywhere.
const PLUGINS: &[&str] = &[
    "org.springframework.",
    "io.spring.",
    "org.jetbrains.",
    "com.android.",
    "com.google.",
    "org.gradle.",
    "com.gradle.",
    "com.gradleup.",
    "com.github.johnrengelman.shadow",
    "com.diffplug.",
    "io.freefair.",
    "org.sonarqube",
    "net.ltgt.",
    "me.champeau.",
    "com.github.ben-manes.",
    "io.ktor.",
    "kotlin",
    "java",
    "org.openapi.generator",
    "io.gitlab.arturbosch.detekt",
    "org.jlleitschuh.",
    "io.quarkus",
    "io.micronaut.",
];

/// Hosts from which packages of the language come.
const REPOSITORIES: &[&str] = &[
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "maven.google.com",
    "dl.google.com",
    "repo.spring.io",
    "oss.sonatype.org",
    "s01.oss.sonatype.org",
    "central.sonatype.com",
    "maven.pkg.jetbrains.space",
    "packages.confluent.io",
];

fn gradle(tokens: &[CodeLexeme]) -> Vec<CapabilityUse> {
    let mut uses = Vec::new();
    for (at, lexeme) in tokens.iter().enumerate() {
        let CodeToken::Text { text, whole } = &lexeme.token else {
            continue;
        };
        let before = |by: usize| at.checked_sub(by).and_then(|at| word(tokens, at));
        let near = |wanted: &str| (1..4).any(|by| before(by) == Some(wanted));
        let known = PLUGINS.iter().any(|maker| text.starts_with(maker));
        let versioned = (1..4).any(|by| word(tokens, at.saturating_add(by)) == Some("version"));
        let host = text
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        let capability = if near("from") && near_apply(tokens, at) {
            let inside =
                *whole && !text.starts_with(['/', '~']) && !text.contains("..") && host.is_none();
            let from_root = !whole && text.starts_with('\u{fffd}') && !text.contains("..");
            let script = [".gradle", ".kts", ".groovy"]
                .iter()
                .any(|ending| text.ends_with(ending));
            (!inside && !from_root || !script).then_some(Capability::DynamicCode)
        } else if !known && (near("id") && versioned || near("classpath") && text.contains(':')) {
            Some(Capability::DynamicCode)
        } else if let Some(host) = host.filter(|_| near("url") || near("uri") || near("maven")) {
            (!REPOSITORIES.contains(&host)).then_some(Capability::Network)
        } else {
            None
        };
        if let Some(capability) = capability {
            uses.push(found(lexeme.line, capability, text));
        }
    }
    uses
}

/// `apply from: 'x'`, `apply(from = "x")`.
fn near_apply(tokens: &[CodeLexeme], at: usize) -> bool {
    (1..6).any(|by| at.checked_sub(by).and_then(|at| word(tokens, at)) == Some("apply"))
}

fn go(text: &str) -> Vec<CapabilityUse> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(at, line)| {
            let line = line.trim();
            let capability = if line.starts_with("//go:linkname") {
                Capability::Native
            } else if line.starts_with("//go:embed") && line.split(' ').skip(1).any(is_hidden) {
                Capability::Home
            } else {
                return None;
            };
            Some(found(at.saturating_add(1), capability, line))
        })
        .collect()
}

/// A file that stays out of sight of a listing: settings and secrets.
fn is_hidden(pattern: &str) -> bool {
    let pattern = pattern.trim_matches(['"', '`']);
    let pattern = pattern.strip_prefix("all:").unwrap_or(pattern);
    pattern
        .split('/')
        .any(|part| part.starts_with('.') && part.len() > 1)
}

fn javascript(text: &str) -> Vec<CapabilityUse> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(at, line)| {
            let (_, name) = ["@jest-environment ", "@vitest-environment "]
                .iter()
                .find_map(|pragma| line.split_once(pragma))?;
            let name = name.split([' ', '*']).next().unwrap_or_default();
            let plain = matches!(name, "jsdom" | "node" | "happy-dom" | "edge-runtime")
                || name.starts_with("jest-environment-");
            (!plain).then(|| found(at.saturating_add(1), Capability::DynamicCode, name))
        })
        .collect()
}
