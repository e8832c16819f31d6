//! Places where secrets are kept.

use super::table::{PlaceRows, PlaceTable};

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Secret {
    /// Private keys and certificates with keys.
    PrivateKey,
    /// Password databases of the system.
    Passwords,
    /// Credentials of clouds, clusters and registries.
    CloudCredential,
    /// Tokens of developer tools.
    Token,
    /// `.env` and its kin.
    EnvFile,
    /// Keychains, password stores, browser profiles.
    Keychain,
    /// Memory and environment of processes.
    ProcessMemory,
    /// What was typed before.
    History,
    /// Keys of coding agents.
    AgentCredential,
}

impl Secret {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "a private key",
            Self::Passwords => "the password database",
            Self::CloudCredential => "cloud credentials",
            Self::Token => "an access token",
            Self::EnvFile => "an environment file",
            Self::Keychain => "a credential store",
            Self::ProcessMemory => "another process's memory",
            Self::History => "the shell history",
            Self::AgentCredential => "an agent's credentials",
        }
    }

    /// The secret kept at a path, judged by its name.
    #[must_use]
    pub fn of(path: &str, home: Option<&str>) -> Option<Self> {
        let last = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()?
            .to_lowercase();
        if HARMLESS.iter().any(|end| last.ends_with(end)) {
            return None;
        }
        TABLE.find(path, home)
    }
}

const TABLE: PlaceTable<Secret> = PlaceTable {
    home: HOME,
    system: SYSTEM,
    anywhere: ANYWHERE,
};

/// Whether a variable of this name usually holds a secret.
#[must_use]
pub fn is_secret_variable(name: &str) -> bool {
    let upper = name.to_uppercase();
    let words: Vec<&str> = upper.split('_').collect();
    let last = |word: &str| words.last() == Some(&word);
    let has = |word: &str| words.contains(&word);
    let ends = |end: &str| words.iter().any(|word| word.ends_with(end));
    let key = [
        "API",
        "ACCESS",
        "AUTH",
        "PRIVATE",
        "ENCRYPTION",
        "SIGNING",
        "MASTER",
        "SSH",
        "DEPLOY",
        "ROLE",
        "STRIPE",
        "OPENAI",
        "ANTHROPIC",
        "GEMINI",
        "SENDGRID",
    ];
    ends("SECRET")
        || has("SECRETS")
        || ends("PASSWORD")
        || ends("PASSWD")
        || has("PASSPHRASE")
        || has("CREDENTIALS")
        || has("APIKEY")
        || last("TOKEN")
        || last("PAT")
        || (last("PASS") && words.len() > 1)
        || (last("PWD") && words.len() > 1 && words.first() != Some(&"OLD"))
        || (last("KEY") && key.iter().any(|word| has(word)))
}

/// Endings that make a file a sample or a public half.
const HARMLESS: &[&str] = &[
    ".pub",
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".tpl",
    ".tmpl",
    "known_hosts",
    "known_hosts.old",
];

/// Below a home directory.
const HOME: PlaceRows<Secret> = &[
    (
        Secret::PrivateKey,
        &[
            ".ssh$",
            ".ssh/id_*",
            ".ssh/*.pem",
            ".ssh/*.key",
            ".ssh/identity",
            ".ssh/*_rsa",
            ".ssh/*_ed25519",
            ".ssh/*_ecdsa",
            ".gnupg",
            ".minisign",
            ".config/sops/age",
            ".age",
        ],
    ),
    (
        Secret::CloudCredential,
        &[
            ".aws$",
            ".aws/credentials",
            ".aws/config",
            ".aws/sso",
            ".aws/cli/cache",
            ".azure",
            ".config/gcloud",
            ".boto",
            ".s3cfg",
            ".kube$",
            ".kube/config",
            ".kube/cache",
            ".docker/config.json",
            ".config/doctl",
            ".oci",
            ".aliyun",
            ".config/rclone",
            ".terraform.d/credentials.tfrc.json",
            ".terraformrc",
            ".config/linode-cli",
            ".fly/config.yml",
            ".config/heroku",
            ".vault-token",
            ".config/helm/registry",
            ".cloudflared",
            ".wrangler/config",
            ".config/.wrangler",
            ".pulumi/credentials.json",
            ".mc/config.json",
        ],
    ),
    (
        Secret::Token,
        &[
            ".netrc",
            "_netrc",
            ".npmrc",
            ".yarnrc.yml",
            ".pypirc",
            ".git-credentials",
            ".config/git/credentials",
            ".config/gh/hosts.yml",
            ".config/glab-cli",
            ".config/hub",
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".nuget/nuget.config",
            ".m2/settings.xml",
            ".gradle/gradle.properties",
            ".composer/auth.json",
            ".config/composer/auth.json",
            ".pgpass",
            ".my.cnf",
            ".mylogin.cnf",
            ".dbshell",
            ".config/hcloud",
            ".huggingface/token",
            ".cache/huggingface/token",
            ".kaggle/kaggle.json",
            ".twine",
            ".hex/hex.config",
            ".config/op",
            ".circleci/cli.yml",
            ".travis/config.yml",
            ".sentryclirc",
            ".slack",
            ".config/slack",
        ],
    ),
    (
        Secret::Keychain,
        &[
            ".password-store",
            "library/keychains",
            ".local/share/keyrings",
            ".gnome2/keyrings",
            ".kde/share/apps/kwallet",
            ".local/share/kwalletd",
            ".mozilla",
            ".config/google-chrome*",
            ".config/chromium",
            ".config/bravesoftware",
            ".config/microsoft-edge",
            ".thunderbird",
            "library/application support/google/chrome",
            "library/application support/firefox",
            "library/safari",
            "library/cookies",
            "library/application support/bravesoftware",
            ".bitcoin",
            ".ethereum",
            ".electrum",
            ".config/1password",
            ".config/bitwarden*",
            ".config/keepassxc",
            "snap/firefox",
            "snap/chromium",
        ],
    ),
    (
        Secret::History,
        &[
            ".bash_history",
            ".zsh_history",
            ".zhistory",
            ".histfile",
            ".sh_history",
            ".python_history",
            ".node_repl_history",
            ".psql_history",
            ".mysql_history",
            ".sqlite_history",
            ".rediscli_history",
            ".local/share/fish/fish_history",
            ".viminfo",
            ".lesshst",
        ],
    ),
    (
        Secret::AgentCredential,
        &[
            ".claude/.credentials.json",
            ".claude.json",
            ".codex/auth.json",
            ".gemini/oauth_creds.json",
            ".gemini/.env",
            ".qwen/oauth_creds.json",
            ".config/github-copilot",
            ".copilot/config.json",
            ".local/share/opencode/auth.json",
            ".config/anthropic",
            ".config/openai",
            ".aider.conf.yml",
        ],
    ),
];

