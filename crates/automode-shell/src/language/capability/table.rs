//! What the names of each language can do, compiled from `languages/capability/*.toml`.

use super::{Capability, SourceLanguage};

/// Everything known about the names of one language.
pub(super) struct CapabilityTable {
    /// Modules that only compute, sorted; a name covers what is inside it.
    pub(super) harmless: &'static [&'static str],
    /// Modules whose names are listed one by one, sorted.
    pub(super) watched: &'static [&'static str],
    /// Dotted names, sorted.
    pub(super) names: &'static [(&'static str, NameRule)],
    /// Methods of any receiver, sorted.
    pub(super) methods: &'static [(&'static str, NameRule)],
    /// Modules whose import alone counts, sorted.
    pub(super) imports: &'static [(&'static str, NameRule)],
    /// Calls that make a temporary directory or file, sorted.
    pub(super) temporary: &'static [&'static str],
    /// Constants that stand for the project's directory, sorted.
    pub(super) project: &'static [&'static str],
    /// Methods and words through which a path stays where it is, sorted.
    pub(super) through: &'static [&'static str],
    /// Words in front of a name that change nothing (`globalThis`), sorted.
    pub(super) prefixes: &'static [&'static str],
}

/// What a name does, and when that is nothing to speak of.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameRule {
    /// Nothing: the name is listed as an exception from its module.
    pub(super) capability: Option<Capability>,
    /// The argument that is a path or a variable's name; `SELF` for the receiver.
    pub(super) argument: Option<u8>,
    /// Counts only where one of these words stands in the file.
    pub(super) when: &'static [&'static str],
}

impl CapabilityTable {
    pub(super) const fn of(language: SourceLanguage) -> Option<&'static Self> {
        Some(match language {
            SourceLanguage::Rust => &RUST,
            SourceLanguage::Go => &GO,
            SourceLanguage::Java => &JAVA,
            SourceLanguage::Kotlin => &KOTLIN,
            SourceLanguage::C => &C,
            SourceLanguage::CSharp => &CSHARP,
            SourceLanguage::Swift => &SWIFT,
            SourceLanguage::Ruby => &RUBY,
            SourceLanguage::Php => &PHP,
            SourceLanguage::JavaScript => &JAVASCRIPT,
            SourceLanguage::Groovy => &GROOVY,
            SourceLanguage::CMake => &CMAKE,
            SourceLanguage::Elixir => &ELIXIR,
            SourceLanguage::Terraform => &TERRAFORM,
            SourceLanguage::Dockerfile | SourceLanguage::Compose | SourceLanguage::Workflow => {
                return None;
            }
        })
    }

    pub(super) fn name(&self, name: &str) -> Option<NameRule> {
        find(self.names, name)
    }

    pub(super) fn method(&self, name: &str) -> Option<NameRule> {
        find(self.methods, name)
    }

    /// Whether a module, or one it is inside, is in a list.
    pub(super) fn covers(list: &[&str], module: &str) -> bool {
        outward(module).any(|outer| list.binary_search(&outer).is_ok())
    }

    /// What importing a module alone brings in.
    pub(super) fn import(&self, module: &str) -> Option<Capability> {
        outward(module).find_map(|outer| find(self.imports, outer)?.capability)
    }
}

/// A module, and every one that it is inside.
fn outward(module: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(module), |inner| {
        let end = inner.rfind(['.', '/'])?;
        inner.get(..end)
    })
}

fn find(rules: &'static [(&'static str, NameRule)], name: &str) -> Option<NameRule> {
    let at = rules.binary_search_by_key(&name, |(name, _)| name).ok()?;
    rules.get(at).map(|(_, rule)| *rule)
}

include!(concat!(env!("OUT_DIR"), "/capabilities.rs"));
