//! One conversation with a program: its input, its output, and its end.
//!
//! The program leads a process group of its own. Whatever comes of the
//! conversation, the whole group is ended with it: a shell that was told to stop
//! must not leave behind what it started.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{Patience, Trouble};

use crate::http::end_of;

/// How often whoever waits looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(10);

/// Writes the input, reads the output to its end, and ends the program.
///
/// # Errors
/// It did not start, said too much or nothing in time, or failed.
pub(crate) fn run(
    mut command: Command,
    input: Vec<u8>,
    most: u64,
    patience: Patience<'_>,
) -> Result<Vec<u8>, Trouble> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut group = ProcessGroup::start(&mut command).map_err(|error| {
        let program = command.get_program().display();
        failed(&format!(
            "`{program}` did not start (hint: check the judge's `command`): {error}"
        ))
    })?;
    let output = converse(&mut group, input, most, patience)?;
    // A program that closed its output and goes on has said everything.
    let over = group.is_over();
    match group.end() {
        Ok(status) if over && !status.success() => Err(failed(&format!(
            "the judge's program ended with {status} (hint: run it yourself, with `automode judge test`)"
        ))),
        Ok(_) => Ok(output),
        Err(error) => Err(failed(&error.to_string())),
    }
}

/// Both directions at once, each in a thread of its own.
fn converse(
    group: &mut ProcessGroup,
    input: Vec<u8>,
    most: u64,
    patience: Patience<'_>,
) -> Result<Vec<u8>, Trouble> {
    let stdin = group.leader.stdin.take();
    let stdout = group.leader.stdout.take();
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(failed("it has no input and output"));
    };
    // A program may answer without reading everything: a broken pipe is no failure.
    thread::spawn(move || stdin.write_all(&input));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.take(most.saturating_add(1)).read_to_end(&mut output);
        // Nobody may be waiting any more.
        let _ = sender.send(read.map(|_| output));
    });
    let deadline = end_of(patience.timeout);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(TICK)) {
            Ok(Ok(output)) if output.len() as u64 > most => {
                return Err(failed("the output is too large"));
            }
            Ok(Ok(output)) => {
                group.settle(deadline);
                return Ok(output);
            }
            Ok(Err(error)) => return Err(failed(&error.to_string())),
            Err(RecvTimeoutError::Disconnected) => return Err(failed("no output")),
            Err(RecvTimeoutError::Timeout) if patience.cancel.is_cancelled() => {
                return Err(Trouble::new(Failure::Cancelled, "cancelled"));
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                return Err(Trouble::new(
                    Failure::Timeout,
                    "the judge's program said nothing in time (hint: a longer `deadline` under `[judge]`)",
                ));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn failed(why: &str) -> Trouble {
    Trouble::new(Failure::Unavailable, why)
}

/// A program with everything it starts; ended when it is dropped.
struct ProcessGroup {
    leader: Child,
    ended: bool,
}

impl ProcessGroup {
    fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self {
            leader: command.spawn()?,
            ended: false,
        })
    }

    /// Gives a program that closed its output the time to say how it ended.
    fn settle(&mut self, deadline: Instant) {
        while !self.is_over() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Whether the leader has ended. It is not reaped, so that its number stays the group's.
    #[cfg(unix)]
    fn is_over(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let leader = rustix::process::Pid::from_child(&self.leader);
        // Who cannot be waited for is gone.
        waitid(WaitId::Pid(leader), options).map_or(true, |status| status.is_some())
    }

    #[cfg(not(unix))]
    fn is_over(&mut self) -> bool {
        self.leader
            .try_wait()
            .map_or(true, |status| status.is_some())
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        #[cfg(unix)]
        if !self.ended {
            let group = rustix::process::Pid::from_child(&self.leader);
            // Nobody left to end is what is wanted.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        self.ended = true;
        let _ = self.leader.kill();
        self.leader.wait()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use automode_core::judge::Cancel;

    use super::*;

    fn shell(script: &str, millis: u64) -> Result<String, Trouble> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let patience = Patience {
            timeout: Duration::from_millis(millis),
            cancel: &Cancel::default(),
        };
        run(command, b"in".to_vec(), 100, patience)
            .map(|output| String::from_utf8_lossy(&output).into_owned())
    }

    /// Whether a process is there and not merely waiting to be reaped.
    fn is_alive(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
            .is_ok_and(|stat| !stat.contains(") Z "))
    }

    fn failure(script: &str, millis: u64) -> Failure {
        shell(script, millis).unwrap_err().failure
    }

    #[test]
    fn what_it_says_counts_if_it_ends_well() {
        assert_eq!(shell("cat", 9_000).unwrap(), "in");
        assert_eq!(shell("echo ok; exec >&-; sleep 60", 300).unwrap(), "ok\n");
        assert_eq!(failure("echo ok; exit 3", 9_000), Failure::Unavailable);
        assert_eq!(failure("echo ok; kill -9 $$", 9_000), Failure::Unavailable);
        assert_eq!(failure("yes", 9_000), Failure::Unavailable);
        assert_eq!(failure("sleep 60", 100), Failure::Timeout);
    }

    #[test]
    fn nothing_it_started_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let pid = directory.path().join("pid");
        let fork = format!("(sleep 60 & echo $! > {}; wait)", pid.display());
        for (script, millis) in [
            (format!("{fork} & {fork}; sleep 60"), 1_500),
            (format!("{fork} >&- & sleep 1; echo done"), 9_000),
        ] {
            let _ = shell(&script, millis);
            let pid = std::fs::read_to_string(&pid).unwrap();
            let start = Instant::now();
            while is_alive(&pid) && start.elapsed() < Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(5));
            }
            assert!(!is_alive(&pid), "{script}");
        }
    }
}
