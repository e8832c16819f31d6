//! The program's own functions and classes, run with what they are given.

use super::arguments::CallArguments;
use super::attribute::find_member;
use super::method::{BaseCalls, base_calls};
use super::state::{Frame, Names};
use super::value::{Binding, FunctionBody, HeapObject, PyClass, PyFunction, PyValue, TextForm};
use super::{ArgumentSource, PyProgram};
use crate::{GapKind, Taint};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Calls of the program's own functions inside each other.
const CALLS: usize = 24;

impl PyProgram<'_, '_> {
    pub(super) fn invoke(
        &mut self,
        function: &Rc<PyFunction>,
        given: CallArguments,
        arguments: ArgumentSource,
        site: usize,
    ) -> PyValue {
        let nested = self
            .running
            .iter()
            .filter(|(other, _)| Rc::ptr_eq(other, function))
            .count();
        let widened = self.running.iter().any(|(other, arguments)| {
            Rc::ptr_eq(other, function) && *arguments == ArgumentSource::Any
        });
        if widened {
            // The body is being walked for every possible call already.
            self.comes_back(function);
            return PyValue::Data(self.given_taint(&given));
        }
        if self.running.len() >= CALLS {
            self.reading.gap(GapKind::Budget);
            return PyValue::Unknown(Taint::UNKNOWN);
        }
        if nested > 0 {
            self.comes_back(function);
        }
        let (given, arguments) = if nested > 0 && arguments == ArgumentSource::Given {
            self.recursive(given)
        } else {
            (given, arguments)
        };
        let before = self.call_state(function, &given, arguments, site);
        if let Some(result) = before.as_ref().and_then(|now| self.walked(function, now)) {
            return result;
        }
        let began = self.returns.len();
        self.running.push((Rc::clone(function), arguments));
        let outer = std::mem::replace(&mut self.module, function.module);
        let weak = std::mem::take(&mut self.weak);
        let receiver = given.positional.first().cloned();
        let frame = Frame {
            receiver,
            locals: Names::new(self.parameters(function, given, site)),
            captured: function.captured.clone(),
            ..Frame::default()
        };
        self.state.frames.push(frame);
        let result = match &function.body {
            FunctionBody::Block(body) => {
                self.block(body);
                None
            }
            FunctionBody::Expression(body) => Some(self.eval(body)),
        };
        let frame = self.state.frames.pop().unwrap_or_default();
        self.weak = weak;
        self.module = outer;
        self.running.pop();
        let result = match frame.yielded {
            Some(yielded) => self.list(site, Vec::new(), Some(yielded)),
            None => result.or(frame.returned).unwrap_or(PyValue::None),
        };
        if let Some(before) = before {
            self.keep_walked(function, before, began, &result);
        }
        result
    }

    /// A call of a function inside itself stands for all deeper ones.
    fn recursive(&mut self, given: CallArguments) -> (CallArguments, ArgumentSource) {
        let stand_in = |program: &Self, thing: &PyValue| match thing {
            PyValue::Heap(_) if !program.state.is_plain(thing) => thing.clone(),
            PyValue::Text(text) if text.form == TextForm::Path => {
                PyValue::Text(super::value::PyText {
                    pieces: vec![super::value::unknown_piece(text.taint())],
                    form: TextForm::Path,
                })
            }
            thing if program.state.is_plain(thing) => PyValue::Data(program.taint(thing)),
            thing => thing.clone(),
        };
        let given = CallArguments {
            positional: given
                .positional
                .iter()
                .map(|thing| stand_in(self, thing))
                .collect(),
            keywords: given
                .keywords
                .iter()
                .map(|(name, thing)| (name.clone(), stand_in(self, thing)))
                .collect(),
            more: given.more,
        };
        (given, ArgumentSource::Any)
    }

    pub(super) fn given_taint(&self, given: &CallArguments) -> Taint {
        given
            .all()
            .fold(Taint::NONE, |taint, thing| taint.with(self.taint(thing)))
    }

