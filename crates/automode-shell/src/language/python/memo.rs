//! Calls that were walked before, in the same state.
//!
//! Methods that make objects of their own class, and operators that a class defines, call each
//! other in every order: walked anew each time, a few dozen of them take longer than anyone
//! waits. A call that left everything as it was does the same again while all of that still is
//! as it was then.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::arguments::CallArguments;
use super::state::{Heap, Names};
use super::value::{PyFunction, PyValue};
use super::{ArgumentSource, PyProgram};
use crate::Taint;

/// What is kept of the calls of one function.
const KEPT: usize = 24;

/// A function of the program that is running, and whether with given arguments.
pub(super) type RunningCall = (Rc<PyFunction>, ArgumentSource);

/// Calls that were walked, by the place of their function.
pub(super) type WalkedCalls = BTreeMap<usize, Vec<WalkedCall>>;

/// Everything that decides what the walk of a function finds.
#[derive(Clone)]
pub(super) struct CallState {
    given: CallArguments,
    arguments: ArgumentSource,
    site: usize,
    modules: Vec<Names>,
    heap: Heap,
    /// Functions inside which it was called. Of a call that was walked, only those are kept
    /// that it came back to: there it went no further.
    running: Vec<RunningCall>,
    loading: Option<String>,
    directory: Option<String>,
    seen: Taint,
    is_muted: bool,
    is_conditional: bool,
    searched: usize,
    starred: usize,
}

pub(super) struct WalkedCall {
    /// Held, so that no other function comes to lie in its place.
    _function: Rc<PyFunction>,
    state: CallState,
    result: PyValue,
}

impl PyProgram<'_, '_> {
    /// What a call starts from; nothing for a function that shares names with another one.
    pub(super) fn call_state(
        &self,
        function: &PyFunction,
        given: &CallArguments,
        arguments: ArgumentSource,
        site: usize,
    ) -> Option<CallState> {
        function.captured.is_empty().then(|| CallState {
            given: given.clone(),
            arguments,
            site,
            modules: self.state.modules.clone(),
            heap: self.state.heap.clone(),
            running: self.running.clone(),
            loading: self.reading.loading().map(str::to_owned),
            directory: self.reading.directory().map(str::to_owned),
            seen: self.reading.seen(),
            is_muted: self.reading.is_muted(),
            is_conditional: self.branch > 0,
            searched: self.search.len(),
            starred: self.stars.len(),
        })
    }

    /// What the same call gave before.
    pub(super) fn walked(&mut self, function: &Rc<PyFunction>, now: &CallState) -> Option<PyValue> {
        let calls = self.walked.get(&identity(function))?;
        let same = calls.iter().rev().find(|call| call.state.covers(now))?;
        self.returns.extend(same.state.running.iter().cloned());
        Some(same.result.clone())
    }

    /// Notes that a walk goes no further at a function that is running already.
    pub(super) fn comes_back(&mut self, function: &Rc<PyFunction>) {
        let running = self.running.iter();
        let same = running.filter(|call| Rc::ptr_eq(&call.0, function));
        self.returns.extend(same.cloned());
    }

    /// The running functions that a walk came back to since it began.
    fn came_back_to(&mut self, began: usize) -> Vec<RunningCall> {
        let mut found: Vec<RunningCall> = Vec::new();
        for call in self.returns.drain(began.min(self.returns.len())..) {
            let is_running = self.running.iter().any(|outer| is_same_call(outer, &call));
            if is_running && !found.iter().any(|known| is_same_call(known, &call)) {
                found.push(call);
            }
        }
        // Whoever called it came back to them as well.
        self.returns.extend(found.iter().cloned());
        found
    }

    /// Keeps a call that changed nothing which was there before it.
    pub(super) fn keep_walked(
        &mut self,
        function: &Rc<PyFunction>,
        mut before: CallState,
        began: usize,
        result: &PyValue,
    ) {
        before.running = self.came_back_to(began);
        let unchanged = before.modules.len() == self.state.modules.len()
            && are_same(&before.modules, &self.state.modules)
            && self.state.heap.holds(&before.heap)
            && before.directory.as_deref() == self.reading.directory()
            // What is sent later carries the marks of what was read before.
            && before.seen == self.reading.seen()
            && before.searched == self.search.len()
            && before.starred == self.stars.len();
        if !unchanged {
            return;
        }
        // The next call has to find what this one could get at, and what it made.
        let heap = &self.state.heap;
        let mut reach = self.globals.of(&self.state.modules, heap);
        reach.from(before.given.all().chain([result]), heap);
        before.heap = heap.only(&reach.objects);
        let calls = self.walked.entry(identity(function)).or_default();
        if calls.len() >= KEPT {
            calls.remove(0);
        }
        calls.push(WalkedCall {
            _function: Rc::clone(function),
            state: before,
            result: result.clone(),
        });
    }
}

impl CallState {
    /// Whether a walk from here found all that one from `now` would find.
    fn covers(&self, now: &Self) -> bool {
        self.site == now.site
            && self.arguments == now.arguments
            && (now.is_muted || !self.is_muted)
            && self.is_conditional == now.is_conditional
            && self.searched == now.searched
            && self.starred == now.starred
            && self.seen == now.seen
            && self.loading == now.loading
            && self.directory == now.directory
            && self.modules.len() == now.modules.len()
            && self.running.iter().all(|outer| {
                let mut running = now.running.iter();
                running.any(|other| is_same_call(outer, other))
            })
            && same_arguments(&self.given, &now.given)
            && are_same(&self.modules, &now.modules)
            && now.heap.holds(&self.heap)
    }
}

fn is_same_call(one: &RunningCall, other: &RunningCall) -> bool {
    Rc::ptr_eq(&one.0, &other.0) && one.1 == other.1
}

fn identity(function: &Rc<PyFunction>) -> usize {
    Rc::as_ptr(function).cast::<()>() as usize
}

fn are_same(some: &[Names], others: &[Names]) -> bool {
    some.iter().zip(others).all(|(one, other)| one.is(other))
}

fn same_arguments(some: &CallArguments, others: &CallArguments) -> bool {
    let all = |arguments: &CallArguments| -> Vec<(Option<String>, PyValue)> {
        let plain = arguments
            .positional
            .iter()
            .map(|value| (None, value.clone()));
        let named = arguments.keywords.iter();
        let named = named.map(|(name, value)| (Some(name.clone()), value.clone()));
        plain.chain(named).collect()
    };
    let (mine, theirs) = (all(some), all(others));
    let more = match (&some.more, &others.more) {
        (Some(one), Some(other)) => one.is_identical(other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    more && mine.len() == theirs.len()
        && mine
            .iter()
            .zip(&theirs)
            .all(|((name, value), (key, other))| name == key && value.is_identical(other))
}
