//! What cannot be brought back.

mod cloud_storage;
mod local_data;
mod replaced;

pub use cloud_storage::{CLOUD_STORAGE, CloudStorage};
pub use local_data::{LOCAL_DATA, LocalData};
pub use replaced::replaced_queries;
