//! The languages that code can be in.

/// Languages the analysis can look into, more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    Awk,
    Sed,
    Sql,
    PowerShell,
    /// Known by name only: its code is a gap.
    Other,
}

impl Language {
    /// The name that effects and gaps carry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Ruby => "ruby",
            Self::Perl => "perl",
            Self::Php => "php",
            Self::Lua => "lua",
            Self::Awk => "awk",
            Self::Sed => "sed",
            Self::Sql => "sql",
            Self::PowerShell => "powershell",
            Self::Other => "other",
        }
    }

    /// Whether a name begins with that of a language whose code may start programs.
    #[must_use]
    pub fn starts_programs(name: &str) -> bool {
        let languages = [
            Self::Python,
            Self::JavaScript,
            Self::Ruby,
            Self::Perl,
            Self::Php,
            Self::Lua,
            Self::Awk,
        ];
        languages
            .iter()
            .any(|language| name.starts_with(language.name()))
    }
}
