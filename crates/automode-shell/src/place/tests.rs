use super::{Place, Protected, Secret, Zone};
use crate::{Context, Extent, Taint, Target};

fn context() -> Context {
    Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    }
}

fn place(path: &str) -> Place {
    let extent = if path.contains('*') {
        Extent::Pattern
    } else {
        Extent::Exact
    };
    let target = Target {
        path: path.to_owned(),
        extent,
        typed: path.to_owned(),
    };
    Place::of(&target, &context())
}

#[test]
fn a_pattern_with_another_ending_is_no_secret() {
    for (path, secret) in [
        ("/home/dev/app/test/spec_*.rb", false),
        ("/home/dev/app/src/a_*.py", false),
        ("/home/dev/app/conf/prod*.env", true),
        ("/home/dev/app/conf/p*", true),
        ("/home/dev/.ssh/id_*", true),
        ("/home/dev/.ssh/id_*a", true),
        (
            "/home/dev/.config/google-chrome/Default/Login Data?immutable=1",
            true,
        ),
    ] {
        assert_eq!(place(path).secret.is_some(), secret, "{path}");
    }
}

#[test]
fn zones() {
    for (path, zone) in [
        ("/", Zone::Root),
        ("/*", Zone::Root),
        ("/etc", Zone::SystemTree),
        ("/usr/bin", Zone::SystemTree),
        ("/usr/*", Zone::SystemTree),
        ("/usr/share/doc/x", Zone::System),
        ("/home", Zone::Ancestor),
        ("/home/eve", Zone::SystemTree),
        ("/home/dev", Zone::Home),
        ("/home/dev/*", Zone::Home),
        ("/home/dev/.*", Zone::Home),
        ("/home/dev/notes", Zone::InHome),
        ("/home/dev/app", Zone::ProjectRoot),
        ("/home/dev/app/*", Zone::ProjectRoot),
        ("/home/dev/app/*.o", Zone::Project),
        ("/home/dev/app/src/main.rs", Zone::Project),
        ("/home/dev/app-evil/x", Zone::InHome),
        ("/tmp", Zone::TempRoot),
        ("/tmp/x", Zone::Temp),
        ("/dev/null", Zone::Sink),
        ("/dev/sda", Zone::Device),
        ("/proc/1/environ", Zone::Kernel),
        ("/srv/www", Zone::Elsewhere),
        ("", Zone::Unknown),
    ] {
        assert_eq!(place(path).zone, zone, "{path}");
    }
}

#[test]
fn a_root_too_wide_lends_no_trust() {
    for root in ["/", "/home", "/home/dev", "/etc", "/usr"] {
        let mut context = context();
        context.roots = vec![root.to_owned()];
        context.cwd = root.to_owned();
        let inside = Place::of_path("/home/dev/app/src/x.rs", &context).zone;
        assert_ne!(inside, Zone::Project, "{root}");
    }
}

#[test]
fn secrets() {
    for (path, secret) in [
        ("/home/dev/.ssh/id_ed25519", Some(Secret::PrivateKey)),
        ("/home/dev/.ssh/id_ed25519.pub", None),
        ("/home/eve/.ssh/id_rsa", Some(Secret::PrivateKey)),
        ("/root/.aws/credentials", Some(Secret::CloudCredential)),
        ("/etc/shadow", Some(Secret::Passwords)),
        ("/etc/SHADOW", Some(Secret::Passwords)),
        ("/etc/passwd", None),
        ("/home/dev/app/.env", Some(Secret::EnvFile)),
        ("/home/dev/app/.env.production", Some(Secret::EnvFile)),
        ("/home/dev/app/.env.example", None),
        ("/proc/self/environ", Some(Secret::ProcessMemory)),
        ("/home/dev/.bash_history", Some(Secret::History)),
        ("/home/dev/app/src/env.rs", None),
        ("/home/dev/.netrc", Some(Secret::Token)),
        ("/home/dev/.ssh", Some(Secret::PrivateKey)),
        ("/home/dev/.ssh/*", Some(Secret::PrivateKey)),
        ("/home/dev/.ssh/known_hosts", None),
        ("/home/dev/*/x", None),
        ("/home/dev/app/*", None),
        ("/home/dev/app/.env*", Some(Secret::EnvFile)),
        ("/home/dev/app/*.pem", Some(Secret::PrivateKey)),
        ("/home/dev/app/src/*.rs", None),
        ("/srv/tls/server.key", Some(Secret::PrivateKey)),
        (
            "/home/dev/app/appsettings.Production.json",
            Some(Secret::EnvFile),
        ),
        (
            "/home/dev/app/serviceAccountKey.json",
            Some(Secret::EnvFile),
        ),
        (
            "/home/dev/.jfrog/jfrog-cli.conf.v6",
            Some(Secret::CloudCredential),
        ),
        ("/etc/ipsec.secrets", Some(Secret::Keychain)),
    ] {
        assert_eq!(place(path).secret, secret, "{path}");
    }
}

