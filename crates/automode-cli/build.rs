//! Links the binary without a loader, at a fixed address, where the linker knows how.
//!
//! A hook process starts on every tool call. Shared libraries cost it a third of a bare
//! start, and the knowledge tables are constants full of addresses: a position-independent
//! binary has them written at every start, which costs more than a decision. Where the
//! static C library is not installed, the binary takes the shared one.
//!
//! The functions that a hook runs lie together, so that a start brings in a few long
//! pieces of the program instead of many short ones. `hot-functions.txt` lists patterns of
//! their names in the object files: one that finds nothing changes nothing.
//! `bench/layout.py` makes the list anew.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the standard library asks the linker for, and the archives that answer for it.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("c", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("gcc_s", &["libgcc_eh.a", "libgcc.a", "libc.a"]),
    ("m", &["libm.a"]),
    ("dl", &["libdl.a"]),
    ("pthread", &["libpthread.a"]),
    ("rt", &["librt.a"]),
    ("util", &["libutil.a"]),
];

/// The functions that a hook runs, as patterns of their names, and members of C archives.
const FUNCTIONS: &str = "hot-functions.txt";
/// Functions that are the same code are there once.
const FOLDED: &str = "-Wl,--icf=all";
/// Runs the linker, whose arguments these are, and then copies what it made.
const ANEW: &str = r#"#!/bin/sh
"$@" || exit
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && made=$2
    shift
done
dd if="$made" of="$made.anew" bs=1048576 2>/dev/null && chmod +x "$made.anew" && mv "$made.anew" "$made" || rm -f "$made.anew"
exit 0
"#;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FUNCTIONS}");
    println!("cargo::rerun-if-env-changed=AUTOMODE_SHARED_LIBC");
    println!("cargo::rerun-if-env-changed=AUTOMODE_LINK_MAP");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if let Some(map) = env::var_os("AUTOMODE_LINK_MAP") {
        println!("cargo::rustc-link-arg-bins=-Wl,-Map={}", map.display());
    }
    if is("PROFILE", "release") {
        let wanted = [together(), Some(vec![FOLDED.to_owned()]), anew()];
        for flags in wanted.into_iter().flatten() {
            if is_understood(&flags) {
                for flag in flags {
                    println!("cargo::rustc-link-arg-bins={flag}");
                }
            }
        }
    }
    // Where it was tried; one shared library left among the archives makes a binary that cannot start.
    let is_own_machine =
        env::var("TARGET") == env::var("HOST") && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    let is_wanted = env::var_os("AUTOMODE_SHARED_LIBC").is_none();
    if is_own_machine
        && is_wanted
        && let Some(folder) = archives()
    {
        println!("cargo::rustc-link-arg-bins=-static");
        // Without a loader nothing is written there at the start, and to close it costs time.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,norelro");
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
    }
}

/// The linker is told to lay the functions of a hook in front of all others.
fn together() -> Option<Vec<String>> {
    let mut sections = String::new();
    for name in fs::read_to_string(FUNCTIONS).ok()?.lines() {
        sections.push_str(&match name.split_once(':') {
            Some((archive, member)) => format!("*{archive}:{member}(.text .text.*)\n"),
            None => format!("*(.text.{name} .text.unlikely.{name})\n"),
        });
    }
    let script = format!("SECTIONS {{ .text.hook : {{\n{sections}}} }} INSERT BEFORE .text;\n");
    // Beside what is built: a target directory may outlive the clone.
    let path = PathBuf::from(env::var_os("OUT_DIR")?).join("together.ld");
    fs::write(&path, script).ok()?;
    Some(vec![format!("-Wl,-T,{}", path.display())])
}

/// What the linker made is written once more, in long pieces.
///
/// It writes through memory, and a file written so stays in the page cache in single pages:
/// every start maps and unmaps hundreds of them, which is a third of what a start costs.
fn anew() -> Option<Vec<String>> {
    let path = PathBuf::from(env::var_os("OUT_DIR")?).join("anew");
    fs::write(&path, ANEW).ok()?;
    let made = Command::new("chmod").arg("+x").arg(&path).status().ok()?;
    // The compiler splits what it is given here at commas.
    let path = path.to_str().filter(|path| !path.contains(','))?;
    made.success()
        .then(|| vec!["-wrapper".to_owned(), path.to_owned()])
}

/// Whether the linker in use knows the flags: not all of them do, and it is tried.
fn is_understood(flags: &[String]) -> bool {
    let tried = || {
        let folder = PathBuf::from(env::var_os("OUT_DIR")?);
        let source = folder.join("tried.rs");
        fs::write(&source, "fn main() {}\n").ok()?;
        let mut compiler = Command::new(env::var_os("RUSTC")?);
        for flag in env::var("CARGO_ENCODED_RUSTFLAGS").ok()?.split('\x1f') {
            compiler.args((!flag.is_empty()).then_some(flag));
        }
        if let Some(linker) = env::var_os("RUSTC_LINKER") {
            compiler
                .arg("-C")
                .arg(format!("linker={}", linker.display()));
        }
        for flag in flags {
            compiler.arg("-C").arg(format!("link-arg={flag}"));
        }
        let built = compiler
            .arg("-o")
            .arg(folder.join("tried"))
            .arg(source)
            .output();
        built.ok().map(|built| built.status.success())
    };
    tried().unwrap_or(false)
}

/// A folder in which the linker finds archives under the names of the shared libraries.
///
/// The target feature for this is of the whole build, and procedural macros cannot be built with it.
fn archives() -> Option<PathBuf> {
    let folder = Path::new(&env::var_os("OUT_DIR")?).join("archives");
    fs::create_dir_all(&folder).ok()?;
    for (name, archives) in LIBRARIES {
        let found: Option<Vec<String>> =
            archives.iter().map(|archive| installed(archive)).collect();
        let script = format!("GROUP ( {} )\n", found?.join(" "));
        fs::write(folder.join(format!("lib{name}.so")), script).ok()?;
    }
    Some(folder)
}

/// Where the C compiler keeps an archive; it answers with the bare name where it has none.
fn installed(archive: &str) -> Option<String> {
    let told = Command::new("cc")
        .arg(format!("-print-file-name={archive}"))
        .output()
        .ok()?;
    let path = String::from_utf8(told.stdout).ok()?.trim().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
