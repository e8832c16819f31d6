//! Expressions.

use std::rc::Rc;

use ruff_python_ast::{
    Comprehension, Expr, ExprAttribute, ExprCall, ExprLambda, ExprSubscript,
    InterpolatedStringElement, Number, Operator,
};

use super::super::known::PYTHON;
use super::Program;
use super::call::Given;
use super::state::{Scope, join_options};
use super::value::{Binding, Body, Form, Function, Held, Object, Text, Thing, unknown_piece};
use crate::{Dynamic, DynamicSource, GapKind, Piece, Taint};

/// Nested evaluations, calls of the program's functions included.
const DEPTH: usize = 160;

impl Program<'_, '_> {
    pub(super) fn eval(&mut self, expression: &Expr) -> Thing {
        if !self.step() {
            return Thing::Unknown(Taint::UNKNOWN);
        }
        if self.depth >= DEPTH {
            self.reading.gap(GapKind::Budget);
            return Thing::Unknown(Taint::UNKNOWN);
        }
        self.depth = self.depth.saturating_add(1);
        let value = self.evaluate(expression);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn evaluate(&mut self, expression: &Expr) -> Thing {
        match expression {
            Expr::Name(node) => self.lookup(&node.id),
            Expr::Attribute(node) => self.attribute_of(node),
            Expr::Call(node) => self.call(node),
            Expr::Subscript(node) => self.subscript(node),
            Expr::StringLiteral(node) => Thing::text(node.value.to_str()),
            Expr::BytesLiteral(node) => {
                let bytes: Vec<u8> = node.value.bytes().collect();
                match String::from_utf8(bytes) {
                    Ok(text) => Thing::text(text),
                    Err(_) => Thing::Data(Taint::NONE),
                }
            }
            Expr::FString(node) => self.interpolated(node.value.elements()),
            Expr::TString(node) => self.interpolated(node.value.elements()),
            Expr::NumberLiteral(node) => match &node.value {
                Number::Int(int) => Thing::Number(int.as_u64()),
                Number::Float(_) | Number::Complex { .. } => Thing::Number(None),
            },
            Expr::BooleanLiteral(_) => Thing::Number(None),
            Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => Thing::None,
            Expr::List(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Tuple(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Set(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Dict(node) => {
                let mut entries = std::collections::BTreeMap::new();
                let mut rest = None;
                for item in &node.items {
                    let value = self.eval(&item.value);
                    match item.key.as_ref().map(|key| self.eval(key)) {
                        Some(key) => match constant(&key) {
                            Some(key) => {
                                entries.insert(key, value);
                            }
                            None => rest = join_options(rest, Some(value)),
                        },
                        None => self.spread(&value, &mut entries, &mut rest),
                    }
                }
                self.hold(
                    usize::from(node.range.start()),
                    Held::Dict { entries, rest },
                )
            }
            Expr::BinOp(node) => {
                let left = self.eval(&node.left);
                let right = self.eval(&node.right);
                self.combine(node.op, &left, &right, usize::from(node.range.start()))
            }
            Expr::UnaryOp(node) => match self.eval(&node.operand) {
                Thing::Number(_) => Thing::Number(None),
                object @ Thing::Object(_) => object,
                other => Thing::Data(self.taint(&other)),
            },
            Expr::BoolOp(node) => node
                .values
                .iter()
                .map(|value| self.eval(value))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Expr::Compare(node) => {
                let left = self.eval(&node.left);
                let mut broad = is_broad(&left).then(|| left.clone());
                for value in &node.comparators {
                    let value = self.eval(value);
                    if is_broad(&value) {
                        broad = Some(value);
                    }
                }
                broad.unwrap_or(Thing::Number(None))
            }
            Expr::If(node) => {
                self.eval(&node.test);
                let body = self.eval(&node.body);
                let orelse = self.eval(&node.orelse);
                body.join(&orelse)
            }
            Expr::Named(node) => {
                let value = self.eval(&node.value);
                self.assign(&node.target, value.clone());
                value
            }
            Expr::Lambda(node) => self.lambda(node),
            Expr::ListComp(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::SetComp(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::Generator(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::DictComp(node) => self.dict_comprehension(node),
            Expr::Await(node) => self.eval(&node.value),
            Expr::Yield(node) => {
                let value = node
                    .value
                    .as_ref()
                    .map_or(Thing::None, |value| self.eval(value));
                self.yields(value)
            }
            Expr::YieldFrom(node) => {
                let over = self.eval(&node.value);
                let value = self.element(&over);
                self.yields(value)
            }
            Expr::Starred(node) => self.eval(&node.value),
            Expr::Slice(node) => {
                for part in [&node.lower, &node.upper, &node.step].into_iter().flatten() {
                    self.eval(part);
                }
                Thing::Number(None)
            }
            Expr::IpyEscapeCommand(_) => Thing::Unknown(Taint::UNKNOWN),
        }
    }

    fn yields(&mut self, value: Thing) -> Thing {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.yielded = join_options(frame.yielded.take(), Some(value));
        }
        Thing::Data(Taint::UNKNOWN)
    }

    // --- names ---

    pub(super) fn lookup(&mut self, name: &str) -> Thing {
        if let Some(frame) = self.state.frames.last() {
            if let Some(thing) = frame.locals.get(name) {
                // A local that is only set on some ways may still be the outer name on others.
                return thing.clone();
            }
            if let Some(captured) = frame.captured.get(name) {
                // The enclosing function may have given it another value since.
                return self
                    .state
                    .frames
                    .iter()
                    .rev()
                    .skip(1)
                    .filter(|frame| frame.scope == Scope::Function)
                    .filter_map(|frame| frame.locals.get(name))
                    .fold(captured.clone(), |value, other| value.join(other));
            }
        }
        if let Some(thing) = self
            .state
            .modules
            .get(self.module)
            .and_then(|names| names.get(name))
        {
            return thing.clone();
        }
        match name {
            "__name__" => return Thing::text("__main__"),
            "__file__" => {
                let file = self.files.get(self.module).cloned().flatten();
                return file.map_or(Thing::Data(Taint::NONE), Thing::text);
            }
            "__doc__" | "__builtins__" | "__spec__" => return Thing::Unknown(Taint::NONE),
            _ => {}
        }
        let starred = self
            .stars
            .iter()
            .map(|module| format!("{module}.{name}"))
            .find(|full| PYTHON.call(full).is_some() || PYTHON.call(&format!("@{full}")).is_some());
        match starred {
            Some(full) => self.library(&full),
            None if PYTHON.call(name).is_some() => Thing::name(name),
            None => Thing::Unknown(Taint::UNKNOWN),
        }
    }

    /// A member of a library: a value with a description, or just its name.
    pub(super) fn library(&mut self, full: &str) -> Thing {
        match PYTHON.call(&format!("@{full}")) {
            Some(behaviour) if !full.is_empty() => {
                self.perform(behaviour, None, &Given::default(), full, 0)
            }
            Some(_) | None => Thing::name(full),
        }
    }

    fn attribute_of(&mut self, node: &ExprAttribute) -> Thing {
        let receiver = self.eval(&node.value);
        let site = usize::from(node.range.start());
        let found: Vec<Thing> = receiver
            .ways()
            .to_vec()
            .iter()
            .map(|way| self.attribute(way, node.attr.as_str(), site))
            .collect();
        found
            .into_iter()
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Thing::None)
    }

    pub(super) fn attribute(&mut self, receiver: &Thing, name: &str, site: usize) -> Thing {
        let method = || Thing::Method(Rc::new(receiver.clone()), Rc::from(name));
        match receiver {
            Thing::Name(module) => {
                let full = format!("{module}.{name}");
                self.library(&full)
            }
            Thing::Module(at) => self
                .state
                .modules
                .get(*at)
                .and_then(|names| names.get(name))
                .cloned()
                .unwrap_or(Thing::Unknown(Taint::UNKNOWN)),
            Thing::Object(object) => self.object_attribute(receiver, object, name),
            Thing::Text(text) if text.form == Form::Path => {
                match PYTHON.method("path", &format!("@{name}")) {
                    Some(behaviour) if !PYTHON.is_broad("path") => {
                        self.perform(behaviour, Some(receiver), &Given::default(), name, site)
                    }
                    Some(_) | None => method(),
                }
            }
            Thing::Text(_) | Thing::Data(_) | Thing::Number(_) | Thing::None => {
                if PYTHON.method("data", name).is_some() {
                    method()
                } else {
                    Thing::Data(receiver.taint())
                }
            }
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(Held::Instance { class, fields }) => {
                    if let Some(value) = fields.get(name) {
                        return value.clone();
                    }
                    let class = Rc::clone(class);
                    match find_member(&class, name) {
                        Some(Thing::Function(function))
                            if function.binding == Binding::Property =>
                        {
                            self.invoke(
                                &function,
                                Given::of(vec![receiver.clone()]),
                                super::Arguments::Given,
                                site,
                            )
                        }
                        Some(Thing::Function(_)) => method(),
                        Some(value) => value,
                        None => method(),
                    }
                }
                Some(Held::List { .. } | Held::Dict { .. }) | None => method(),
            },
            Thing::Class(class) => match find_member(class, name) {
                Some(Thing::Function(_)) | None => method(),
                Some(value) => value,
            },
            // `args.path.name`: an attribute of plain data is plain data.
            Thing::Method(inner, _) if self.state.is_plain(inner) => {
                let data = Thing::Data(inner.taint());
                self.attribute(&data, name, site)
            }
            Thing::Function(_) | Thing::Method(..) => Thing::Data(Taint::NONE),
            Thing::Either(_) | Thing::Unknown(_) => {
                Thing::Method(Rc::new(Thing::Unknown(receiver.taint())), Rc::from(name))
            }
        }
    }

    fn object_attribute(&mut self, receiver: &Thing, object: &Object, name: &str) -> Thing {
        let special = PYTHON.method(object.kind, &format!("@{name}"));
        if name.starts_with("__") {
            return Thing::Unknown(object.taint);
        }
        if PYTHON.is_broad(object.kind) {
            // Everything about it is of its own kind, or a method that is described.
            return Thing::Method(Rc::new(receiver.clone()), Rc::from(name));
        }
        match special {
            Some(behaviour) => self.perform(behaviour, Some(receiver), &Given::default(), name, 0),
            None if PYTHON.method(object.kind, name).is_some() => {
                Thing::Method(Rc::new(receiver.clone()), Rc::from(name))
            }
            None => Thing::Data(object.taint),
        }
    }

    /// A method that is not called stands for a value of its receiver.
    pub(super) fn settle(&self, thing: &Thing) -> Thing {
        match thing {
            Thing::Method(receiver, _) => match &**receiver {
                object @ Thing::Object(kind) if PYTHON.is_broad(kind.kind) => object.clone(),
                receiver if self.state.is_plain(receiver) => Thing::Data(self.taint(receiver)),
                _ => thing.clone(),
            },
            _ => thing.clone(),
        }
    }

    // --- parts ---

    fn subscript(&mut self, node: &ExprSubscript) -> Thing {
        let receiver = self.eval(&node.value);
        let receiver = self.settle(&receiver);
        let key = self.eval(&node.slice);
        let index = match &*node.slice {
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(int) => int.as_usize(),
                Number::Float(_) | Number::Complex { .. } => None,
            },
            _ => None,
        };
        let slice = matches!(&*node.slice, Expr::Slice(_));
        let site = usize::from(node.range.start());
        let found: Vec<Thing> = receiver
            .ways()
            .to_vec()
            .iter()
            .map(|way| {
                if slice {
                    self.slice(way, site)
                } else {
                    self.item(way, &key, index)
                }
            })
            .collect();
        found
            .into_iter()
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Thing::None)
    }

    fn slice(&mut self, receiver: &Thing, site: usize) -> Thing {
        match receiver {
            Thing::Heap(_) => {
                let element = self.element(receiver);
                self.list(site, Vec::new(), Some(element))
            }
            Thing::Text(_) | Thing::Number(_) | Thing::None => Thing::Data(receiver.taint()),
            other => other.clone(),
        }
    }

    pub(super) fn item(&mut self, receiver: &Thing, key: &Thing, index: Option<usize>) -> Thing {
        match receiver {
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(Held::List { items, rest }) => {
                    match index.and_then(|index| items.get(index)) {
                        Some(item) => item.clone(),
                        None if index.is_some() && rest.is_none() => Thing::None,
                        None => self.element(receiver),
                    }
                }
                Some(Held::Dict { entries, rest }) => {
                    let named = constant(key).and_then(|key| entries.get(&key).cloned());
                    let any = entries
                        .values()
                        .chain(rest)
                        .cloned()
                        .reduce(|a, b| a.join(&b));
                    match (constant(key), named, rest) {
                        (Some(_), Some(value), None) => value,
                        (Some(_), Some(value), Some(rest)) => value.join(rest),
                        (Some(_), None, Some(rest)) => rest.clone(),
                        (Some(_), None, None) => Thing::None,
                        (None, ..) => any.unwrap_or(Thing::None),
                    }
                }
                Some(Held::Instance { .. }) if self.has_method(receiver, "__getitem__") => self
                    .call_method(
                        receiver,
                        "__getitem__",
                        Given::of(vec![key.clone()]),
                        "__getitem__",
                        0,
                    ),
                Some(Held::Instance { .. }) | None => Thing::Unknown(Taint::UNKNOWN),
            },
            Thing::Object(object) if object.kind == "environ" => {
                let name = constant(key);
                self.variable(name.as_deref())
            }
            Thing::Object(_) => self.element(receiver),
            Thing::Text(_) | Thing::Number(_) | Thing::None | Thing::Data(_) => {
                Thing::Data(receiver.taint())
            }
            // `list[int]`, `Callable[[str], None]`.
            Thing::Name(_) | Thing::Class(_) => receiver.clone(),
            Thing::Module(_)
            | Thing::Function(_)
            | Thing::Method(..)
            | Thing::Either(_)
            | Thing::Unknown(_) => Thing::Unknown(receiver.taint()),
        }
    }

    fn display(&mut self, elements: &[Expr], site: usize) -> Thing {
        let mut items = Vec::new();
        let mut rest = None;
        for element in elements {
            let value = self.eval(element);
            match (element, self.items(&value)) {
                (Expr::Starred(_), Some(more)) if rest.is_none() => items.extend(more),
                (Expr::Starred(_), _) => {
                    let element = self.element(&value);
                    rest = join_options(rest, Some(element));
                }
                (_, _) if rest.is_some() => rest = join_options(rest, Some(value)),
                (_, _) => items.push(value),
            }
        }
        self.list(site, items, rest)
    }

    fn spread(
        &mut self,
        value: &Thing,
        entries: &mut std::collections::BTreeMap<String, Thing>,
        rest: &mut Option<Thing>,
    ) {
        let held = match value {
            Thing::Heap(at) => self.state.heap.get(at).cloned(),
            _ => None,
        };
        match held {
            Some(Held::Dict {
                entries: more,
                rest: others,
            }) => {
                entries.extend(more);
                *rest = join_options(rest.take(), others);
            }
            Some(Held::List { .. } | Held::Instance { .. }) | None => {
                let taint = self.taint(value);
                *rest = join_options(rest.take(), Some(Thing::Data(taint)));
            }
        }
    }

    /// The exact items of a list.
    pub(super) fn items(&self, thing: &Thing) -> Option<Vec<Thing>> {
        let Thing::Heap(at) = thing else { return None };
        match self.state.heap.get(at)? {
            Held::List { items, rest: None } => Some(items.clone()),
            Held::List { .. } | Held::Dict { .. } | Held::Instance { .. } => None,
        }
    }

    /// One value for everything that a loop over this one gives.
    pub(super) fn element(&mut self, thing: &Thing) -> Thing {
        match thing {
            Thing::Heap(_) => match self.state.element(thing) {
                Some(element) => element,
                None if self.has_method(thing, "__iter__") => {
                    let over = self.call_method(thing, "__iter__", Given::default(), "__iter__", 0);
                    if over.same(thing) {
                        return self.call_method(
                            thing,
                            "__next__",
                            Given::default(),
                            "__next__",
                            0,
                        );
                    }
                    self.element(&over)
                }
                None => Thing::Unknown(Taint::UNKNOWN),
            },
            Thing::Object(object) => match PYTHON.method(object.kind, "for") {
                Some(behaviour) => {
                    self.perform(behaviour, Some(thing), &Given::default(), "for", 0)
                }
                None => Thing::Data(object.taint),
            },
            Thing::Text(text) if text.form == Form::Path => thing.clone(),
            Thing::None | Thing::Text(_) | Thing::Data(_) => Thing::Data(thing.taint()),
            Thing::Number(_) => Thing::Number(None),
            Thing::Either(ways) => ways
                .iter()
                .map(|way| self.element(way))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Thing::Method(..) => {
                let settled = self.settle(thing);
                match settled {
                    Thing::Method(..) => Thing::Unknown(Taint::UNKNOWN),
                    settled => self.element(&settled),
                }
            }
            // An enumeration lists its members.
            Thing::Class(_) => Thing::Data(Taint::NONE),
            Thing::Name(_) | Thing::Module(_) | Thing::Function(_) | Thing::Unknown(_) => {
                Thing::Unknown(thing.taint())
            }
        }
    }

    // --- text ---

    fn interpolated<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e InterpolatedStringElement>,
    ) -> Thing {
        let mut pieces = Vec::new();
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => {
                    pieces.push(Piece::Text(literal.value.to_string()));
                }
                InterpolatedStringElement::Interpolation(part) => {
                    let value = self.eval(&part.expression);
                    if part.format_spec.is_some() || part.debug_text.is_some() {
                        let taint = self.taint(&value);
                        pieces.push(match value {
                            Thing::Number(_) => number_piece(),
                            _ => unknown_piece(taint),
                        });
                    } else {
                        pieces.extend(self.pieces(&value));
                    }
                    if let Some(format) = &part.format_spec {
                        for element in &format.elements {
                            if let InterpolatedStringElement::Interpolation(part) = element {
                                self.eval(&part.expression);
                            }
                        }
                    }
                }
            }
        }
        Thing::Text(Text {
            pieces: merged(pieces),
            form: Form::Plain,
        })
    }

    /// A value as part of a text.
    pub(super) fn pieces(&self, thing: &Thing) -> Vec<Piece> {
        match thing {
            Thing::Text(text) => text.pieces.clone(),
            Thing::Number(_) => vec![number_piece()],
            other => vec![unknown_piece(self.taint(other))],
        }
    }

    pub(super) fn combine(
        &mut self,
        op: Operator,
        left: &Thing,
        right: &Thing,
        site: usize,
    ) -> Thing {
        let (left, right) = (&self.settle(left), &self.settle(right));
        match (op, left, right) {
            (Operator::Add, Thing::Text(a), Thing::Text(_) | Thing::Data(_))
                if a.form == Form::Plain =>
            {
                let mut pieces = a.pieces.clone();
                pieces.extend(self.pieces(right));
                Thing::Text(Text {
                    pieces: merged(pieces),
                    form: Form::Plain,
                })
            }
            (Operator::Add, Thing::Heap(_), Thing::Heap(_)) => {
                match (self.items(left), self.items(right)) {
                    (Some(mut items), Some(more)) => {
                        items.extend(more);
                        self.list(site, items, None)
                    }
                    (Some(items), None) => {
                        let rest = self.element(right);
                        self.list(site, items, Some(rest))
                    }
                    (None, _) => {
                        let rest = self.element(left).join(&self.element(right));
                        self.list(site, Vec::new(), Some(rest))
                    }
                }
            }
            (Operator::Div, Thing::Text(a), _) if a.form == Form::Path => {
                let part = right.clone();
                self.joined_path(&[left.clone(), part], Form::Path)
            }
            (Operator::Div, _, Thing::Text(b)) if b.form == Form::Path => {
                let parts = [left.clone(), right.clone()];
                self.joined_path(&parts, Form::Path)
            }
            (Operator::Mod, Thing::Text(format), _) => self.percent(format, right),
            (_, Thing::Number(_), Thing::Number(_)) => Thing::Number(None),
            (_, object @ Thing::Object(_), _) | (_, _, object @ Thing::Object(_))
                if is_broad(object) =>
            {
                object.clone()
            }
            (Operator::Mult, Thing::Heap(_), _) => {
                let element = self.element(left);
                self.list(site, Vec::new(), Some(element))
            }
            (Operator::BitOr, Thing::Name(_) | Thing::Class(_) | Thing::None, _) => left.clone(),
            (Operator::BitOr, Thing::Heap(_), Thing::Heap(_)) => {
                let mut entries = std::collections::BTreeMap::new();
                let mut rest = None;
                self.spread(left, &mut entries, &mut rest);
                self.spread(right, &mut entries, &mut rest);
                self.hold(site, Held::Dict { entries, rest })
            }
            _ => {
                let taint = self.taint(left).with(self.taint(right));
                if self.state.is_plain(left) && self.state.is_plain(right)
                    || matches!((left, right), (Thing::Object(_), _) | (_, Thing::Object(_)))
                {
                    Thing::Data(taint)
                } else {
                    Thing::Unknown(taint)
                }
            }
        }
    }

    // --- functions in expressions ---

    fn lambda(&mut self, node: &ExprLambda) -> Thing {
        let parameters = node.parameters.as_deref().cloned().unwrap_or_default();
        let mut defaults = std::collections::BTreeMap::new();
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                let value = self.eval(default);
                defaults.insert(parameter.name().to_string(), value);
            }
        }
        Thing::Function(Rc::new(Function {
            parameters,
            body: Body::Expression((*node.body).clone()),
            defaults,
            captured: self.captured(),
            module: self.module,
            binding: Binding::Instance,
        }))
    }

    fn comprehension(
        &mut self,
        generators: &[Comprehension],
        parts: &[&Expr],
        site: usize,
    ) -> Thing {
        let mut element = Thing::None;
        self.generate(generators, &mut |program| {
            for part in parts {
                element = program.eval(part);
            }
        });
        self.list(site, Vec::new(), Some(element))
    }

    fn dict_comprehension(&mut self, node: &ruff_python_ast::ExprDictComp) -> Thing {
        let mut value = Thing::None;
        self.generate(&node.generators, &mut |program| {
            if let Some(key) = &node.key {
                program.eval(key);
            }
            value = program.eval(&node.value);
        });
        self.hold(
            usize::from(node.range.start()),
            Held::Dict {
                entries: std::collections::BTreeMap::new(),
                rest: Some(value),
            },
        )
    }

    fn generate(&mut self, generators: &[Comprehension], body: &mut dyn FnMut(&mut Self)) {
        self.weak = self.weak.saturating_add(1);
        self.branch = self.branch.saturating_add(1);
        let mut own = Vec::new();
        for generator in generators {
            names_of(&generator.target, &mut own);
        }
        let before: Vec<(String, Option<Thing>)> = own
            .into_iter()
            .map(|name| {
                let old = self.scope().and_then(|names| names.remove(&name));
                (name, old)
            })
            .collect();
        for generator in generators {
            let over = self.eval(&generator.iter);
            let element = self.element(&over);
            self.assign(&generator.target, element);
            for test in &generator.ifs {
                self.eval(test);
            }
        }
        body(self);
        // The names of a comprehension are its own.
        for (name, old) in before {
            if let Some(names) = self.scope() {
                match old {
                    Some(old) => names.insert(name, old),
                    None => names.remove(&name),
                };
            }
        }
        self.weak = self.weak.saturating_sub(1);
        self.branch = self.branch.saturating_sub(1);
    }

    /// The names that an assignment here would change.
    fn scope(&mut self) -> Option<&mut super::state::Names> {
        match self.state.frames.last_mut() {
            Some(frame) => Some(&mut frame.locals),
            None => self.state.modules.get_mut(self.module),
        }
    }

    fn call(&mut self, node: &ExprCall) -> Thing {
        let above = method_of_super(&node.func);
        let function = match above {
            Some(_) => Thing::None,
            None => self.eval(&node.func),
        };
        let mut given = Given::default();
        for argument in &node.arguments.args {
            let value = self.eval(argument);
            match (argument, self.items(&value)) {
                (Expr::Starred(_), Some(items)) if given.more.is_none() => {
                    given.positional.extend(items)
                }
                (Expr::Starred(_), _) => {
                    let element = self.element(&value);
                    given.more = join_options(given.more.take(), Some(element));
                }
                _ => given.positional.push(value),
            }
        }
        for keyword in &node.arguments.keywords {
            let value = self.eval(&keyword.value);
            match &keyword.arg {
                Some(name) => given.keywords.push((name.to_string(), value)),
                None => {
                    let mut entries = std::collections::BTreeMap::new();
                    let mut rest = None;
                    self.spread(&value, &mut entries, &mut rest);
                    given.keywords.extend(entries);
                    given.more = join_options(given.more.take(), rest);
                }
            }
        }
        let site = usize::from(node.range_start);
        let label = self.label(&node.func);
        if let Some(name) = above {
            return self.super_call(name, &given, &label, site);
        }
        self.apply(&function, given, &label, site)
    }

    /// The text of an expression, for the name of a gap.
    fn label(&self, expression: &Expr) -> String {
        let range = ruff_text_size::Ranged::range(expression);
        self.text
            .get(usize::from(range.start())..usize::from(range.end()))
            .unwrap_or("call")
            .split_whitespace()
            .collect()
    }
}

