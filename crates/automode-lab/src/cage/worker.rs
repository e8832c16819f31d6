//! The worker: builds its world once, then takes one case after the other.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;

use super::decider::Weighed;
use super::entry::{Privilege, again, read_setup};
use super::room::LAB;
use super::stay::{Departure, Stay, TRACE};
use super::{CageStep, CageTrial, Finished, RoomSetup, StepResult, WorkerOrder, ground, network};
use crate::canary::{Canaries, Reach};
use crate::harm::{Detector, Evidence};
use crate::sink::Sink;
use crate::trace;

/// The first process of the cage's namespaces.
struct Worker {
    privilege: Privilege,
    setup: RoomSetup,
    canaries: Canaries,
    detector: Detector,
    sink: Sink,
    decider: DecidingWorker,
    /// This worker's own process namespace, to come back to.
    home: File,
    rooms: u64,
}

/// Serves cases from standard input until it ends.
pub fn run(privilege: Privilege) -> Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let setup = read_setup()?;
    ground::clear(&setup)?;
    ground::devices(privilege)?;
    network::close_in()?;
    let canaries = Canaries::new(setup.seed);
    let sink = Sink::open(&canaries.mark())?;
    let inventory = ground::build(privilege, &canaries, sink.authority())?;
    let detector = Detector::new(&canaries, inventory);
    let home = File::open("/proc/self/ns/pid")?;
    let decider = DecidingWorker::start(privilege, &home)?;
    let mut worker = Worker {
        privilege,
        setup,
        canaries,
        detector,
        sink,
        decider,
        home,
        rooms: 0,
    };
    let mut out = io::stdout().lock();
    out.write_all(b"ready\n")?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let trial: CageTrial = serde_json::from_str(&line?).context("not a case")?;
        let finished = worker.take(&trial);
        serde_json::to_writer(&mut out, &finished)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

impl Worker {
    fn take(&mut self, trial: &CageTrial) -> Finished {
        self.attempt(trial).unwrap_or_else(|error| Finished {
            id: trial.id,
            fault: Some(format!("{error:#}")),
            ..Finished::default()
        })
    }

    fn attempt(&mut self, trial: &CageTrial) -> Result<Finished> {
        let mut finished = Finished {
            id: trial.id,
            ..Finished::default()
        };
        let mut ruling = None;
        if let (WorkerOrder::Check | WorkerOrder::Weigh, Some(step)) =
            (trial.order, trial.steps.first())
        {
            let began = Instant::now();
            let weighed = self.decider.ask(step)?;
            finished.decide_micros = micros(began.elapsed());
            finished.prediction = Some(weighed.prediction);
            let runs = weighed.ruling.allows() && trial.order == WorkerOrder::Check;
            ruling = Some(weighed.ruling);
            if !runs {
                finished.steps.push(StepResult {
                    ruling,
                    ran: false,
                    confined: false,
                    exit: None,
                    timed_out: false,
                });
                return Ok(finished);
            }
        }
        self.execute(trial, &mut finished)?;
        if let (Some(ruling), Some(first)) = (ruling, finished.steps.first_mut()) {
            first.ruling = Some(ruling);
        }
        Ok(finished)
    }

    fn execute(&mut self, trial: &CageTrial, finished: &mut Finished) -> Result<()> {
        self.rooms = self.rooms.saturating_add(1);
        let place = format!("{LAB}/room{}", self.rooms);
        for directory in ["root", "upper", "work"] {
            fs::create_dir_all(format!("{place}/{directory}"))?;
        }
        // What an earlier case sent too late is nobody's.
        self.sink.collect();
        let began = Instant::now();
        let departure = self.stay(trial, &place)?;
        finished.run_micros = micros(began.elapsed());
        let began = Instant::now();
        let output = fs::read(format!("{place}/output")).unwrap_or_default();
        let visits = self.sink.collect();
        let evidence = Evidence {
            upper: format!("{place}/upper"),
            output: &output,
            visits: &visits,
            companion_lives: departure.companion_lives,
        };
        let seen = self
            .detector
            .examine(&evidence, &|| self.reachable(&place))?;
        finished.harms = seen.harms;
        finished.changes = seen.changes;
        if trial.traced {
            let record = fs::read_to_string(format!("{place}/upper{TRACE}")).unwrap_or_default();
            finished.traced = trace::read(&record);
        }
        finished.reached = visits.iter().map(|visit| visit.shown()).collect();
        let head = output
            .get(..output.len().min(trial.keep_output.max(400)))
            .unwrap_or_default();
        finished.output = String::from_utf8_lossy(head).into_owned();
        finished.steps = departure.steps;
        finished.cpu_micros = departure.cpu_micros;
        fs::remove_dir_all(&place).with_context(|| format!("`{place}` could not be cleared"))?;
        finished.judge_micros = micros(began.elapsed());
        Ok(())
    }

    /// The objects of the case's repository that can still be reached.
    fn reachable(&self, place: &str) -> Result<BTreeSet<String>> {
        let mut child = first_process(&["inspect", self.privilege.name(), place], &self.home)?;
        drop(child.stdin.take());
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn stay(&mut self, trial: &CageTrial, place: &str) -> Result<Departure> {
        let stay = Stay {
            steps: trial.steps.clone(),
            order: trial.order,
            limits: self.setup.limits,
            token: self.canaries.token(Reach::Secret, "environment"),
            traced: trial.traced,
        };
        let mut child = first_process(&["room", self.privilege.name(), place], &self.home)?;
        if let Some(mut stdin) = child.stdin.take() {
            serde_json::to_writer(&mut stdin, &stay)?;
        }
        let output = child.wait_with_output()?;
        serde_json::from_slice(&output.stdout).context("the room said nothing")
    }
}

/// Starts this program as the first process of a new process namespace.
fn first_process(arguments: &[&str], home: &File) -> Result<Child> {
    unshare(CloneFlags::CLONE_NEWPID).context("no process namespace")?;
    let child = again(arguments).stderr(Stdio::inherit()).spawn();
    // Further children are this worker's own again.
    setns(home, CloneFlags::CLONE_NEWPID).context("the way back is closed")?;
    child.context("a room could not be opened")
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The room in which decisions are taken.
struct DecidingWorker {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl DecidingWorker {
    fn start(privilege: Privilege, home: &File) -> Result<Self> {
        let place = format!("{LAB}/decider");
        for directory in ["root", "upper", "work"] {
            fs::create_dir_all(format!("{place}/{directory}"))?;
        }
        let mut child = first_process(&["decide", privilege.name(), &place], home)?;
        let stdin = child.stdin.take().context("no way to ask")?;
        let stdout = child.stdout.take().context("no way to hear")?;
        Ok(Self {
            _child: child,
            stdin,
            stdout: BufReader::new(stdout),
        })
    }

    fn ask(&mut self, step: &CageStep) -> Result<Weighed> {
        serde_json::to_writer(&mut self.stdin, step)?;
        self.stdin.write_all(b"\n")?;
        self.stdin.flush()?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        serde_json::from_str(&line).context("the decider said nothing")
    }
}
