//! What other people run and use.

mod production_deploy;
mod shared_resource;

pub use production_deploy::ProductionDeploy;
pub use shared_resource::SharedResource;
