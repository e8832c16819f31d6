//! What a source file is able to do, found by its tokens.
//!
//! [`capabilities`] answers for languages whose code is not followed step by step:
//! the whole file is tokenised, names are resolved through the file's own imports,
//! and every name that reaches outside the program is listed with its line.
//! *Clean* means that the whole file was read and uses nothing but the language,
//! libraries that are known to compute, files below a temporary directory that it
//! made itself, and files of the project by a constant relative name.
//! A file that cannot be tokenised, or is too long, is unread; it is never clean.

mod argument;
mod contained;
mod directive;
mod import;
mod lexer;
mod loaded_file;
mod made_name;
mod recipe;
mod resolved_name;
mod scan;
mod syntax;
mod table;
mod yaml;

use table::CapabilityTable;

/// A language whose files are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceLanguage {
    Rust,
    Go,
    Java,
    Kotlin,
    C,
    CSharp,
    Swift,
    Ruby,
    Php,
    /// JavaScript and TypeScript, with and without JSX.
    JavaScript,
    /// Groovy, with the build language of Gradle.
    Groovy,
    CMake,
    Elixir,
    Dockerfile,
    Compose,
    /// A workflow of a build service.
    Workflow,
    Terraform,
}

/// Something that a program can do to the world around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    FileRead,
    FileWrite,
    FileDelete,
    Network,
    Process,
    /// The home directory or another place outside the project.
    Home,
    Environment,
    /// Unsafe or foreign code.
    Native,
    /// Code that is only known when it runs.
    DynamicCode,
    /// A library whose abilities are not known.
    Library,
    /// More rights than an ordinary container or step has.
    Privilege,
}

/// One use of a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapabilityUse {
    /// Counted from 1.
    pub line: usize,
    pub capability: Capability,
    /// The name as the file has it.
    pub text: String,
}

/// What a scan came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapabilityReading {
    /// The whole file was read and it reaches nothing outside.
    Clean,
    Uses(Vec<CapabilityUse>),
    /// The file was not understood, and why.
    Unread(String),
}

/// Longer text is not read.
const LENGTH: usize = 512 * 1024;
/// More uses than this say nothing new.
const USES: usize = 64;

/// What the file could do when it is built or run.
#[must_use]
pub fn capabilities(language: SourceLanguage, text: &str) -> CapabilityReading {
    if text.len() > LENGTH {
        return CapabilityReading::Unread(format!("{} bytes are too many", text.len()));
    }
    let found = recipe::read(language, text).unwrap_or_else(|| scan::scan(language, text));
    match found {
        Err(why) => CapabilityReading::Unread(why),
        Ok(uses) if uses.is_empty() => CapabilityReading::Clean,
        Ok(mut uses) => {
            uses.sort_by_key(|found| found.line);
            uses.dedup();
            uses.truncate(USES);
            CapabilityReading::Uses(uses)
        }
    }
}

impl SourceLanguage {
    pub const ALL: &'static [Self] = &[
        Self::Rust,
        Self::Go,
        Self::Java,
        Self::Kotlin,
        Self::C,
        Self::CSharp,
        Self::Swift,
        Self::Ruby,
        Self::Php,
        Self::JavaScript,
        Self::Groovy,
        Self::CMake,
        Self::Elixir,
        Self::Dockerfile,
        Self::Compose,
        Self::Workflow,
        Self::Terraform,
    ];

    /// The language of a file by its name.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let yaml = matches!(ending, "yml" | "yaml");
        if name == "cmakelists.txt" {
            return Some(Self::CMake);
        }
        if name == "jenkinsfile" {
            return Some(Self::Groovy);
        }
        if matches!(
            name,
            "rakefile" | "gemfile" | "podfile" | "guardfile" | "fastfile"
        ) {
            return Some(Self::Ruby);
        }
        if name.starts_with("dockerfile")
            || name.starts_with("containerfile")
            || ending == "dockerfile"
        {
            return Some(Self::Dockerfile);
        }
        if yaml && (name.contains("compose")) {
            return Some(Self::Compose);
        }
        if yaml
            && (lower.contains(".github/workflows/")
                || lower.contains(".circleci/")
                || name == ".gitlab-ci.yml"
                || name.starts_with("azure-pipelines")
                || name == ".travis.yml"
                || name == "bitbucket-pipelines.yml")
        {
            return Some(Self::Workflow);
        }
        // The build's own words are the same in both of its languages.
        if name.ends_with(".gradle.kts") {
            return Some(Self::Groovy);
        }
        Some(match ending {
            "rs" => Self::Rust,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "inl" | "m"
            | "mm" => Self::C,
            "cs" => Self::CSharp,
            "swift" => Self::Swift,
            "rb" | "rake" | "gemspec" | "ru" => Self::Ruby,
            "php" => Self::Php,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::JavaScript,
            "groovy" | "gradle" => Self::Groovy,
            "cmake" => Self::CMake,
            "ex" | "exs" => Self::Elixir,
            "tf" | "tfvars" | "hcl" => Self::Terraform,
            _ => return None,
        })
    }

    /// The word for people and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Go => "go",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::C => "c",
            Self::CSharp => "csharp",
            Self::Swift => "swift",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::JavaScript => "javascript",
            Self::Groovy => "groovy",
            Self::CMake => "cmake",
            Self::Elixir => "elixir",
            Self::Dockerfile => "dockerfile",
            Self::Compose => "compose",
            Self::Workflow => "workflow",
            Self::Terraform => "terraform",
        }
    }
}

impl Capability {
    /// What the use means, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileRead => "reads files",
            Self::FileWrite => "writes files",
            Self::FileDelete => "deletes files",
            Self::Network => "uses the network",
            Self::Process => "starts programs",
            Self::Home => "reaches outside the project",
            Self::Environment => "reads or changes the environment",
            Self::Native => "runs foreign or unchecked code",
            Self::DynamicCode => "runs code that is made at run time",
            Self::Library => "uses a library whose abilities are not known",
            Self::Privilege => "asks for more rights than it needs",
        }
    }
}

#[cfg(test)]
mod tests;
