//! The packages that `packaging/build.sh` makes, built from this binary and installed.

use std::path::Path;
use std::process::{Command, Output};

use crate::home::Home;

#[test]
fn the_archive_is_installed_only_where_its_checksum_matches() {
    let home = Home::new();
    let packages = home.path("packages");
    let built = script(
        &home,
        "build.sh",
        &[
            "--binary",
            env!("CARGO_BIN_EXE_automode"),
            "--out",
            text(&packages),
        ],
    );
    assert!(built.status.success(), "{}", told(&built));

    let target = home.path("bin");
    let from = ["--from", text(&packages), "--to", text(&target)];
    let installed = script(&home, "install.sh", &from);
    assert!(installed.status.success(), "{}", told(&installed));
    let version = Command::new(target.join("automode"))
        .arg("--version")
        .output()
        .unwrap();
    assert!(
        told(&version).starts_with("automode "),
        "{}",
        told(&version)
    );

    for entry in std::fs::read_dir(&packages).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "sha256") {
            let sum = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, sum.replacen(|c: char| c.is_ascii_hexdigit(), "0", 8)).unwrap();
        }
    }
    std::fs::remove_file(target.join("automode")).unwrap();
    let refused = script(&home, "install.sh", &from);
    assert!(!refused.status.success(), "{}", told(&refused));
    assert!(!target.join("automode").exists(), "nothing is installed");
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
