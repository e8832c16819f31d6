//! The lines of the log behind a given one.
//!
//! A place in the files is remembered, so that a long log is not read again; it is
//! believed only where the line before it is the right one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use automode::audit::chain::{self, GENESIS};
use serde::{Deserialize, Serialize};

/// Where a line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPlace {
    pub inode: u64,
    pub offset: u64,
}

/// Lines, one after the other, over all files.
pub struct LogLines {
    files: std::vec::IntoIter<PathBuf>,
    current: Option<(BufReader<File>, LogPlace)>,
    /// Whether the line they should stand behind was found.
    pub found: bool,
}

/// How much of a line's end holds its digest.
const LINKS: u64 = 400;

impl LogLines {
    /// The lines behind the one with this digest; all of them where there is none such.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn behind(files: Vec<PathBuf>, hash: &str, place: Option<&LogPlace>) -> io::Result<Self> {
        if hash != GENESIS {
            if let Some(place) = place
                && let Some(lines) = Self::at(&files, hash, place)?
            {
                return Ok(lines);
            }
            // The line may be in any file; the youngest is the likeliest.
            for (index, path) in files.iter().enumerate().rev() {
                let mut lines = Self::over(vec![path.clone()]);
                while let Some((line, place)) = lines.next()? {
                    if chain::link(&line).is_some_and(|link| link.hash == hash) {
                        let rest = files.get(index.saturating_add(1)..).unwrap_or_default();
                        let current = lines.current.map(|(reader, _)| (reader, place));
                        return Ok(Self {
                            files: Vec::from(rest).into_iter(),
                            current,
                            found: true,
                        });
                    }
                }
            }
        }
        let mut lines = Self::over(files);
        lines.found = hash == GENESIS;
        Ok(lines)
    }

    fn over(files: Vec<PathBuf>) -> Self {
        Self {
            files: files.into_iter(),
            current: None,
            found: false,
        }
    }

    /// At a remembered place, if the right line ends there.
    fn at(files: &[PathBuf], hash: &str, place: &LogPlace) -> io::Result<Option<Self>> {
        for (index, path) in files.iter().enumerate() {
            let Some(mut file) = open(path)? else {
                continue;
            };
            let about = file.metadata()?;
            if about.ino() != place.inode || about.len() < place.offset {
                continue;
            }
            let from = place.offset.saturating_sub(LINKS);
            file.seek(SeekFrom::Start(from))?;
            let mut end = Vec::new();
            (&mut file)
                .take(place.offset.saturating_sub(from))
                .read_to_end(&mut end)?;
            if !String::from_utf8_lossy(&end).ends_with(&format!("\"hash\":\"{hash}\"}}\n")) {
                continue;
            }
            file.seek(SeekFrom::Start(place.offset))?;
            let rest = files.get(index.saturating_add(1)..).unwrap_or_default();
            return Ok(Some(Self {
                files: Vec::from(rest).into_iter(),
                current: Some((BufReader::new(file), place.clone())),
                found: true,
            }));
        }
        Ok(None)
    }

    /// The next whole line, and where it ends.
    ///
    /// # Errors
    /// Where a file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot fail")]
    pub fn next(&mut self) -> io::Result<Option<(String, LogPlace)>> {
        loop {
            if let Some((reader, place)) = &mut self.current {
                let mut bytes = Vec::new();
                let read = reader.read_until(b'\n', &mut bytes)?;
                // What has no end yet is still being written.
                if read > 0 && bytes.ends_with(b"\n") {
                    place.offset = place.offset.saturating_add(read as u64);
                    let line = String::from_utf8_lossy(&bytes);
                    return Ok(Some((
                        line.trim_end_matches('\n').to_owned(),
                        place.clone(),
                    )));
                }
            }
            let Some(path) = self.files.next() else {
                return Ok(None);
            };
            self.current = match open(&path)? {
                Some(file) => {
                    let inode = file.metadata()?.ino();
                    Some((BufReader::new(file), LogPlace { inode, offset: 0 }))
                }
                None => None,
            };
        }
    }
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use automode::audit::chain::ChainLink;

    use super::*;
    use crate::sample;

    #[test]
    fn lines_go_on_behind_the_known_one() {
        let folder = tempfile::tempdir().unwrap();
        let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 9, "d");
        let hash = |at: usize| chain::link(lines[at].trim_end()).unwrap().hash;
        let files: Vec<PathBuf> = ["audit.5.jsonl", "audit.jsonl"]
            .map(|name| folder.path().join(name))
            .to_vec();
        std::fs::write(&files[0], lines[..5].concat()).unwrap();
        std::fs::write(&files[1], lines[5..].concat() + "half").unwrap();
        let count = |hash: &str, place: Option<&LogPlace>| {
            let mut found = LogLines::behind(files.clone(), hash, place).unwrap();
            let mut count = 0;
            let mut last = None;
            while let Some((_, place)) = found.next().unwrap() {
                count += 1;
                last = Some(place);
            }
            (count, found.found, last)
        };
        assert_eq!(count(GENESIS, None).0, 9);
        assert_eq!(
            (count(&hash(2), None).0, count(&hash(2), None).1),
            (6, true)
        );
        assert_eq!(count(&hash(6), None).0, 2);
        assert_eq!(
            (count("nowhere", None).0, count("nowhere", None).1),
            (9, false)
        );
        let end = count(&hash(6), None).2.unwrap();
        assert_eq!(count(&hash(8), Some(&end)).0, 0);
        // A place that no longer fits is not believed.
        assert_eq!(count(&hash(3), Some(&end)).0, 5);
    }
}
