//! The packages that `packaging/build.sh` makes, built from this binary and installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::home::Home;

/// They are built once: a debug binary is large.
#[test]
fn every_package_is_checked_before_it_is_installed_and_runs() {
    let home = Home::new();
    let key = is_there("minisign").then(|| signing_key(&home));
    let packages = built(&home, key.as_ref());
    archive_is_installed_only_as_it_was_made(&home, &packages, key.as_ref());
    if is_there("dpkg-deb") {
        debian_package_runs(&home, &packages);
    } else {
        println!("skipped: the Debian package, for there is no dpkg-deb");
    }
    if is_there("npm") {
        npm_package_runs(&home, &packages);
    } else {
        println!("skipped: the npm package, for there is no npm");
    }
}

/// What minisign signs with, and what its signatures are held against.
struct SigningKey {
    secret: PathBuf,
    public: String,
}

fn signing_key(home: &Home) -> SigningKey {
    let (public, secret) = (home.path("key.pub"), home.path("key"));
    let made = Command::new("minisign")
        .args(["-G", "-W", "-p", text(&public), "-s", text(&secret)])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", told(&made));
    let public = std::fs::read_to_string(&public).unwrap();
    let public = public.lines().last().unwrap().to_owned();
    SigningKey { secret, public }
}

fn archive_is_installed_only_as_it_was_made(
    home: &Home,
    packages: &Path,
    key: Option<&SigningKey>,
) {
    let target = home.path("bin");
    let mut from = vec!["--from", text(packages), "--to", text(&target)];
    match key {
        Some(key) => from.extend(["--key", &key.public]),
        None => println!("skipped: signatures, for there is no minisign"),
    }
    let installed = script(home, "install.sh", &from);
    assert!(installed.status.success(), "{}", told(&installed));
    assert!(
        told(&version(&target.join("automode"))).starts_with("automode "),
        "it runs"
    );
    assert!(target.join("automode-server").is_file(), "for a team");
    let refuses = |ending: &str, complaint: &str| {
        std::fs::remove_file(target.join("automode")).unwrap_or_default();
        let whole = spoil(packages, ending);
        let refused = script(home, "install.sh", &from);
        assert!(
            !refused.status.success() && told(&refused).contains(complaint),
            "{}",
            told(&refused)
        );
        assert!(!target.join("automode").exists(), "nothing is installed");
        std::fs::write(&whole.0, whole.1).unwrap();
    };
    refuses("sha256", "the checksum of");
    if key.is_some() {
        refuses("minisig", "the signature of");
    }
}

fn debian_package_runs(home: &Home, packages: &Path) {
    let root = home.path("root");
    let package = with_ending(packages, "deb").remove(0);
    let unpacked = Command::new("dpkg-deb")
        .args(["-x", text(&package), text(&root)])
        .output()
        .unwrap();
    assert!(unpacked.status.success(), "{}", told(&unpacked));
    assert!(version(&root.join("usr/bin/automode")).status.success());
    for file in [
        "usr/bin/automode-server",
        "usr/share/man/man1/automode.1.gz",
        "usr/share/bash-completion/completions/automode",
        "usr/share/doc/automode/copyright",
    ] {
        assert!(root.join(file).is_file(), "{file}");
    }
}

fn npm_package_runs(home: &Home, packages: &Path) {
    let project = home.path("project");
    std::fs::create_dir_all(&project).unwrap();
    let archives = with_ending(&packages.join("npm"), "tgz");
    assert_eq!(archives.len(), 2, "{archives:?}");
    // The packages of other platforms are not published here.
    let installed = Command::new("npm")
        .args(["install", "--offline", "--omit=optional", "--no-audit"])
        .args(&archives)
        .current_dir(&project)
        .env("HOME", home.root.path())
        .output()
        .unwrap();
    assert!(installed.status.success(), "{}", told(&installed));
    let started = project.join("node_modules/.bin/automode");
    assert!(told(&version(&started)).starts_with("automode "));
    let denied = Command::new(&started)
        .args(["check", "rm -rf ~/"])
        .env("HOME", home.root.path())
        .current_dir(&project)
        .output()
        .unwrap();
    assert_eq!(denied.status.code(), Some(2), "{}", told(&denied));
}

