//! Places where a write changes what runs later, or who may do what.

use super::pattern::PathNames;
use super::table::{PlaceIndex, PlaceRows, PlaceTable};

/// A kind of protected place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protected {
    /// automode's own configuration, state and log.
    Automode,
    /// Inside a `.git` directory.
    GitInternals,
    /// Settings, hooks and plugins of coding agents.
    AgentSettings,
    /// Files that a shell or a login runs by itself.
    ShellStartup,
    /// Cron tables, units, launch agents, boot and login scripts of the system.
    SystemStartup,
    /// Accounts, sudo, PAM, authorised keys, the loader's preload list.
    Access,
    /// CI workflows.
    CiWorkflow,
    /// Editor tasks and launch configurations.
    EditorTask,
    /// Configuration of package managers and build tools that runs code or redirects downloads.
    ToolConfig,
    /// Hooks of the project that run on commit.
    ProjectHook,
    /// Servers whose tools an agent uses.
    McpServers,
}

impl Protected {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Automode => "automode's own files",
            Self::GitInternals => "git's internal files",
            Self::AgentSettings => "an agent's settings",
            Self::ShellStartup => "a shell start-up file",
            Self::SystemStartup => "what the system starts by itself",
            Self::Access => "who may log in or become root",
            Self::CiWorkflow => "a CI workflow",
            Self::EditorTask => "an editor's task file",
            Self::ToolConfig => "configuration that makes a tool run code",
            Self::ProjectHook => "a commit hook",
            Self::McpServers => "the list of MCP servers",
        }
    }

    /// No judge may approve a write here: a person decides.
    #[must_use]
    pub const fn needs_person(self) -> bool {
        match self {
            Self::Automode | Self::GitInternals | Self::AgentSettings | Self::ShellStartup => true,
            Self::SystemStartup
            | Self::Access
            | Self::CiWorkflow
            | Self::EditorTask
            | Self::ToolConfig
            | Self::ProjectHook
            | Self::McpServers => false,
        }
    }

    /// The protected kind of a path, judged by its name.
    #[must_use]
    pub fn of(path: &str, home: Option<&str>) -> Option<Self> {
        Self::named(&PathNames::of(path, home))
    }

    /// Whether a file decides what git runs: its own files, and hooks that are kept elsewhere.
    /// A session writes many files, so a look at the names comes first.
    #[must_use]
    pub fn is_run_by_git(path: &str, home: Option<&str>) -> bool {
        let begins = |name: &[u8], word: &&str| {
            let start = name.get(..word.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        };
        let may_be = |name: &[u8]| match name.first() {
            Some(b'.') => true,
            Some(letter) if b"lLsScCgG".contains(letter) => {
                HOOK_NAMES.iter().any(|word| begins(name, word))
            }
            Some(_) | None => false,
        };
        let bytes = path.as_bytes();
        // Letters of other alphabets may be written small as one of these.
        (!path.is_ascii() || bytes.split(|byte| *byte == b'/').any(may_be))
            && matches!(
                Self::of(path, home),
                Some(Self::ProjectHook | Self::GitInternals)
            )
    }

    pub(super) fn named(path: &PathNames<'_>) -> Option<Self> {
        TABLE.find(path)
    }
}

/// How names of hooks begin that do not begin with a dot.
const HOOK_NAMES: &[&str] = &[
    "lefthook",
    "simple-git-hooks",
    "captainhook",
    "lint-staged",
    "grumphp",
];

static TABLE: PlaceTable<Protected> = PlaceTable {
    home: PlaceIndex::new(HOME),
    system: PlaceIndex::new(SYSTEM),
    anywhere: PlaceIndex::new(ANYWHERE),
};