/// By absolute path.
const SYSTEM: PlaceRows<Secret> = &[
    (
        Secret::Passwords,
        &[
            "etc/shadow*",
            "etc/gshadow*",
            "etc/master.passwd",
            "etc/security/passwd",
            "etc/security/opasswd",
            "etc/sudoers*",
            "var/db/dslocal",
            "private/etc/master.passwd",
            "etc/krb5.keytab",
            "var/lib/sss",
            "var/lib/samba/private",
            "etc/sssd",
            "etc/openvpn",
            "etc/wireguard",
            "etc/networkmanager/system-connections",
            "etc/pam.d/*secret*",
            "etc/ppp/chap-secrets",
            "var/backups/shadow*",
            "var/backups/gshadow*",
        ],
    ),
    (
        Secret::PrivateKey,
        &[
            "etc/ssl/private",
            "etc/ssh/ssh_host_*_key",
            "etc/pki/tls/private",
            "etc/letsencrypt/live",
            "etc/letsencrypt/archive",
            "etc/letsencrypt/keys",
            "etc/kubernetes/pki",
            "var/lib/kubelet/pki",
        ],
    ),
    (
        Secret::CloudCredential,
        &[
            "etc/kubernetes/admin.conf",
            "etc/rancher/k3s/k3s.yaml",
            "var/run/secrets",
            "run/secrets",
            "etc/boto.cfg",
            "var/lib/cloud/instance/user-data.txt*",
        ],
    ),
    (
        Secret::Keychain,
        &[
            "library/keychains",
            "var/lib/lastpass",
            "etc/docker/key.json",
        ],
    ),
    (
        Secret::ProcessMemory,
        &[
            "proc/*/environ",
            "proc/*/mem",
            "proc/*/maps",
            "proc/kcore",
            "dev/mem",
            "dev/kmem",
            "dev/port",
        ],
    ),
];

/// By name, wherever they lie.
const ANYWHERE: PlaceRows<Secret> = &[
    (
        Secret::EnvFile,
        &[
            "**/.env",
            "**/.env.*",
            "**/*.env",
            "**/.envrc.local",
            "**/.flaskenv",
            "**/.dev.vars",
            "**/secrets.yml",
            "**/secrets.yaml",
            "**/secrets.json",
            "**/secrets.toml",
            "**/credentials.json",
            "**/credentials.yml",
            "**/service-account*.json",
            "**/.htpasswd",
            "**/wp-config.php",
            "**/master.key",
            "**/*.tfstate",
        ],
    ),
    (
        Secret::PrivateKey,
        &[
            "**/id_rsa",
            "**/id_dsa",
            "**/id_ecdsa",
            "**/id_ed25519",
            "**/*.ppk",
            "**/*.p12",
            "**/*.pfx",
            "**/*.jks",
            "**/*.keystore",
            "**/*.key",
            "**/*.pem",
        ],
    ),
    (
        Secret::Keychain,
        &[
            "**/*.kdbx",
            "**/*.keychain",
            "**/*.keychain-db",
            "**/login data",
            "**/logins.json",
            "**/key4.db",
            "**/wallet.dat",
            "**/cookies.sqlite",
        ],
    ),
    (
        Secret::Token,
        &[
            "**/.netrc",
            "**/.git-credentials",
            "**/.pypirc",
            "**/.pgpass",
        ],
    ),
];
