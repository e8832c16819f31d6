//! How a Node module is linked differs by system.

fn main() {
    napi_build::setup();
}