    fn parameters(
        &mut self,
        function: &PyFunction,
        given: CallArguments,
        site: usize,
    ) -> BTreeMap<String, PyValue> {
        let mut locals = BTreeMap::new();
        let mut positional = given.positional.into_iter();
        let parameters = &function.parameters;
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            let name = parameter.name().to_string();
            let keyword = given.keywords.iter().find(|(keyword, _)| *keyword == name);
            let value = positional
                .next()
                .or_else(|| keyword.map(|(_, value)| value.clone()))
                .or_else(|| given.more.clone())
                .or_else(|| function.defaults.get(&name).cloned());
            locals.insert(name, value.unwrap_or(PyValue::Data(Taint::UNKNOWN)));
        }
        for parameter in &parameters.kwonlyargs {
            let name = parameter.name().to_string();
            let keyword = given.keywords.iter().find(|(keyword, _)| *keyword == name);
            let value = keyword
                .map(|(_, value)| value.clone())
                .or_else(|| given.more.clone())
                .or_else(|| function.defaults.get(&name).cloned());
            locals.insert(name, value.unwrap_or(PyValue::Data(Taint::UNKNOWN)));
        }
        if let Some(parameter) = &parameters.vararg {
            let items: Vec<PyValue> = positional.collect();
            let list = self.list(site.saturating_add(1), items, given.more.clone());
            locals.insert(parameter.name.to_string(), list);
        }
        if let Some(parameter) = &parameters.kwarg {
            let entries = given
                .keywords
                .iter()
                .filter(|(name, _)| !locals.contains_key(name))
                .cloned()
                .collect();
            let dict = self.hold(
                site.saturating_add(2),
                HeapObject::Dict {
                    entries,
                    rest: given.more,
                },
            );
            locals.insert(parameter.name.to_string(), dict);
        }
        locals
    }

    pub(super) fn instantiate(
        &mut self,
        class: &Rc<PyClass>,
        given: CallArguments,
        site: usize,
    ) -> PyValue {
        let instance = self.hold(
            site.saturating_add(3),
            HeapObject::Instance {
                class: Rc::clone(class),
                fields: BTreeMap::new(),
            },
        );
        let calls = base_calls(class);
        match find_member(class, "__init__") {
            Some(PyValue::Function(init)) => {
                self.invoke(
                    &init,
                    given.behind(instance.clone()),
                    ArgumentSource::Given,
                    site,
                );
            }
            Some(_) | None => {
                self.escape_all(&given, Taint::UNKNOWN);
                let taint = self.given_taint(&given);
                // The fields of a data class are its arguments.
                if let PyValue::Heap(at) = &instance
                    && let Some(HeapObject::Instance { fields, .. }) = self.state.heap.get_mut(at)
                {
                    let names: Vec<String> = class.members.keys().cloned().collect();
                    for (name, value) in given.keywords {
                        fields.insert(name, value);
                    }
                    if !given.positional.is_empty() || given.more.is_some() {
                        for name in names {
                            fields.entry(name).or_insert(PyValue::Data(taint));
                        }
                    }
                }
            }
        }
        // Operators, `with` and frameworks call these by themselves.
        let implicit = move |name: &str| {
            let is_operator = name.starts_with("__");
            let is_followed = matches!(
                name,
                "__call__" | "__enter__" | "__exit__" | "__iter__" | "__next__" | "__getitem__"
            );
            name != "__init__"
                && match calls {
                    BaseCalls::Nothing => is_operator && !is_followed,
                    BaseCalls::Operators => is_operator || name == "keys",
                    BaseCalls::Anything => true,
                }
        };
        self.run_methods(class, &instance, implicit);
        instance
    }

    pub(super) fn run_methods(
        &mut self,
        class: &Rc<PyClass>,
        instance: &PyValue,
        wanted: impl Fn(&str) -> bool,
    ) {
        let methods: Vec<Rc<PyFunction>> = class
            .members
            .iter()
            .filter(|(name, _)| wanted(name))
            .filter_map(|(_, member)| member.as_function().cloned())
            .collect();
        for method in methods {
            let mut given = CallArguments::any(Taint::UNKNOWN);
            match method.binding {
                Binding::Instance | Binding::Property => given.positional.push(instance.clone()),
                Binding::Class => given.positional.push(PyValue::Class(Rc::clone(class))),
                Binding::Static => {}
            }
            self.invoke(&method, given, ArgumentSource::Any, 0);
        }
    }
}

/// `socket.AF_INET`, `logging.INFO`: named like a constant, so nobody calls it.
pub(super) fn is_constant(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    last.chars().any(|c| c.is_ascii_uppercase())
        && last
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}
