//! What a word does by the role it has.

use super::meaning::{Meaning, Words};
use super::table::{Choice, Role, Use};
use super::{Chore, Nested, NestedStdin, git, lookup, remote};
use crate::script::Runner;
use crate::{
    Account, Act, Code, Dynamic, DynamicSource, Extent, Gap, GapKind, Language, Layer, Piece,
    ProcessScope, Stdin, SystemChange, Taint, Target, Value,
};

/// Files that stand for the streams of a process, or for nothing.
const STREAMS: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
];

impl Meaning<'_> {
    /// Applies a choice to the words that it was made for.
    pub(super) fn apply(&mut self, choice: Choice, words: &Words<'_>) {
        for role in choice.roles {
            if !self.whole(*role, words) {
                for value in words.values {
                    self.single(*role, value, words);
                }
            }
        }
    }

    /// Roles that take all words together; false where the role is not one.
    fn whole(&mut self, role: Role, words: &Words<'_>) -> bool {
        match role {
            Role::Command => self.command(words.values),
            Role::ContainerCommand => self.container_command(words.values),
            Role::Each => self.each(words.values),
            Role::EachShell => self.each_shell(words.values),
            Role::Prefixed(front) => self.prefixed(front, words.values),
            Role::Package => self.package(words.values),
            Role::Shell => self.shell(Value::join(words.values), words.arguments),
            Role::ShellEach => {
                for value in words.values {
                    self.shell(value.clone(), &[]);
                }
            }
            Role::RemoteShell => self.remote_shell(Value::join(words.values)),
            Role::Task(runner) => self.tasks(runner, words),
            Role::Into => self.into(words),
            Role::Args => {}
            Role::None
            | Role::Path(_)
            | Role::Move
            | Role::Run(_)
            | Role::Config
            | Role::Load
            | Role::Placeholder
            | Role::Code(_)
            | Role::Assign
            | Role::Cd
            | Role::CdOperands
            | Role::Url(_)
            | Role::Host(_)
            | Role::Remote(_)
            | Role::Bind
            | Role::BindPort
            | Role::Pid
            | Role::ProcessName
            | Role::TaskFile
            | Role::Mount
            | Role::AtFile
            | Role::FormFile
            | Role::KeyedFile
            | Role::GitConfig
            | Role::GitRemote(_)
            | Role::TarAction
            | Role::Cookie
            | Role::SshOption
            | Role::Socat
            | Role::Mode
            | Role::Editor => return false,
        }
        true
    }

    fn single(&mut self, role: Role, value: &Value, words: &Words<'_>) {
        match role {
            Role::Path(Use::DeleteBelow) => self.delete_found(value, words.cwd.as_deref()),
            Role::Path(used) => self.path(used, value, words.cwd.as_deref()),
            Role::Move => {
                self.path(Use::Read, value, words.cwd.as_deref());
                self.path(Use::Delete, value, words.cwd.as_deref());
            }
            Role::Run(language) => self.script(language, value, words.arguments),
            Role::Config => {
                self.path(Use::Read, value, words.cwd.as_deref());
                self.unseen(format!("configuration in `{}`", value.shown()), value.span);
            }
            Role::Load => self.load(value, words.cwd.as_deref()),
            Role::Placeholder => self.placeholder = Some(value.shown()),
            Role::Code(language) => self.code(language, value, words.arguments),
            Role::Assign => self.assign(value),
            Role::Url(direction) => self.url(direction, value, words.cwd.as_deref()),
            Role::Host(direction) => {
                let host = remote::host(value);
                self.connect(host, direction, value);
            }
            Role::Remote(used) => self.remote(used, value, words.cwd.as_deref()),
            Role::Bind => {
                let interface = remote::interface(value);
                self.effect(Act::Listen { interface }, value.span);
            }
            Role::BindPort => {
                let interface = remote::published(value);
                self.effect(Act::Listen { interface }, value.span);
            }
            Role::Pid => self.pid(value),
            Role::ProcessName => {
                let scope = ProcessScope::Named(value.shown());
                self.effect(Act::Process { scope }, value.span);
            }
            Role::TaskFile => self.task_file = Some(value.clone()),
            Role::Mount => self.mount(value, words.cwd.as_deref()),
            Role::AtFile => self.at_file(value, words.cwd.as_deref()),
            Role::FormFile => {
                if let Some((_, body)) = value.split_once('=') {
                    self.at_file(&body, words.cwd.as_deref());
                }
            }
            Role::KeyedFile => {
                let file = value
                    .split_once('=')
                    .map_or_else(|| value.clone(), |(_, file)| file);
                self.path(Use::Read, &file, words.cwd.as_deref());
            }
            Role::GitConfig => git::setting(self, value),
            Role::GitRemote(direction) => git::remote(self, direction, value, words.cwd.as_deref()),
            Role::TarAction => self.tar_action(value),
            Role::Cookie => {
                if !value.prefix().contains('=') {
                    self.path(Use::Read, value, words.cwd.as_deref());
                }
            }
            Role::SshOption => self.ssh_option(value, words.cwd.as_deref()),
            Role::Socat => self.socat(value, words.cwd.as_deref()),
            Role::Mode => self.mode(value),
            Role::Editor => self.editor(value),
            Role::None
            | Role::Cd
            | Role::CdOperands
            | Role::Command
            | Role::ContainerCommand
            | Role::Each
            | Role::EachShell
            | Role::Prefixed(_)
            | Role::Package
            | Role::Shell
            | Role::ShellEach
            | Role::RemoteShell
            | Role::Task(_)
            | Role::Into
            | Role::Args => {}
        }
    }

    pub(super) fn path(&mut self, used: Use, value: &Value, cwd: Option<&str>) {
        let deletes = matches!(used, Use::Delete | Use::DeleteTree | Use::DeleteBelow);
        if let Some(text) = value.literal() {
            if text.is_empty() || (text == "-" && !deletes) {
                return;
            }
            if STREAMS.contains(&&*text) && !deletes && used != Use::Attributes {
                return;
            }
        }
        for target in Target::locate_each(value, cwd) {
            self.effect(used.act(target), value.span);
        }
    }

    /// A search deletes what it finds below a place.
    pub(super) fn delete_found(&mut self, place: &Value, cwd: Option<&str>) {
        if self.search_pattern().is_none() {
            return self.path(Use::DeleteBelow, place, cwd);
        }
        let found = Value {
            pieces: self.found_below(place),
            ..place.clone()
        };
        self.path(Use::Delete, &found, cwd);
    }

    /// The place that files go to: itself, and the names that they get in it.
    fn into(&mut self, words: &Words<'_>) {
        for value in words.values {
            self.path(Use::Write, value, words.cwd.as_deref());
            let folder = Target::locate(value, words.cwd.as_deref());
            if folder.extent != Extent::Exact || !self.is_folder(value, &folder, words) {
                continue;
            }
            for source in words.arguments {
                let name = source.literal().and_then(|text| {
                    let name = text.trim_end_matches('/').rsplit('/').next()?;
                    (!matches!(name, "" | "." | "..")).then(|| name.to_owned())
                });
                let used = if name.is_some() {
                    Use::Write
                } else {
                    Use::WriteBelow
                };
                let target = match name {
                    Some(name) => Target {
                        path: format!("{}/{name}", folder.path.trim_end_matches('/')),
                        ..folder.clone()
                    },
                    None => folder.clone(),
                };
                self.effect(used.act(target), value.span);
            }
        }
    }

    fn is_folder(&self, value: &Value, folder: &Target, words: &Words<'_>) -> bool {
        let observed = matches!(
            self.facts.files.get(&folder.path),
            Some(crate::FileFact::Directory)
        );
        let cwd = self.invocation.cwd.as_deref().unwrap_or("/");
        let above_cwd = folder.path == "/"
            || cwd
                .strip_prefix(folder.path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        observed
            || words.arguments.len() > 1
            || value.shown().ends_with('/')
            || above_cwd
            || self.context.home.as_deref() == Some(&folder.path)
    }

    /// The rest of the words is a command, after `NAME=value` words.
    fn command(&mut self, words: &[Value]) {
        let mut env = self.env.clone();
        let mut argv = words;
        while let Some((first, rest)) = argv.split_first() {
            match assignment(first) {
                Some(pair) => env.push(pair),
                None => break,
            }
            argv = rest;
        }
        if argv.is_empty() {
            return;
        }
        for argv in self.for_each_start(argv) {
            self.out.runs.push(Nested::Command {
                argv,
                env: env.clone(),
                cwd: self.cwd_flag(),
                stdin: NestedStdin::Same,
                layer: self.wrapper(),
            });
        }
    }

    /// A command whose files are those of the container that the first operand names.
    fn container_command(&mut self, words: &[Value]) {
        let container = self
            .parsed
            .operands
            .first()
            .map(|operand| operand.value.shown());
        self.out.runs.push(Nested::Command {
            argv: words.to_vec(),
            env: self.env.clone(),
            cwd: None,
            stdin: NestedStdin::Same,
            layer: Layer::Remote(format!(
                "{} {}",
                self.program,
                container.unwrap_or_default()
            )),
        });
    }

    /// `{}` stands for files below the places that are searched.
    fn for_each_start(&self, argv: &[Value]) -> Vec<Vec<Value>> {
        let has_item = argv
            .iter()
            .any(|word| word.literal().is_some_and(|text| text.contains("{}")));
        if !has_item || !matches!(self.program, "find" | "fd" | "fdfind" | "gfind" | "bfs") {
            return vec![argv.to_vec()];
        }
        let places: Vec<Value> = self
            .parsed
            .operands
            .iter()
            .map(|operand| operand.value.clone())
            .filter(|_| self.program.ends_with("find") && self.program != "fdfind")
            .take(16)
            .collect();
        let here = Value::text(".", self.invocation.span);
        let places = if places.is_empty() {
            vec![here]
        } else {
            places
        };
        places
            .iter()
            .map(|place| {
                argv.iter()
                    .map(|word| replace_item(word, "{}", &self.found_below(place)))
                    .collect()
            })
            .collect()
    }

    /// The files that a search finds below a place.
    fn found_below(&self, place: &Value) -> Vec<Piece> {
        let mut pieces = place.pieces.clone();
        let ends_open = place.shown().ends_with('/');
        pieces.push(Piece::Text(if ends_open { "" } else { "/" }.to_owned()));
        let pattern = self.search_pattern();
        pieces.push(Piece::Glob(pattern.unwrap_or_else(|| "**".to_owned())));
        pieces
    }

    /// `**/name` where the search has one `-name` and nothing that widens it.
    pub(super) fn search_pattern(&self) -> Option<String> {
        let widened = ["-o", "-or", "!", "-not", ",", "("];
        if widened.iter().any(|name| self.has(name)) {
            return None;
        }
        let names: Vec<u16> = self
            .parsed
            .command
            .flags
            .iter()
            .filter(|(spelling, _)| matches!(*spelling, "-name" | "-iname"))
            .map(|(_, flag)| flag.id)
            .collect();
        let mut tests = self
            .parsed
            .given
            .iter()
            .filter(|given| names.contains(&given.flag.id));
        let only = tests.next()?;
        if tests.next().is_some() {
            return None;
        }
        let text = only.values.first()?.literal()?;
        Some(format!("**/{text}"))
    }

    /// A command that is run with items of the input.
    fn each(&mut self, words: &[Value]) {
        let items = self.items();
        let argv = match &self.placeholder {
            Some(mark) => {
                let item: Vec<Piece> = Value::join(&items).pieces;
                words
                    .iter()
                    .map(|word| replace_item(word, mark, &item))
                    .collect()
            }
            None => words.iter().cloned().chain(items).collect(),
        };
        self.out.runs.push(Nested::Command {
            argv,
            env: self.env.clone(),
            cwd: self.cwd_flag(),
            stdin: NestedStdin::Empty,
            layer: self.wrapper(),
        });
    }

    fn each_shell(&mut self, words: &[Value]) {
        let marks = [":::", ":::+", "::::", "::::+"];
        let mark_at = words
            .iter()
            .position(|word| word.literal().is_some_and(|text| marks.contains(&&*text)));
        let (command, items) = match mark_at {
            Some(at) => (
                words.get(..at).unwrap_or_default(),
                words
                    .get(at.saturating_add(1)..)
                    .unwrap_or_default()
                    .to_vec(),
            ),
            None => (words, self.items()),
        };
        if command.is_empty() {
            for item in &items {
                self.shell(item.clone(), &[]);
            }
            return;
        }
        let text = Value::join(command);
        let replaced = ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"];
        for item in &items {
            let mut line = text.clone();
            for mark in replaced {
                line = replace_item(&line, mark, &item.pieces);
            }
            if line.pieces == text.pieces {
                line = Value::join(&[line, item.clone()]);
            }
            self.shell(line, &[]);
        }
    }

    /// The words on standard input.
    fn items(&self) -> Vec<Value> {
        let span = self.invocation.span;
        let taint = match &self.invocation.stdin {
            Stdin::Text(value) => match value.literal() {
                Some(text) if !text.contains(['"', '\'', '\\']) => {
                    return text
                        .split_whitespace()
                        .map(|word| Value::text(word, span))
                        .collect();
                }
                Some(_) | None => value.taint(),
            },
            Stdin::Inherited => Taint::UNKNOWN,
            Stdin::File(_) => Taint::LOCAL,
            Stdin::Pipe(taint) => *taint,
        };
        vec![Value {
            may_split: true,
            ..Value::dynamic(DynamicSource::Item, taint, span)
        }]
    }

    fn prefixed(&mut self, front: &str, words: &[Value]) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let mut name = first.clone();
        name.pieces.insert(0, Piece::Text(format!("{front} ")));
        let name = match name.literal() {
            Some(text) => Value::text(text.into_owned(), first.span),
            None => name,
        };
        self.command(
            &std::iter::once(name)
                .chain(rest.iter().cloned())
                .collect::<Vec<_>>(),
        );
    }

    /// A program out of a package that may be fetched for this run.
    fn package(&mut self, words: &[Value]) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let code = Code::Package(first.shown());
        self.effect(lookup::unseen(code), first.span);
        let program = match first.literal() {
            Some(spec) => {
                let bare = match spec.rfind(['@', '=']) {
                    Some(at) if at > 0 => spec.get(..at).unwrap_or(&spec).trim_end_matches('='),
                    Some(_) | None => &spec,
                };
                let name = bare.rsplit('/').next().unwrap_or(bare).to_owned();
                Value::text(name, first.span)
            }
            None => first.clone(),
        };
        self.command(
            &std::iter::once(program)
                .chain(rest.iter().cloned())
                .collect::<Vec<_>>(),
        );
    }

    pub(super) fn shell(&mut self, text: Value, arguments: &[Value]) {
        self.out.runs.push(Nested::Shell {
            text,
            arguments: arguments.to_vec(),
            cwd: self.cwd_flag(),
            stdin: NestedStdin::Same,
            layer: Layer::Text(self.program.to_owned()),
        });
    }

    /// Shell text that runs on the machine that the first operand names.
    fn remote_shell(&mut self, text: Value) {
        let host = self
            .parsed
            .operands
            .first()
            .map(|operand| operand.value.shown());
        self.out.runs.push(Nested::Shell {
            text,
            arguments: Vec::new(),
            cwd: None,
            stdin: NestedStdin::Same,
            layer: Layer::Remote(host.unwrap_or_default()),
        });
    }

    fn tasks(&mut self, runner: Runner, words: &Words<'_>) {
        let (assigned, names): (Vec<&Value>, Vec<&Value>) = words
            .values
            .iter()
            .partition(|word| assignment(word).is_some());
        let mut arguments: Vec<Value> = assigned.iter().map(|word| (*word).clone()).collect();
        arguments.extend(words.arguments.iter().cloned());
        for (name, value) in assigned.iter().filter_map(|word| assignment(word)) {
            self.effect(Act::Environment { name }, value.span);
        }
        self.task(runner, names.into_iter().cloned().collect(), arguments);
    }

    pub(super) fn task(&mut self, runner: Runner, names: Vec<Value>, arguments: Vec<Value>) {
        let layer = names.first().map_or_else(
            || Layer::Task(self.program.to_owned()),
            |name| Layer::Task(format!("{} {}", runner.name(), name.shown())),
        );
        self.out.runs.push(Nested::Task {
            runner,
            errand: Chore::Run(names),
            file: self.task_file.clone(),
            arguments,
            cwd: self.cwd_flag(),
            layer,
        });
    }

    fn script(&mut self, language: Option<Language>, value: &Value, arguments: &[Value]) {
        if value.literal().as_deref() == Some("-") {
            if let Some(language) = language {
                let layer = Layer::Text(self.program.to_owned());
                self.out.runs.push(Nested::Input { language, layer });
            }
            return;
        }
        self.out.runs.push(Nested::File {
            path: value.clone(),
            language,
            arguments: arguments.to_vec(),
            layer: Layer::File(value.shown()),
        });
    }

    fn code(&mut self, language: Language, value: &Value, arguments: &[Value]) {
        self.out.runs.push(Nested::Code {
            language,
            text: value.clone(),
            arguments: arguments.to_vec(),
            layer: Layer::Text(self.program.to_owned()),
        });
    }

    fn load(&mut self, value: &Value, cwd: Option<&str>) {
        let code = Code::File(Target::locate(value, cwd));
        self.effect(lookup::unseen(code), value.span);
        self.unseen(format!("`{}`", value.shown()), value.span);
    }

    fn assign(&mut self, value: &Value) {
        match assignment(value) {
            Some(pair) => self.env.push(pair),
            // A bare name hands the caller's own value on.
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    fn pid(&mut self, value: &Value) {
        let own = value.pieces.iter().any(|piece| {
            matches!(piece, Piece::Dynamic(Dynamic { source: DynamicSource::Variable(name), .. })
                if matches!(name.as_str(), "!" | "$"))
        });
        let scope = match value.literal().as_deref() {
            _ if own => ProcessScope::Own,
            Some(text) if text.starts_with('%') => ProcessScope::Own,
            Some("-1") => ProcessScope::All,
            Some(text) => ProcessScope::Pid(text.to_owned()),
            None => ProcessScope::Pid(value.shown()),
        };
        self.effect(Act::Process { scope }, value.span);
    }

    fn at_file(&mut self, value: &Value, cwd: Option<&str>) {
        let prefix = value.prefix();
        if prefix.starts_with('@') || prefix.starts_with('<') {
            let file = match value.after(1).split_once(';') {
                Some((file, _)) => Value::text(file, value.span),
                None => value.after(1),
            };
            self.path(Use::Read, &file, cwd);
        }
    }

    fn mount(&mut self, value: &Value, cwd: Option<&str>) {
        let text = value.shown();
        let keyed = text.contains("source=") || text.contains("src=");
        let (source, read_only) = if keyed {
            let field = text
                .split(',')
                .find_map(|part| part.strip_prefix("source=").or(part.strip_prefix("src=")));
            let bound = text.contains("type=bind");
            let source = field.filter(|_| bound).unwrap_or_default();
            (Value::text(source, value.span), text.contains("readonly"))
        } else {
            let source = value.split_once(':').map(|(source, _)| source);
            let source = match source {
                Some(source) => Value::text(source, value.span),
                // The host's part is not known to its end.
                None if value.is_dynamic() => value.clone(),
                None => Value::text("", value.span),
            };
            (source, text.ends_with(":ro") || text.contains(":ro,"))
        };
        let shown = source.shown();
        let is_path = shown.starts_with(['/', '.', '~']) || source.is_dynamic();
        if !is_path {
            return;
        }
        self.open_mount |= shown == "/" || shown.ends_with("docker.sock");
        let used = if read_only { Use::Read } else { Use::Edit };
        self.path(used, &source, cwd);
    }

    fn tar_action(&mut self, value: &Value) {
        match value.split_once('=') {
            Some((action, command)) if action == "exec" => self.shell(command, &[]),
            Some(_) => {}
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }

    /// Mode bits that open a file to others, or lend its owner's rights.
    fn mode(&mut self, value: &Value) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            self.gap(gap);
            return;
        };
        let octal = text.chars().all(|c| c.is_digit(8));
        let (setuid, world) = if octal {
            let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(8)).collect();
            let special = digits.len() > 3 && digits.first().is_some_and(|bits| bits & 6 != 0);
            (special, digits.last().is_some_and(|bits| bits & 2 != 0))
        } else {
            let parts = || {
                text.split(',')
                    .filter_map(|part| part.split_once(['+', '=']))
            };
            (
                parts().any(|(_, bits)| bits.contains('s')),
                parts().any(|(who, bits)| {
                    (who.contains('o') || who.contains('a')) && bits.contains('w')
                }),
            )
        };
        if setuid {
            self.effect(Act::Privilege(Account::Setuid), value.span);
        }
        if world {
            self.effect(Act::Privilege(Account::World), value.span);
        }
    }

    /// A command of a line editor such as vim.
    fn editor(&mut self, value: &Value) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            self.gap(gap);
            return;
        };
        let text = text.trim_start_matches([':', ' ']);
        if let Some(command) = text.strip_prefix('!') {
            return self.shell(Value::text(command, value.span), &[]);
        }
        let quiet = [
            "", "q", "q!", "qa", "qa!", "wq", "wqa", "x", "w", "wa", "$", "G",
        ];
        let fine = quiet.contains(&text)
            || text.starts_with("set ")
            || text.starts_with("syntax ")
            || text.starts_with('/')
            || text.chars().all(|c| c.is_ascii_digit());
        if !fine {
            let gap = self.argument_gap(value);
            self.gap(gap);
        }
    }

    fn ssh_option(&mut self, value: &Value, cwd: Option<&str>) {
        let pair = value.split_once('=').or_else(|| value.split_once(' '));
        let Some((key, setting)) = pair else {
            let gap = if value.literal().is_some() {
                self.argument_gap(value)
            } else {
                self.dynamic_gap(value)
            };
            return self.gap(gap);
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" => self.shell(setting, &[]),
            "remotecommand" => self.unseen("a command on another machine".to_owned(), value.span),
            "pkcs11provider" | "securitykeyprovider" | "xauthlocation" => self.load(&setting, cwd),
            "include" => self.path(Use::Read, &setting, cwd),
            "identityfile" | "certificatefile" => self.path(Use::Read, &setting, cwd),
            "proxyjump" => {
                let host = remote::host(&setting);
                self.connect(host, crate::Direction::Send, &setting);
            }
            "stricthostkeychecking" | "userknownhostsfile" => {
                let strict = setting
                    .literal()
                    .is_some_and(|text| matches!(&*text, "yes" | "ask" | "accept-new"));
                if !strict {
                    self.effect(Act::System(SystemChange::Trust), value.span);
                }
            }
            _ => {}
        }
    }

    fn socat(&mut self, value: &Value, cwd: Option<&str>) {
        let Some((kind, rest)) = value.split_once(':') else {
            let quiet = value
                .literal()
                .is_some_and(|text| matches!(&*text, "-" | "STDIO" | "STDIN" | "STDOUT"));
            if !quiet {
                self.gap(Gap {
                    kind: GapKind::Argument {
                        program: self.program.to_owned(),
                        word: value.shown(),
                    },
                    span: value.span,
                });
            }
            return;
        };
        let kind = kind.to_ascii_uppercase();
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => self.shell(rest, &[]),
            "FILE" | "OPEN" | "GOPEN" | "CREATE" | "CREAT" | "UNIX" | "UNIX-CONNECT" => {
                let file = rest
                    .split_once(',')
                    .map_or(rest.clone(), |(file, _)| Value::text(file, rest.span));
                self.path(Use::Edit, &file, cwd);
            }
            listening if listening.contains("LISTEN") || listening.contains("RECV") => {
                let shown = rest.shown();
                let bound = shown.split(',').find_map(|part| part.strip_prefix("bind="));
                let interface = bound.map_or(crate::Interface::Exposed, |address| {
                    remote::interface(&Value::text(address, rest.span))
                });
                self.effect(Act::Listen { interface }, value.span);
            }
            "PTY" | "FD" | "STDIO" => {}
            _ => {
                let host = remote::host(&rest);
                self.connect(host, crate::Direction::Send, &rest);
            }
        }
    }
}

/// `NAME=value`, cut.
pub(super) fn assignment(word: &Value) -> Option<(String, Value)> {
    let (name, value) = word.split_once('=')?;
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (starts && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, value))
}

/// The word with every `mark` in its text replaced.
fn replace_item(word: &Value, mark: &str, item: &[Piece]) -> Value {
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) if !mark.is_empty() && text.contains(mark) => {
                for (index, part) in text.split(mark).enumerate() {
                    if index > 0 {
                        pieces.extend(item.iter().cloned());
                    }
                    if !part.is_empty() {
                        pieces.push(Piece::Text(part.to_owned()));
                    }
                }
            }
            Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_) => pieces.push(piece.clone()),
        }
    }
    let merged = merge(pieces);
    Value {
        pieces: merged,
        ..word.clone()
    }
}

/// Neighbouring texts as one.
fn merge(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => merged.push(piece),
        }
    }
    merged
}