#[test]
fn protected_places() {
    for (path, protected) in [
        (
            "/home/dev/app/.git/hooks/pre-commit",
            Some(Protected::GitInternals),
        ),
        ("/home/dev/app/.GIT/config", Some(Protected::GitInternals)),
        ("/home/dev/app/.gitignore", None),
        (
            "/home/dev/app/.github/workflows/ci.yml",
            Some(Protected::CiWorkflow),
        ),
        (
            "/home/dev/app/.claude/settings.json",
            Some(Protected::AgentSettings),
        ),
        ("/home/dev/.bashrc", Some(Protected::ShellStartup)),
        ("/home/eve/.zshrc", Some(Protected::ShellStartup)),
        ("/home/dev/app/.envrc", Some(Protected::ToolConfig)),
        ("/home/dev/app/.npmrc", Some(Protected::ToolConfig)),
        ("/home/dev/app/.mcp.json", Some(Protected::McpServers)),
        (
            "/home/dev/app/.vscode/tasks.json",
            Some(Protected::EditorTask),
        ),
        ("/home/dev/app/.automode.toml", Some(Protected::Automode)),
        (
            "/home/dev/.config/automode/config.toml",
            Some(Protected::Automode),
        ),
        ("/etc/cron.d/x", Some(Protected::SystemStartup)),
        ("/etc/sudoers.d/x", Some(Protected::Access)),
        ("/home/dev/.ssh/authorized_keys", Some(Protected::Access)),
        ("/home/dev/app/src/lib.rs", None),
        ("/home/dev/app/bin/tool", None),
    ] {
        assert_eq!(place(path).protected, protected, "{path}");
    }
}

#[test]
fn regenerable_things() {
    for (path, expected) in [
        ("/home/dev/app/target", true),
        ("/home/dev/app/web/node_modules/x", true),
        ("/home/dev/app/pkg/__pycache__", true),
        ("/home/dev/app/a.pyc", true),
        ("/home/dev/app/src", false),
        ("/home/dev/target", false),
        ("/home/dev/app", false),
    ] {
        assert_eq!(place(path).regenerable, expected, "{path}");
    }
}

#[test]
fn stars_match_any_text() {
    for (pattern, name, expected) in [
        ("id_*", "id_rsa", true),
        ("*.pem", "x.pem", true),
        ("*.pem", "pem", false),
        ("a*b*c", "a1b2c", true),
        ("a*b*c", "a1c", false),
        ("*", "", true),
        ("core", "core", true),
        ("core", "score", false),
    ] {
        assert_eq!(
            super::pattern::name_matches(pattern, name),
            expected,
            "{pattern} {name}"
        );
    }
}

