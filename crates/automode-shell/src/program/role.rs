//! What a word does by the role it has: the table from roles to their meaning.

use super::git;
use super::meaning::{Meaning, Words};
use super::remote;
use super::table::{Choice, Role};
use crate::template::PathUse;
use crate::{Act, Code, Direction, Gap, GapKind, ProcessScope, Value};

impl Meaning<'_> {
    /// Applies a choice to the words that it was made for.
    pub(super) fn apply(&mut self, choice: Choice, words: &Words<'_>) {
        if choice.roles != [Role::None] {
            self.claimed.extend(words.values.iter().cloned());
        }
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
            Role::RemoteShell => self.remote_shell(words.values),
            Role::NetworkShell => self.network_shell(Value::join(words.values)),
            Role::Task(runner) => self.tasks(runner, words),
            Role::Into => self.into(words),
            Role::Keys => self.keys(words.values),
            Role::Args => {}
            Role::None
            | Role::Pattern
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
            | Role::Signal
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
            | Role::Editor
            | Role::Debugger
            | Role::Unseen
            | Role::EncodedFile
            | Role::WriteOut
            | Role::Query
            | Role::Dsn
            | Role::FileScheme
            | Role::Plain
            | Role::UnitProperty
            | Role::MagicOpen
            | Role::Fetched
            | Role::Refspec
            | Role::TerminalFormat
            | Role::GoFlags
            | Role::MediaFilter
            | Role::CompilerFlags
            | Role::LinkerFlags
            | Role::OwnConfig
            | Role::WriteBeginning
            | Role::Packed(_)
            | Role::Beside(_)
            | Role::Unpacked => return false,
        }
        true
    }

    fn single(&mut self, role: Role, value: &Value, words: &Words<'_>) {
        match role {
            Role::Path(PathUse::DeleteBelow) => self.delete_found(value, words.cwd.as_deref()),
            Role::Path(used) => self.path(used, value, words.cwd.as_deref()),
            Role::Move => {
                self.path(PathUse::Read, value, words.cwd.as_deref());
                self.path(PathUse::Delete, value, words.cwd.as_deref());
            }
            Role::Run(language) => self.script(language, value, words.arguments),
            Role::Config => self.config(value, words.cwd.as_deref()),
            Role::Load => self.load(value, words.cwd.as_deref()),
            Role::Placeholder => self.placeholder = Some(value.shown()),
            Role::Code(language) => self.code(language, value, words.arguments),
            Role::Assign => self.assign(value),
            Role::Url(direction) => self.url(direction, value, words.cwd.as_deref()),
            Role::Host(direction) => self.reach(direction, value),
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
            Role::Signal => self.signal(value),
            Role::ProcessName => {
                let scope = ProcessScope::Named(value.shown());
                self.effect(Act::Process { scope }, value.span);
            }
            Role::TaskFile => self.name_task_file(value),
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
                self.path(PathUse::Read, &file, words.cwd.as_deref());
            }
            Role::GitConfig => git::setting(self, value),
            Role::GitRemote(direction) => git::remote(self, direction, value, words.cwd.as_deref()),
            Role::TarAction => self.tar_action(value),
            Role::Cookie => {
                if !value.prefix().contains('=') {
                    self.path(PathUse::Read, value, words.cwd.as_deref());
                }
            }
            Role::SshOption => self.ssh_option(value, words.cwd.as_deref()),
            Role::Socat => self.socat(value, words.cwd.as_deref()),
            Role::Mode => self.mode(value),
            Role::Editor => self.editor(value, words.cwd.as_deref()),
            Role::Debugger => self.debugger(value, words.cwd.as_deref()),
            Role::Unseen => self.unseen(format!("`{}`", value.shown()), value.span),
            Role::EncodedFile => self.encoded_file(value, words.cwd.as_deref()),
            Role::WriteOut => self.write_out(value, words.cwd.as_deref()),
            Role::Query => self.query(value, words.cwd.as_deref()),
            Role::Dsn => self.dsn(value),
            Role::FileScheme => self.file_scheme(value, words.cwd.as_deref()),
            Role::Plain => self.plain(value),
            Role::UnitProperty => self.unit_property(value),
            Role::MagicOpen => self.magic_open(value, words.cwd.as_deref()),
            Role::Fetched => {
                let code = Code::Package(value.shown());
                self.effect(super::lookup::unseen(code), value.span);
            }
            Role::Refspec => git::refspec(self, value),
            Role::TerminalFormat => self.terminal_format(value),
            Role::GoFlags => self.go_flags(value),
            Role::MediaFilter => self.media_filter(value),
            Role::CompilerFlags => self.compiler_flag(value),
            Role::LinkerFlags => self.linker_flags(value),
            Role::WriteBeginning => self.write_beginning(value, words.cwd.as_deref()),
            Role::OwnConfig => self.own_config(value, words.cwd.as_deref()),
            Role::Packed(ending) => self.packed(ending, value, words.cwd.as_deref()),
            Role::Beside(ending) => self.beside(ending, value, words.cwd.as_deref()),
            Role::Unpacked => self.unpacked(value, words.cwd.as_deref()),
            // Text to the table, and to some programs the name of the file that holds it.
            Role::Pattern if value.prefix().starts_with("file") => {
                self.file_scheme(value, words.cwd.as_deref());
            }
            Role::None
            | Role::Pattern
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
            | Role::NetworkShell
            | Role::Task(_)
            | Role::Into
            | Role::Keys
            | Role::Args => {}
        }
    }

    fn reach(&mut self, direction: Direction, value: &Value) {
        let direction = if remote::tells(value) {
            Direction::Send
        } else {
            direction
        };
        self.connect(remote::host(value), direction, value);
    }

    /// Only one file is followed; what another one adds was not seen.
    fn name_task_file(&mut self, value: &Value) {
        if self.task_file.replace(value.clone()).is_some() {
            let kind = GapKind::Refused("more than one task file".to_owned());
            self.gap(Gap {
                kind,
                span: value.span,
            });
        }
    }
}
