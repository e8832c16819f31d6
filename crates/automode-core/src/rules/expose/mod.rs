//! Doors into this machine.

mod local_service;

pub use local_service::LocalService;
