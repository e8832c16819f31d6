//! Links the binary without a loader, at a fixed address, where the linker knows how.
//!
//! A hook process starts on every tool call. Shared libraries cost it a third of a bare
//! start, and the knowledge tables are constants full of addresses: a position-independent
//! binary has them written at every start, which costs more than a decision. Where the
//! static C library is not installed, the binary takes the shared one.
//!
//! The functions that a hook runs lie together, so that a start brings in a few long
//! pieces of the program instead of many short ones. `hot-functions.txt` lists them by
//! their names in the object files, which hold for one version of the compiler: a name
//! that is not found changes nothing. `bench/layout.py` makes the list anew.

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

/// The functions that a hook runs, as the object files name them.
const FUNCTIONS: &str = "hot-functions.txt";
/// Names that are not there need no word.
const QUIETLY: &str = "-Wl,--no-warn-symbol-ordering";

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
    if is("PROFILE", "release")
        && let Some(order) = order()
        && is_understood(&order)
    {
        println!("cargo::rustc-link-arg-bins={order}");
        println!("cargo::rustc-link-arg-bins={QUIETLY}");
        // Functions that are the same code are there once.
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
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

/// The list is copied beside what is built: a target directory may outlive the clone.
fn order() -> Option<String> {
    let copy = PathBuf::from(env::var_os("OUT_DIR")?).join(FUNCTIONS);
    fs::copy(FUNCTIONS, &copy).ok()?;
    Some(format!("-Wl,--symbol-ordering-file={}", copy.display()))
}

/// Whether the linker in use knows how: only one of them does, and it is tried.
fn is_understood(order: &str) -> bool {
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
        let link = ["-C".to_owned(), format!("link-args={order} {QUIETLY}")];
        let built = compiler
            .args(link)
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
