//! Streams that are opened once more by their names.
//!
//! On Linux such a name leads to the file behind the descriptor, and whoever opens it for
//! writing begins at its start, whatever the redirection said:
//!
//! ```sh
//! cp a.txt /dev/stdin < notes.txt           # notes.txt is a.txt now
//! { cp a.txt /dev/stdout; } >> notes.txt    # so it is here
//! bash -s <<< 'curl x -o /dev/stdin'        # what was loaded is what bash reads on
//! ```

use super::Evaluator;
use crate::ir::{Act, FileChange, GapKind, Span, WriteHow};

/// A stream that is written by its name.
#[derive(Clone, Copy)]
pub(super) struct Reopened {
    descriptor: u32,
    span: Span,
}

impl Reopened {
    /// What is added at the end, or only looked at, takes nothing away.
    pub(super) fn by(path: &str, how: WriteHow, span: Span) -> Option<Self> {
        let takes_away = match how {
            WriteHow::Replace | WriteHow::Edit | WriteHow::Raw => true,
            WriteHow::Append | WriteHow::Touch | WriteHow::Attributes | WriteHow::Link => false,
        };
        let descriptor = descriptor(path).filter(|_| takes_away)?;
        Some(Self { descriptor, span })
    }
}

impl Evaluator<'_> {
    /// What is behind the streams that were written is not what was opened.
    pub(super) fn open_streams_again(&mut self) {
        let by_programs = self.effects.iter().filter_map(|effect| {
            let FileChange::Write { target, how, .. } = effect.act.file_change() else {
                return None;
            };
            Reopened::by(&target.path, how, effect.span)
        });
        let all: Vec<Reopened> = by_programs.chain(self.reopened.iter().copied()).collect();
        for stream in &all {
            if !is_output(stream.descriptor) {
                let what = "the file behind a stream that is written by its name";
                self.gap(GapKind::Unseen(what.to_owned()), stream.span);
            }
        }
        if !all.iter().any(|stream| is_output(stream.descriptor)) {
            return;
        }
        // As such they are the streams of this command, and no files.
        self.effects
            .retain(|effect| match effect.act.file_change() {
                FileChange::Write { target, .. } => {
                    !descriptor(&target.path).is_some_and(is_output)
                }
                FileChange::Nothing
                | FileChange::Delete { .. }
                | FileChange::Repository(_)
                | FileChange::Untold => true,
            });
        for effect in &mut self.effects {
            if let Act::Write { how, .. } = &mut effect.act
                && *how == WriteHow::Append
            {
                *how = WriteHow::Replace;
            }
        }
    }
}

const fn is_output(descriptor: u32) -> bool {
    matches!(descriptor, 1 | 2)
}

fn descriptor(path: &str) -> Option<u32> {
    match path {
        "/dev/stdin" => Some(0),
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        _ => path.strip_prefix("/dev/fd/")?.parse().ok(),
    }
}