#[test]
fn a_release_fills_every_place_in() {
    let home = Home::new();
    let folder = home.path("dist");
    std::fs::create_dir_all(&folder).unwrap();
    let arguments = [
        text(&folder),
        "https://example.com/automode",
        "v9.8.7",
        "RWkey",
    ];
    let short = script(&home, "release.sh", &arguments);
    assert!(!short.status.success(), "a platform is missing");
    for (number, platform) in [
        "darwin-arm64",
        "darwin-x86_64",
        "linux-aarch64",
        "linux-x86_64",
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.join(format!("automode-{platform}.tar.gz.sha256"));
        std::fs::write(file, format!("{number}abc  automode-{platform}.tar.gz\n")).unwrap();
    }
    let made = script(&home, "release.sh", &arguments);
    assert!(made.status.success(), "{}", told(&made));
    let formula = std::fs::read_to_string(folder.join("automode.rb")).unwrap();
    let installer = std::fs::read_to_string(folder.join("install.sh")).unwrap();
    for part in [
        "url \"https://example.com/automode/releases/download/v9.8.7/automode-linux-aarch64.tar.gz\"\n      sha256 \"2abc\"",
        "version \"9.8.7\"",
    ] {
        assert!(formula.contains(part), "{part}: {formula}");
    }
    assert!(installer.contains("from=\"https://example.com/automode/releases/download/v9.8.7\""));
    assert!(installer.contains("key=\"RWkey\""));
    for text in [&formula, &installer] {
        for place in [
            "@RELEASE_URL@",
            "@MINISIGN_KEY@",
            "@SHA256_",
            "@VERSION@",
            "@HOMEPAGE@",
        ] {
            assert!(!text.contains(place), "{place}: {text}");
        }
    }
    if is_there("ruby") {
        let read = Command::new("ruby")
            .arg("-c")
            .arg(folder.join("automode.rb"))
            .output()
            .unwrap();
        assert!(read.status.success(), "{}", told(&read));
    }
}

/// The packages, from the binary that is tested.
fn built(home: &Home, key: Option<&SigningKey>) -> PathBuf {
    let packages = home.path("packages");
    let binaries = home.path("binaries");
    std::fs::create_dir_all(&binaries).unwrap();
    let own = Path::new(env!("CARGO_BIN_EXE_automode"));
    std::fs::copy(own, binaries.join("automode")).unwrap();
    // The server's own tests start it; here it is enough that it lies in every package.
    std::fs::write(binaries.join("automode-server"), "#!/bin/sh\n").unwrap();
    let mut arguments = vec!["--binaries", text(&binaries), "--out", text(&packages)];
    if let Some(key) = key {
        arguments.extend(["--sign", text(&key.secret)]);
    }
    let built = script(home, "build.sh", &arguments);
    assert!(built.status.success(), "{}", told(&built));
    packages
}

/// Changes a letter in the file with this ending, and says what it was.
fn spoil(folder: &Path, ending: &str) -> (PathBuf, String) {
    let path = with_ending(folder, ending).remove(0);
    let text = std::fs::read_to_string(&path).unwrap();
    // The checksum is the first word; the signature is the second line, behind its algorithm.
    let at = match ending {
        "minisig" => text.find('\n').unwrap() + 20,
        _ => 0,
    };
    let other = if &text[at..=at] == "A" { "B" } else { "A" };
    std::fs::write(&path, format!("{}{other}{}", &text[..at], &text[at + 1..])).unwrap();
    (path, text)
}

fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect()
}

fn version(program: &Path) -> Output {
    Command::new(program).arg("--version").output().unwrap()
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn script(home: &Home, name: &str, arguments: &[&str]) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packaging")
        .join(name);
    Command::new("sh")
        .arg(path)
        .args(arguments)
        .env("HOME", home.root.path())
        // Size does not matter here, time does.
        .env("DEB_COMPRESSION", "none")
        .env("GZIP", "-1")
        .output()
        .unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn told(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}
