//! Code that nobody has looked at.

mod downloaded_code;
mod open_backdoor;
mod remote_shell_write;
mod unreviewed_patch;

pub use downloaded_code::DownloadedCode;
pub use open_backdoor::OpenBackdoor;
pub use remote_shell_write::RemoteShellWrite;
pub use unreviewed_patch::UnreviewedPatch;