/// The constant text of a key.
pub(super) fn constant(thing: &Thing) -> Option<String> {
    match thing {
        Thing::Text(text) => text.literal(),
        _ => None,
    }
}

pub(super) fn number_piece() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Number,
        taint: Taint::NONE,
    })
}

fn is_broad(thing: &Thing) -> bool {
    matches!(thing, Thing::Object(object) if PYTHON.is_broad(object.kind))
}

/// The method of `super().method`.
fn method_of_super(function: &Expr) -> Option<&str> {
    let Expr::Attribute(attribute) = function else {
        return None;
    };
    let Expr::Call(call) = &*attribute.value else {
        return None;
    };
    match &*call.func {
        Expr::Name(name) if name.id == "super" => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// The names that a target binds.
fn names_of(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(node) => names.push(node.id.to_string()),
        Expr::Tuple(node) => node.elts.iter().for_each(|target| names_of(target, names)),
        Expr::List(node) => node.elts.iter().for_each(|target| names_of(target, names)),
        Expr::Starred(node) => names_of(&node.value, names),
        _ => {}
    }
}

/// Neighbouring known texts become one.
pub(super) fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => merged.push(piece),
        }
    }
    merged
}

/// A member of a class or of its bases.
pub(super) fn find_member(class: &super::value::Class, name: &str) -> Option<Thing> {
    if let Some(member) = class.members.get(name) {
        return Some(member.clone());
    }
    class.bases.iter().find_map(|base| match base {
        Thing::Class(base) => find_member(base, name),
        _ => None,
    })
}