/// Below a home directory.
const HOME: PlaceRows<Protected> = &[
    (
        Protected::Automode,
        &[
            ".config/automode",
            ".local/state/automode",
            ".local/share/automode",
            ".cache/automode",
        ],
    ),
    (
        Protected::AgentSettings,
        &[
            ".claude",
            ".claude.json",
            ".codex",
            ".gemini",
            ".qwen",
            ".copilot",
            ".config/opencode",
            ".cursor",
            ".config/github-copilot",
            ".config/goose",
            ".aider.conf.yml",
            ".continue",
            ".codeium",
            ".config/zed/settings.json",
        ],
    ),
    (
        Protected::ShellStartup,
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".kshrc",
            ".cshrc",
            ".tcshrc",
            ".login",
            ".logout",
            ".inputrc",
            ".config/fish",
            ".oh-my-zsh",
            ".xinitrc",
            ".xprofile",
            ".xsession*",
            ".bashrc.d",
            ".zshrc.d",
            ".config/powershell",
            ".pam_environment",
            ".vimrc",
            ".config/nvim",
            ".emacs",
            ".emacs.d",
            ".tmux.conf",
            ".screenrc",
            ".gdbinit",
            ".pythonrc*",
            ".irbrc",
        ],
    ),
    (
        Protected::SystemStartup,
        &[
            ".config/systemd",
            ".config/autostart",
            ".local/share/systemd",
            "library/launchagents",
            "library/launchdaemons",
            ".config/environment.d",
        ],
    ),
    (
        Protected::Access,
        &[
            ".ssh/authorized_keys*",
            ".ssh/config",
            ".ssh/rc",
            ".ssh/environment",
            ".rhosts",
            ".shosts",
            ".k5login",
        ],
    ),
    (
        Protected::ToolConfig,
        &[
            ".gitconfig",
            ".config/git",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".config/pip",
            ".pip",
            ".pydistutils.cfg",
            ".cargo/config",
            ".cargo/config.toml",
            ".cargo/bin",
            ".local/bin",
            "bin",
            ".gradle/init.gradle",
            ".gradle/init.d",
            ".m2/settings.xml",
            ".condarc",
            ".gemrc",
            ".bundle/config",
            ".config/composer",
            ".docker/config.json",
            ".kube/config",
            ".aws/config",
            ".curlrc",
            ".wgetrc",
            ".mailcap",
            ".local/lib",
        ],
    ),
];

/// By absolute path.
const SYSTEM: PlaceRows<Protected> = &[
    (Protected::Automode, &["etc/automode"]),
    (
        Protected::AgentSettings,
        &[
            "etc/claude-code",
            "library/application support/claudecode",
            "etc/codex",
            "etc/gemini-cli",
        ],
    ),
    (
        Protected::ShellStartup,
        &[
            "etc/profile*",
            "etc/bash.bashrc",
            "etc/bashrc",
            "etc/zsh",
            "etc/zshrc",
            "etc/zshenv",
            "etc/zprofile",
            "etc/environment",
            "etc/csh.*",
            "etc/skel",
        ],
    ),
    (
        Protected::SystemStartup,
        &[
            "etc/cron*",
            "etc/anacrontab",
            "var/spool/cron",
            "var/spool/at",
            "var/at",
            "etc/systemd",
            "lib/systemd",
            "usr/lib/systemd",
            "usr/local/lib/systemd",
            "run/systemd",
            "etc/init.d",
            "etc/init",
            "etc/inittab",
            "etc/rc*",
            "etc/update-motd.d",
            "etc/xdg/autostart",
            "library/launchagents",
            "library/launchdaemons",
            "library/startupitems",
            "system/library/launchdaemons",
            "etc/udev",
            "lib/udev",
            "etc/modules*",
            "etc/modprobe.d",
            "etc/apt/apt.conf*",
            "etc/network/if-*",
            "etc/networkmanager/dispatcher.d",
            "etc/dhcp",
            "etc/logrotate.d",
            "etc/emond.d",
            "etc/periodic",
            "usr/share/initramfs-tools",
            "etc/initramfs-tools",
            "etc/grub*",
            "boot",
            "etc/default/grub",
            "etc/rsyslog.d",
            "etc/binfmt.d",
        ],
    ),
    (
        Protected::Access,
        &[
            "etc/passwd*",
            "etc/shadow*",
            "etc/group*",
            "etc/gshadow*",
            "etc/sudoers*",
            "etc/pam.d",
            "etc/pam.conf",
            "etc/security",
            "etc/ssh",
            "etc/ld.so.*",
            "etc/hosts.allow",
            "etc/hosts.deny",
            "etc/hosts",
            "etc/resolv.conf",
            "etc/nsswitch.conf",
            "etc/login.defs",
            "etc/polkit-1",
            "etc/doas.conf",
            "etc/selinux",
            "etc/apparmor*",
            "etc/audit",
            "etc/ssl",
            "usr/local/share/ca-certificates",
            "etc/pki",
            "etc/ca-certificates*",
            "lib/security",
            "usr/lib/security",
            "lib/*/security",
            "usr/lib/*/security",
        ],
    ),
];

