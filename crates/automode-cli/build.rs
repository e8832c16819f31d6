//! Links the binary at a fixed address where the linker knows how.
//!
//! The knowledge tables are constants full of addresses. A position-independent
//! binary has them written at every start, which costs more than a decision; a
//! hook process starts on every tool call.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
