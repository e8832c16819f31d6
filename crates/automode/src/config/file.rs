//! Reading one settings file.

use std::{
    fs::{self, File, Metadata},
    io::{ErrorKind, Read},
};

use super::{fault::Fault, places::Place};

/// The largest settings file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What the system tells of a file; `None` where there is none and none is needed.
pub(super) fn look(place: &Place) -> Result<Option<Metadata>, Fault> {
    let metadata = match fs::metadata(&place.path) {
        Ok(metadata) => metadata,
        // A file in the way of a directory means that there is no such file either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            if let Some(hint) = place.needed() {
                return Err(fault(place, "there is no such file".to_owned(), Some(hint)));
            }
            return Ok(None);
        }
        Err(error) => return Err(fault(place, format!("cannot be read: {error}"), None)),
    };
    // Opening a pipe would wait for a writer.
    if !metadata.is_file() {
        let hint = "put a settings file here, or remove it";
        return Err(fault(place, "is not a file".to_owned(), Some(hint)));
    }
    Ok(Some(metadata))
}

/// The text of a file that is there.
pub(super) fn read(place: &Place, metadata: &Metadata) -> Result<String, Fault> {
    let fault = |what: String, hint: Option<&str>| fault(place, what, hint);
    // Room for one more byte, so that the end shows at once.
    let room = metadata.len().min(MAX_BYTES).saturating_add(32);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    File::open(&place.path)
        .and_then(|file| {
            file.take(MAX_BYTES.saturating_add(1))
                .read_to_end(&mut bytes)
        })
        .map_err(|error| fault(format!("cannot be read: {error}"), None))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fault(format!("is larger than {MAX_BYTES} bytes"), None));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| fault("is not valid UTF-8".to_owned(), None))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn fault(place: &Place, what: String, hint: Option<&str>) -> Fault {
    Fault {
        file: place.path.display().to_string(),
        line: 0,
        what,
        hint: hint.map(str::to_owned),
    }
}