/// By name, in any directory.
const ANYWHERE: PlaceRows<Protected> = &[
    (Protected::Automode, &["**/.automode.toml"]),
    (Protected::GitInternals, &["**/.git"]),
    (
        Protected::AgentSettings,
        &[
            "**/.claude",
            "**/.codex",
            "**/.gemini",
            "**/.qwen",
            "**/.copilot",
            "**/.opencode",
            "**/opencode.json",
            "**/opencode.jsonc",
            "**/.cursor",
            "**/.github/hooks",
            "**/.windsurf",
            "**/.continue",
            "**/.aider.conf.yml",
        ],
    ),
    (Protected::McpServers, &["**/.mcp.json", "**/mcp.json"]),
    (
        Protected::CiWorkflow,
        &[
            "**/.github/workflows",
            "**/.github/actions",
            "**/.gitlab-ci.yml",
            "**/.gitlab",
            "**/.circleci",
            "**/.travis.yml",
            "**/jenkinsfile",
            "**/azure-pipelines.yml",
            "**/.buildkite",
            "**/bitbucket-pipelines.yml",
            "**/.drone.yml",
            "**/.woodpecker",
            "**/.woodpecker.yml",
            "**/cloudbuild.yaml",
            "**/.forgejo",
            "**/.gitea",
            "**/appveyor.yml",
            "**/.teamcity",
            "**/.ci",
        ],
    ),
    (
        Protected::EditorTask,
        &[
            "**/.vscode",
            "**/.idea",
            "**/.zed",
            "**/.fleet",
            "**/.devcontainer",
            "**/.devcontainer.json",
            "**/*.code-workspace",
            "**/*.sublime-project",
            "**/.gitpod.yml",
            "**/.replit",
            "**/replit.nix",
            "**/.nvimrc",
            "**/.exrc",
            "**/.vimrc",
            "**/.dir-locals.el",
            "**/.nvim.lua",
        ],
    ),
    (
        Protected::ProjectHook,
        &[
            "**/.husky",
            "**/.githooks",
            "**/.pre-commit-config.yaml",
            "**/lefthook.*",
            "**/.lefthook.*",
            "**/lefthook-local.*",
            "**/.lefthook-local.*",
            "**/.lefthook",
            "**/.lefthook-local",
            "**/.simple-git-hooks.*",
            "**/simple-git-hooks.*",
            "**/.huskyrc*",
            "**/.git-hooks",
            "**/.captainhook.json",
            "**/captainhook.json",
            "**/.pre-commit-hooks.yaml",
            "**/.lintstagedrc*",
            "**/lint-staged.config.*",
            "**/grumphp.yml",
            "**/.rusty-hook.toml",
            "**/.cargo-husky",
            "**/.overcommit.yml",
            "**/.gitattributes",
            "**/.gitmodules",
            "**/.gitconfig",
        ],
    ),
    (
        Protected::ToolConfig,
        &[
            "**/.envrc",
            "**/.npmrc",
            "**/.yarnrc",
            "**/.yarnrc.yml",
            "**/.yarn/plugins",
            "**/.yarn/releases",
            "**/.pnpmfile.cjs",
            "**/bunfig.toml",
            "**/pip.conf",
            "**/.pip",
            "**/.cargo/config",
            "**/.cargo/config.toml",
            "**/.mvn",
            "**/gradle/wrapper",
            "**/init.gradle",
            "**/.bundle/config",
            "**/sitecustomize.py",
            "**/usercustomize.py",
            "**/site-packages/*.pth",
            "**/dist-packages/*.pth",
            "**/.bazelrc",
            "**/.tool-versions",
            "**/mise.toml",
            "**/.mise.toml",
            "**/.direnv",
            "**/.gdbinit",
            "**/.lldbinit",
            "**/nuget.config",
            "**/.condarc",
            "**/.gemrc",
            "**/rust-toolchain.toml",
            "**/rust-toolchain",
            "**/.mise.*.toml",
            "**/.mise",
            "**/.config/mise",
            "**/.config/mise.toml",
            "**/.rtx.toml",
            "**/.pnpmfile.mjs",
            "**/pnpmfile.js",
            "**/.bazelversion",
            "**/.sdkmanrc",
            "**/.terraformrc",
            "**/terraform.rc",
            "**/.buckconfig",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_runs_is_told_by_how_its_names_begin() {
        for (kind, patterns) in [HOME, SYSTEM, ANYWHERE].into_iter().flatten() {
            for pattern in *patterns {
                let path = format!("/w/{}", pattern.replace("**/", "").replace('*', "x"));
                let is_run = matches!(kind, Protected::ProjectHook | Protected::GitInternals);
                let looked_up = matches!(
                    Protected::of(&path, None),
                    Some(Protected::ProjectHook | Protected::GitInternals)
                );
                assert_eq!(Protected::is_run_by_git(&path, None), looked_up, "{path}");
                assert!(!is_run || looked_up, "{path}");
                let upper = path.to_uppercase();
                assert_eq!(Protected::is_run_by_git(&upper, None), looked_up, "{upper}");
            }
        }
        assert!(Protected::is_run_by_git("/w/.git/config", None));
        assert!(!Protected::is_run_by_git("/w/src/config", None));
    }
}