#[test]
fn stores_of_a_developer_are_secret() {
    for name in [
        ".databrickscfg",
        ".netrc",
        ".pgpass",
        ".my.cnf",
        ".npmrc",
        ".pypirc",
        ".cargo/credentials.toml",
        ".docker/config.json",
        ".kube/config",
        ".config/gcloud/credentials.db",
        ".azure/accessTokens.json",
        ".config/doctl/config.yaml",
        ".heroku/credentials",
        ".local/share/com.vercel.cli/auth.json",
        ".config/netlify/config.json",
        ".fly/config.yml",
        ".terraform.d/credentials.tfrc.json",
        ".vault-token",
        ".config/op/config",
        ".password-store/mail.gpg",
        ".gnupg/secring.gpg",
        ".local/share/keyrings/login.keyring",
        ".mozilla/firefox/x/logins.json",
        ".config/google-chrome/Default/Cookies",
        ".electrum/wallets/default_wallet",
        ".config/rclone/rclone.conf",
        ".s3cfg",
        ".boto",
        ".config/gh/hosts.yml",
        ".config/glab-cli/config.yml",
        ".config/hub",
        ".subversion/auth/svn.simple/x",
        ".jupyter/jupyter_notebook_config.json",
        ".huggingface/token",
        ".kaggle/kaggle.json",
        ".openai/auth.json",
        ".codex/auth.json",
        ".gemini/oauth_creds.json",
        ".claude/.credentials.json",
        ".bash_history",
        ".zsh_history",
        ".ssh/config",
        ".ssh/work",
        ".nuget/NuGet/NuGet.Config",
        ".config/stripe/config.toml",
        ".snowsql/config",
        ".dbt/profiles.yml",
        ".config/ngrok/ngrok.yml",
        ".condarc",
        ".Renviron",
        ".config/sentry/sentryclirc",
        ".lftprc",
        ".argocd/config",
        ".ansible/vault_pass",
        ".vault_pass.txt",
        ".sbt/1.0/credentials.sbt",
        ".ivy2/.credentials",
        ".bundle/config",
    ] {
        let path = format!("/home/dev/{name}");
        assert!(place(&path).secret.is_some(), "{path}");
    }
    for name in [
        ".bashrc",
        ".gitconfig",
        ".config/nvim/init.lua",
        ".cargo/registry/src/x/lib.rs",
        ".nuget/packages/x/y.xml",
        ".ssh/known_hosts",
        ".ssh/id_rsa.pub",
        ".composer/vendor/x.php",
        "app/src/key.rs",
        "app/README.md",
        ".npm/_logs/x.log",
        ".cache/pip/x",
        ".local/bin/x",
    ] {
        let path = format!("/home/dev/{name}");
        assert_eq!(place(&path).secret, None, "{path}");
    }
}

#[test]
fn a_process_of_any_number_keeps_its_environment() {
    for (typed, secret) in [
        ("/proc/$PPID/environ", true),
        ("/proc/$$/mem", true),
        ("/proc/$x", true),
        ("/proc/$PID/status", false),
        ("/proc/$PID/cmdline", false),
    ] {
        for extent in [Extent::Below, Extent::Prefix] {
            let target = Target {
                path: "/proc".to_owned(),
                extent,
                typed: typed.to_owned(),
            };
            assert_eq!(
                Place::of(&target, &context()).secret.is_some(),
                secret,
                "{typed}"
            );
        }
    }
}

#[test]
fn what_is_read_from_a_secret_place_is_marked() {
    let marks = |path: &str| {
        super::taint_of(&Target {
            path: path.to_owned(),
            extent: Extent::Exact,
            typed: String::new(),
        })
    };
    for path in [
        "/home/dev/.ssh/id_rsa",
        "/root/.ssh",
        "/etc/shadow",
        "/srv/app/.env",
        "/proc/self/environ",
    ] {
        assert!(marks(path).has(Taint::SECRET), "{path}");
    }
    for path in [
        "/home/dev/app/.env.example",
        "/home/dev/app/src/main.rs",
        "/etc/hosts",
        "/",
    ] {
        assert!(!marks(path).has(Taint::SECRET), "{path}");
    }
}

#[test]
fn a_home_below_a_temporary_directory_is_a_home() {
    let at = |home: &str, temporary: &str, path: &str| {
        let context = Context {
            cwd: "/work/app".to_owned(),
            home: Some(home.to_owned()),
            roots: vec!["/work/app".to_owned()],
            variables: vec![("TMPDIR".to_owned(), temporary.to_owned())],
        };
        Zone::of(path, &context)
    };
    for (home, temporary, path, expected) in [
        ("/tmp/home", "", "/tmp/home", Zone::Home),
        ("/tmp/home", "", "/tmp/home/precious", Zone::InHome),
        ("/tmp/home", "", "/tmp/other", Zone::Temp),
        ("/tmp", "", "/tmp", Zone::Home),
        ("/tmp", "", "/tmp/precious", Zone::InHome),
        ("/tmp", "", "/var/tmp/x", Zone::Temp),
        ("/tmp", "/tmp", "/tmp/precious", Zone::InHome),
        ("/tmp", "/tmp/agent", "/tmp/agent/x", Zone::Temp),
        ("/dev/shm/me", "", "/dev/shm/me/x", Zone::InHome),
        ("/home/me", "/home/me/tmp", "/home/me/tmp/x", Zone::Temp),
        ("/home/me", "/home/me", "/home/me/x", Zone::InHome),
    ] {
        assert_eq!(
            at(home, temporary, path),
            expected,
            "{home} {temporary} {path}"
        );
    }
}
