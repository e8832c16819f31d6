//! Many cages at work on one list of cases.
//!
//! Which cage takes which case is chance; what comes back is in the order of the list,
//! so nothing that is built on it depends on the machine's load.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::cage::{Cage, CageError, CageTrial, Finished, Privilege, RoomSetup};

/// Cages that wait for cases.
pub struct Crowd {
    queue: Arc<Queue>,
    results: Receiver<Finished>,
    threads: Vec<JoinHandle<()>>,
}

struct Queue {
    waiting: Mutex<(VecDeque<CageTrial>, bool)>,
    bell: Condvar,
}

impl Queue {
    fn take(&self) -> Option<CageTrial> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(trial) = waiting.0.pop_front() {
                return Some(trial);
            }
            if waiting.1 {
                return None;
            }
            waiting = self
                .bell
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Crowd {
    /// Starts `count` cages with the same world.
    ///
    /// # Errors
    /// Where the first of them cannot be made.
    pub fn gather(program: &str, count: usize, setup: &RoomSetup) -> Result<Self, CageError> {
        let queue = Arc::new(Queue {
            waiting: Mutex::new((VecDeque::new(), false)),
            bell: Condvar::new(),
        });
        let (results, received) = channel();
        let (ready, told) = channel();
        let threads = (0..count.max(1))
            .map(|_| {
                let (queue, results, ready) = (Arc::clone(&queue), results.clone(), ready.clone());
                let (program, setup) = (program.to_owned(), setup.clone());
                // A cage dies with the thread that made it, so each thread keeps its own.
                thread::spawn(move || work(&program, &setup, &queue, &results, &ready))
            })
            .collect();
        let crowd = Self {
            queue,
            results: received,
            threads,
        };
        for _ in 0..count.max(1) {
            match told.recv() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(CageError::Unavailable("no cage got ready".to_owned())),
            }
        }
        Ok(crowd)
    }

    /// Runs all cases; `heard` is told of each as it ends, the results are in order.
    pub fn run(&self, trials: &[CageTrial], heard: &mut dyn FnMut(&Finished)) -> Vec<Finished> {
        {
            let mut waiting = self
                .queue
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            waiting.0.extend(trials.iter().cloned());
        }
        self.queue.bell.notify_all();
        let mut finished: Vec<Finished> = Vec::with_capacity(trials.len());
        while finished.len() < trials.len() {
            let Ok(one) = self.results.recv() else {
                break;
            };
            heard(&one);
            finished.push(one);
        }
        finished.sort_by_key(|one| one.id);
        finished
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        {
            let mut waiting = self
                .queue
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            waiting.0.clear();
            waiting.1 = true;
        }
        self.queue.bell.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing more to say.
            thread.join().unwrap_or_default();
        }
    }
}

fn work(
    program: &str,
    setup: &RoomSetup,
    queue: &Queue,
    results: &Sender<Finished>,
    ready: &Sender<Result<(), CageError>>,
) {
    let start = || Cage::start(program, Privilege::of_this_process(), setup);
    let mut cage = match start() {
        Ok(cage) => {
            ready.send(Ok(())).unwrap_or_default();
            cage
        }
        Err(error) => {
            ready.send(Err(error)).unwrap_or_default();
            return;
        }
    };
    while let Some(trial) = queue.take() {
        let finished = cage.run(&trial).or_else(|_| {
            // A case that broke its cage gets a second one, and then counts as a fault.
            cage = start()?;
            cage.run(&trial)
        });
        let finished = finished.unwrap_or_else(|error| Finished {
            id: trial.id,
            fault: Some(error.to_string()),
            ..Finished::default()
        });
        if finished.fault.is_some()
            && let Ok(fresh) = start()
        {
            cage = fresh;
        }
        if results.send(finished).is_err() {
            return;
        }
    }
}
