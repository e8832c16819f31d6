//! Every call in a row of tokens.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lexeme, Token, lexer, lore};
use crate::language::known::Lore;
use crate::language::reading::Reading;
use crate::place::taint_of_variable;
use crate::{Language, NestedStdin, Piece, Taint, Value};

/// Variables that decide which file a module is loaded from.
const SEARCH_PATHS: &[&str] = &[
    "$LOAD_PATH",
    "$:",
    "@INC",
    "%INC",
    "$INC",
    "package.path",
    "package.cpath",
    "package.loaded",
    "package.preload",
    "module.paths",
    "require.cache",
    "require.extensions",
];

/// Files that pull in further files.
const DEPTH: usize = 6;

/// Brackets inside each other.
const NESTING: usize = 100;

/// Tokens of one call without parentheses.
const STATEMENT: usize = 400;

/// Reads a text and what it pulls in.
pub(super) fn program(text: &str, reading: &mut Reading<'_>, depth: usize) {
    let language = reading.source.language;
    let Some(lore) = lore(language) else { return };
    if depth > DEPTH {
        return reading.gap(crate::GapKind::Budget);
    }
    let lexed = match lexer::lex(text, language) {
        Ok(lexed) => lexed,
        Err(what) => return reading.syntax(what),
    };
    let mut scan = Scan {
        reading,
        lore,
        language,
        aliases: BTreeMap::new(),
        constants: BTreeMap::new(),
        functions: BTreeSet::new(),
        variables: BTreeSet::new(),
        results: BTreeMap::new(),
        depth,
    };
    let rows: Option<Vec<Row<'_>>> = std::iter::once(&lexed.main)
        .chain(&lexed.inner)
        .map(|tokens| Row::new(tokens))
        .collect();
    let Some(mut rows) = rows else {
        return scan.reading.syntax("brackets that nest too deep");
    };
    for row in &mut rows {
        scan.learn(row);
    }
    // The first pass only collects the marks of what is read anywhere.
    let muted = scan.reading.mute(true);
    for round in 0..2 {
        if round == 1 {
            scan.reading.mute(muted);
        }
        for row in &rows {
            scan.results.clear();
            scan.walk(row);
        }
    }
}

pub(super) struct Scan<'r, 'a> {
    pub(super) reading: &'r mut Reading<'a>,
    pub(super) lore: &'static Lore,
    pub(super) language: Language,
    /// Names that stand for a module or a member of one.
    aliases: BTreeMap<String, String>,
    /// Variables that get one text and nothing else.
    constants: BTreeMap<String, Vec<Piece>>,
    functions: BTreeSet<String>,
    variables: BTreeSet<String>,
    /// What a call that ends at this token gives.
    results: BTreeMap<usize, &'static str>,
    pub(super) depth: usize,
}

/// A row of tokens with its brackets matched.
/// Whether the code shows anything.
fn prints(row: &Row<'_>) -> bool {
    const WORDS: &[&str] = &[
        "console",
        "dump",
        "echo",
        "p",
        "pp",
        "print",
        "print_r",
        "printf",
        "puts",
        "say",
        "stdout",
        "var_dump",
        "var_export",
    ];
    row.tokens
        .iter()
        .any(|lexeme| matches!(&lexeme.token, Token::Name(name) if WORDS.contains(&name.as_str())))
}

pub(super) struct Row<'t> {
    tokens: &'t [Lexeme],
    /// For each bracket the place of its other half.
    pairs: Vec<usize>,
    /// Names that only bind something here: a pattern or an import.
    binds: BTreeSet<usize>,
}

impl<'t> Row<'t> {
    fn new(tokens: &'t [Lexeme]) -> Option<Self> {
        let mut pairs = vec![usize::MAX; tokens.len()];
        let mut open = Vec::new();
        for (at, lexeme) in tokens.iter().enumerate() {
            match lexeme.token {
                Token::Mark("(" | "[" | "{") => {
                    open.push(at);
                    if open.len() > NESTING {
                        return None;
                    }
                }
                Token::Mark(")" | "]" | "}") => {
                    if let Some(start) = open.pop() {
                        if let Some(pair) = pairs.get_mut(start) {
                            *pair = at;
                        }
                        if let Some(pair) = pairs.get_mut(at) {
                            *pair = start;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(Self {
            tokens,
            pairs,
            binds: BTreeSet::new(),
        })
    }

    fn get(&self, at: usize) -> Option<&'t Lexeme> {
        self.tokens.get(at)
    }

    fn token(&self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    fn before(&self, at: usize) -> Option<&'t Token> {
        self.token(at.checked_sub(1)?)
    }

    /// The place of the bracket that closes the one here.
    fn closing(&self, open: usize) -> usize {
        self.pairs
            .get(open)
            .copied()
            .filter(|pair| *pair != usize::MAX && *pair > open)
            .unwrap_or(self.tokens.len())
    }

    fn opening(&self, close: usize) -> usize {
        self.pairs
            .get(close)
            .copied()
            .filter(|pair| *pair < close)
            .unwrap_or(0)
    }

    fn between(&self, open: usize, close: usize) -> &'t [Lexeme] {
        self.tokens
            .get(open.saturating_add(1)..close)
            .unwrap_or_default()
    }
}

/// A dotted name and the place behind it.
struct Chain {
    parts: Vec<String>,
    end: usize,
}

impl Scan<'_, '_> {
    // --- what the text defines ---

    fn learn(&mut self, row: &mut Row<'_>) {
        let tokens = row.tokens;
        let mut assigned: BTreeMap<String, Option<Vec<Piece>>> = BTreeMap::new();
        for (at, lexeme) in tokens.iter().enumerate() {
            let Token::Name(name) = &lexeme.token else {
                continue;
            };
            let after = |step: usize| {
                tokens
                    .get(at.saturating_add(step))
                    .map(|lexeme| &lexeme.token)
            };
            let before = row.before(at);
            if matches!(name.as_str(), "function" | "def" | "sub" | "fn" | "class") {
                self.learn_function(tokens, at);
            }
            if name == "import" {
                self.learn_import(row, at);
            }
            match after(1) {
                Some(Token::Mark("=")) => {
                    self.variables.insert(name.clone());
                    let text = match (after(2), after(3)) {
                        (
                            Some(Token::Text(pieces)),
                            None | Some(Token::Line | Token::Mark(";" | "," | ")")),
                        ) => Some(pieces.clone()),
                        _ => None,
                    };
                    if self.assigns_function(row, at.saturating_add(2)) {
                        self.functions.insert(name.clone());
                    }
                    self.learn_module(tokens, name, at.saturating_add(2));
                    let member = matches!(before, Some(Token::Mark("." | "->" | "::" | "?.")));
                    assigned
                        .entry(name.clone())
                        .and_modify(|known| *known = None)
                        .or_insert(text.filter(|_| !member));
                }
                Some(Token::Mark(
                    "+=" | "-=" | ".=" | "||=" | "<<" | "++" | "--" | "=~" | "??=" | "*=",
                )) => {
                    self.variables.insert(name.clone());
                    assigned.insert(name.clone(), None);
                }
                Some(Token::Mark("," | "|" | ")" | "in" | "]")) | Some(Token::Name(_))
                    if matches!(
                        before,
                        Some(Token::Mark("|" | "," | "(" | "*" | "&" | "[" | "=>"))
                    ) || matches!(before, Some(Token::Name(word)) if word == "for" || word == "rescue") =>
                {
                    self.variables.insert(name.clone());
                }
                // `name(…) { … }` inside a class defines a method.
                Some(Token::Mark("("))
                    if self.language == Language::JavaScript
                        && !is_keyword(name, self.language) =>
                {
                    let close = row.closing(at.saturating_add(1));
                    let body = matches!(row.token(close.saturating_add(1)), Some(Token::Mark("{")));
                    let member = matches!(before, Some(Token::Mark("." | "?.")));
                    let new = matches!(before, Some(Token::Name(word)) if word == "new");
                    if body && !member && !new {
                        self.functions.insert(name.clone());
                    }
                }
                _ => {}
            }
        }
        if self.language == Language::JavaScript {
            for at in 0..tokens.len() {
                if row.token(at) == Some(&Token::Mark("{")) {
                    self.learn_destructured(row, at);
                }
            }
        }
        for (name, pieces) in assigned {
            match pieces {
                Some(pieces) if !self.constants.contains_key(&name) => {
                    self.constants.insert(name, pieces);
                }
                Some(_) | None => {
                    self.constants.remove(&name);
                }
            }
        }
    }

    fn learn_function(&mut self, tokens: &[Lexeme], at: usize) {
        let mut names = Vec::new();
        for lexeme in tokens.iter().skip(at.saturating_add(1)).take(16) {
            match &lexeme.token {
                Token::Name(name) => names.push(name.clone()),
                Token::Mark("." | ":" | "::" | "*" | "->") => {}
                _ => break,
            }
        }
        if let Some(name) = names.last() {
            self.functions.insert(name.clone());
        }
        // Its parameters are variables.
        let open = at.saturating_add(1).saturating_add(names.len());
        for lexeme in tokens
            .iter()
            .skip(open)
            .take(64)
            .take_while(|lexeme| !matches!(lexeme.token, Token::Mark(")" | "{") | Token::Line))
        {
            if let Token::Name(name) = &lexeme.token {
                self.variables.insert(name.clone());
            }
        }
    }

    /// Whether the program defines a function of this name.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// A name for a module; one that stands for two of them stands for neither.
    fn alias(&mut self, name: &str, module: String) {
        match self.aliases.get_mut(name) {
            Some(known) if *known != module => *known = "…".to_owned(),
            Some(_) => {}
            None => {
                self.aliases.insert(name.to_owned(), module);
            }
        }
    }

    fn assigns_function(&self, row: &Row<'_>, at: usize) -> bool {
        let mut at = at;
        if matches!(row.token(at), Some(Token::Name(word)) if word == "async") {
            at = at.saturating_add(1);
        }
        match row.token(at) {
            Some(Token::Name(word))
                if matches!(
                    word.as_str(),
                    "function" | "sub" | "fn" | "lambda" | "proc" | "class"
                ) =>
            {
                true
            }
            Some(Token::Name(_)) => {
                matches!(row.token(at.saturating_add(1)), Some(Token::Mark("=>")))
            }
            Some(Token::Mark("(")) => {
                let close = row.closing(at);
                matches!(
                    row.token(close.saturating_add(1)),
                    Some(Token::Mark("=>" | ":"))
                )
            }
            Some(_) | None => false,
        }
    }

    /// `x = require('m')`, `x = require('m').y`, `{a, b: c} = require('m')`.
    fn learn_module(&mut self, tokens: &[Lexeme], name: &str, at: usize) {
        let mut at = at;
        while matches!(tokens.get(at).map(|lexeme| &lexeme.token), Some(Token::Name(word)) if word == "await")
        {
            at = at.saturating_add(1);
        }
        if let Some((mut module, end)) = required(tokens, at) {
            let mut end = end;
            while let (Some(Token::Mark(".")), Some(Token::Name(part))) = (
                tokens.get(end).map(|lexeme| &lexeme.token),
                tokens
                    .get(end.saturating_add(1))
                    .map(|lexeme| &lexeme.token),
            ) {
                module = format!("{module}.{part}");
                end = end.saturating_add(2);
            }
            self.alias(name, module);
        }
    }

    /// `import x, {a as b} from 'm'`, `import * as x from 'm'`.
    fn learn_import(&mut self, row: &mut Row<'_>, at: usize) {
        let tokens = row.tokens;
        let statement: Vec<&Token> = tokens
            .iter()
            .skip(at.saturating_add(1))
            .map(|lexeme| &lexeme.token)
            .take_while(|token| !matches!(token, Token::Mark(";")))
            .take(80)
            .collect();
        let Some(from) = statement
            .iter()
            .position(|token| matches!(token, Token::Name(word) if word == "from"))
        else {
            return;
        };
        let Some(Token::Text(pieces)) = statement.get(from.saturating_add(1)) else {
            return;
        };
        let Some(module) = plain(pieces) else { return };
        let module = module.trim_start_matches("node:").replace('/', ".");
        row.binds
            .extend(at..at.saturating_add(from).saturating_add(1));
        let mut braces = false;
        let mut member: Option<String> = None;
        for (at, token) in statement.iter().take(from).enumerate() {
            match token {
                Token::Mark("{") => braces = true,
                Token::Mark("}") => braces = false,
                Token::Name(word) if word == "as" || word == "type" => {}
                Token::Name(name) => {
                    let renamed = matches!(statement.get(at.saturating_add(1)), Some(Token::Name(word)) if word == "as");
                    let renames = at.checked_sub(1).is_some_and(
                        |at| matches!(statement.get(at), Some(Token::Name(word)) if word == "as"),
                    );
                    if braces && renamed {
                        member = Some(name.clone());
                    } else if braces {
                        let original = member
                            .take()
                            .filter(|_| renames)
                            .unwrap_or_else(|| name.clone());
                        self.alias(name, format!("{module}.{original}"));
                    } else {
                        self.alias(name, module.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// `const {a, b: c} = require('m')`: the names in the braces.
    fn learn_destructured(&mut self, row: &mut Row<'_>, open: usize) {
        let close = row.closing(open);
        if row.token(close.saturating_add(1)) != Some(&Token::Mark("=")) {
            return;
        }
        let Some((module, _)) = required(row.tokens, close.saturating_add(2)) else {
            return;
        };
        row.binds.extend(open..close);
        let mut original: Option<String> = None;
        let inside = row.between(open, close);
        for (at, lexeme) in inside.iter().enumerate() {
            let Token::Name(name) = &lexeme.token else {
                continue;
            };
            let next = inside.get(at.saturating_add(1)).map(|lexeme| &lexeme.token);
            if next == Some(&Token::Mark(":")) {
                original = Some(name.clone());
            } else {
                let member = original.take().unwrap_or_else(|| name.clone());
                self.alias(name, format!("{module}.{member}"));
            }
        }
    }

    // --- what the text calls ---

    fn walk(&mut self, row: &Row<'_>) {
        for (at, lexeme) in row.tokens.iter().enumerate() {
            match &lexeme.token {
                Token::Command(pieces) => {
                    let text = self.word(pieces.clone());
                    self.reading.shell(text, NestedStdin::Same);
                    self.reading.saw(Taint::UNKNOWN);
                }
                Token::Name(_) if !self.is_member(row, at) && !row.binds.contains(&at) => {
                    self.name(row, at);
                }
                Token::Mark(mark) if self.separates(mark) => self.method_of_value(row, at),
                Token::Mark("(") => self.computed_call(row, at),
                Token::Name(_)
                | Token::Text(_)
                | Token::Number(_)
                | Token::Regex
                | Token::Mark(_)
                | Token::Line => {}
            }
        }
    }

    fn separates(&self, mark: &str) -> bool {
        match self.language {
            Language::JavaScript => matches!(mark, "." | "?."),
            Language::Ruby => matches!(mark, "." | "&." | "::"),
            Language::Perl => matches!(mark, "->" | "::"),
            Language::Php => matches!(mark, "->" | "::" | "\\"),
            _ => matches!(mark, "." | ":"),
        }
    }

    /// Part of a chain that was read from its start.
    fn is_member(&self, row: &Row<'_>, at: usize) -> bool {
        let Some(Token::Mark(mark)) = row.before(at) else {
            return false;
        };
        // A colon also separates other things in Lua.
        self.separates(mark) && (*mark != ":" || row.get(at).is_some_and(|lexeme| lexeme.glued))
    }

    fn chain(&self, tokens: &[Lexeme], at: usize) -> Chain {
        let mut parts = Vec::new();
        let mut end = at;
        while let Some(Token::Name(name)) = tokens.get(end).map(|lexeme| &lexeme.token) {
            parts.push(name.clone());
            end = end.saturating_add(1);
            match tokens.get(end).map(|lexeme| &lexeme.token) {
                Some(Token::Mark(mark))
                    if self.separates(mark)
                        && matches!(
                            tokens
                                .get(end.saturating_add(1))
                                .map(|lexeme| &lexeme.token),
                            Some(Token::Name(_))
                        )
                        && (*mark != ":" || tokens.get(end).is_some_and(|lexeme| lexeme.glued)) =>
                {
                    end = end.saturating_add(1);
                }
                Some(_) | None => break,
            }
        }
        Chain { parts, end }
    }

    fn name(&mut self, row: &Row<'_>, at: usize) {
        let chain = self.chain(row.tokens, at);
        let (Some(first), Some(last)) = (chain.parts.first().cloned(), chain.parts.last().cloned())
        else {
            return;
        };
        let member = chain.parts.len() > 1;
        if !member && (is_keyword(&first, self.language) || self.is_label(row, at, chain.end)) {
            return;
        }
        // `eval {…}` and `do {…}` are blocks; with a text they run it.
        let block = row.token(chain.end) == Some(&Token::Mark("{"));
        if self.language == Language::Perl && block && matches!(first.as_str(), "eval" | "do") {
            return;
        }
        self.environment(row, &chain);
        let loads = self.language == Language::Perl;
        if matches!(row.before(at), Some(Token::Name(word)) if defines(word) || loads && matches!(word.as_str(), "use" | "no" | "require"))
        {
            return;
        }
        let full = self.full_name(&chain.parts);
        let moves = SEARCH_PATHS.iter().any(|path| {
            full.strip_prefix(*path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if moves {
            self.reading
                .unknown_call(&format!("{full} changes where modules come from"));
        }
        if let Some(function) = first.strip_prefix('&')
            && !self.functions.contains(function)
        {
            return self.reading.unknown_call(&full);
        }
        let variable = self.variables.contains(&first) || first.starts_with(['$', '@', '%']);
        let parentheses = row.token(chain.end) == Some(&Token::Mark("("));
        let arguments =
            if variable && !member && !parentheses && self.language != Language::JavaScript {
                None
            } else {
                self.arguments(row, chain.end)
            };
        let (given, close) = match &arguments {
            Some((given, close)) => (Some(given.as_slice()), *close),
            None => (None, chain.end.saturating_sub(1)),
        };
        if let Some(behaviour) = self.lore.call(&full) {
            let gives = self.perform(behaviour, given, &full);
            self.results.insert(close, gives);
            return;
        }
        let own = !member || matches!(first.as_str(), "this" | "self" | "$this" | "super");
        if self.functions.contains(&last) && (own || !self.lore.names_deed(&last)) {
            return;
        }
        let called = arguments.is_some();
        let sends = member && (called || self.language == Language::Ruby);
        let root = full.split('.').next().unwrap_or_default();
        if sends
            && !self.lore.has_module(root)
            && let Some(behaviour) = self.lore.method("data", &last)
        {
            let gives = self.perform(behaviour, given, &full);
            self.results.insert(close, gives);
            return;
        }
        let bare = self.language == Language::Ruby
            && !variable
            && (member || !first.starts_with(|c: char| c.is_uppercase()));
        let property = self.language == Language::Ruby && member;
        if called || bare || property {
            self.reading.unknown_call(&full);
        }
    }

    /// A key or label, not a value: `name =>`, `{name}`, `name:`.
    fn is_label(&self, row: &Row<'_>, at: usize, end: usize) -> bool {
        let next = row.get(end);
        let before = row.before(at);
        match next.map(|lexeme| &lexeme.token) {
            Some(Token::Mark("=>")) => matches!(
                self.language,
                Language::Perl | Language::Php | Language::Ruby
            ),
            Some(Token::Mark("}")) => {
                self.language == Language::Perl && matches!(before, Some(Token::Mark("{")))
            }
            Some(Token::Mark(":")) => {
                self.language == Language::Ruby && next.is_some_and(|lexeme| lexeme.glued)
            }
            Some(_) | None => false,
        }
    }

    /// Variables of the environment may hold secrets.
    fn environment(&mut self, row: &Row<'_>, chain: &Chain) {
        let full = chain.parts.join(".");
        let whole = [
            "process.env",
            "ENV",
            "%ENV",
            "$_ENV",
            "$_SERVER",
            "Deno.env",
            "Bun.env",
        ];
        // `ENV.to_h` and its like are the whole as well.
        let full = match full.strip_prefix("ENV.") {
            Some("to_h" | "to_a" | "each" | "map" | "inspect" | "to_hash" | "sort") => {
                "ENV".to_owned()
            }
            Some(_) | None => full,
        };
        if full == "$ENV" || full.starts_with("process.env.") || whole.contains(&full.as_str()) {
            let name = chain.parts.last().cloned().unwrap_or_default();
            let key = match row.token(chain.end.saturating_add(1)) {
                Some(Token::Text(pieces)) => plain(pieces),
                Some(Token::Name(name)) => Some(name.clone()),
                _ => None,
            };
            let name = if full.starts_with("process.env.") {
                Some(name)
            } else {
                key
            };
            match name {
                Some(name) => self.reading.saw(taint_of_variable(&name)),
                None if prints(row) || full == "process.env" && chain.end >= row.tokens.len() => {
                    self.reading.shows_environment()
                }
                None => self.reading.saw(Taint::SECRET),
            }
        }
    }

    fn full_name(&self, parts: &[String]) -> String {
        let mut parts = parts.to_vec();
        if let Some(first) = parts.first_mut() {
            if let Some(module) = self.aliases.get(first.as_str()) {
                first.clone_from(module);
            }
            if parts.len() > 1
                && parts.first().is_some_and(|first| {
                    matches!(
                        first.as_str(),
                        "globalThis" | "window" | "global" | "_G" | "Kernel" | "CORE"
                    )
                })
            {
                parts.remove(0);
            }
        }
        parts.join(".")
    }

    /// The arguments of a call that starts here, and the place where they end.
    fn arguments<'t>(&self, row: &Row<'t>, at: usize) -> Option<(Vec<&'t [Lexeme]>, usize)> {
        let next = row.get(at)?;
        if next.token == Token::Mark("(") && (next.glued || self.language != Language::Ruby) {
            let close = row.closing(at);
            return Some((split(row.between(at, close)), close));
        }
        if self.language == Language::JavaScript && next.token == Token::Mark("<") && next.glued {
            // `name<T>(…)`.
            let length = row
                .tokens
                .iter()
                .skip(at)
                .take(24)
                .position(|lexeme| lexeme.token == Token::Mark(">"))?;
            let open = at.saturating_add(length).saturating_add(1);
            let called = row
                .get(open)
                .is_some_and(|lexeme| lexeme.token == Token::Mark("(") && lexeme.glued);
            let close = row.closing(open);
            return called.then(|| (split(row.between(open, close)), close));
        }
        let one = || row.tokens.get(at..at.saturating_add(1)).unwrap_or_default();
        match (self.language, &next.token) {
            (Language::Lua, Token::Text(_)) => Some((vec![one()], at)),
            (Language::Lua, Token::Mark("{")) => Some((vec![&[]], row.closing(at))),
            (Language::JavaScript, Token::Text(_)) if next.glued => Some((vec![one()], at)),
            (Language::Ruby | Language::Perl | Language::Php, token)
                if self.starts_argument(token, next.glued) =>
            {
                let rest = row.tokens.get(at..).unwrap_or_default();
                let Some(end) = statement_end(rest, self.language) else {
                    return Some((vec![&[]], at));
                };
                let inside = rest.get(..end).unwrap_or_default();
                Some((split(inside), at.saturating_add(end).saturating_sub(1)))
            }
            _ => None,
        }
    }

    /// Whether a call without parentheses goes on with this token.
    fn starts_argument(&self, token: &Token, glued: bool) -> bool {
        match token {
            Token::Text(_) | Token::Number(_) | Token::Command(_) | Token::Regex => true,
            Token::Name(word) => {
                !is_keyword(word, self.language)
                    || matches!(
                        word.as_str(),
                        "my" | "our"
                            | "local"
                            | "not"
                            | "__FILE__"
                            | "lambda"
                            | "proc"
                            | "nil"
                            | "true"
                            | "false"
                            | "self"
                    )
            }
            Token::Mark("[" | "*" | "&") => !glued,
            Token::Mark("->") => self.language == Language::Ruby,
            Token::Mark("$") => true,
            Token::Mark(_) | Token::Line => false,
        }
    }

    /// `….name(…)` on a value that is no name.
    fn method_of_value(&mut self, row: &Row<'_>, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let value = match row.token(before) {
            Some(
                Token::Mark(")" | "]" | "}")
                | Token::Text(_)
                | Token::Regex
                | Token::Number(_)
                | Token::Command(_),
            ) => true,
            // A method on the next line: `x\n  .then(…)`.
            Some(Token::Line) => before > 0,
            // `$x->(…)` calls what the variable holds.
            Some(Token::Name(_)) => row.token(at.saturating_add(1)) == Some(&Token::Mark("(")),
            Some(Token::Mark(_)) | None => false,
        };
        if !value {
            return;
        }
        match row.token(at.saturating_add(1)) {
            Some(Token::Name(_)) => {}
            Some(Token::Mark("(")) => return self.reading.unknown_call("call through a value"),
            Some(_) | None => return,
        }
        let chain = self.chain(row.tokens, at.saturating_add(1));
        let method = chain.parts.last().cloned().unwrap_or_default();
        let arguments = self.arguments(row, chain.end);
        let kind = self.results.get(&before).copied().unwrap_or("data");
        let path = chain.parts.join(".");
        if arguments.is_none() && self.language != Language::Ruby {
            // A function of a module that is handed around may be called with anything.
            if let Some(behaviour) = self.lore.call(&format!("{kind}.{path}")) {
                self.perform(behaviour, None, &method);
            }
            return;
        }
        let behaviour = self
            .lore
            .call(&format!("{kind}.{path}"))
            .or_else(|| self.lore.method(kind, &method))
            .or_else(|| {
                self.lore
                    .method("data", &method)
                    .filter(|_| !self.lore.has_module(kind))
            });
        let regex = row.token(before) == Some(&Token::Regex);
        match behaviour {
            Some(behaviour) => {
                let given = arguments.as_ref().map(|(given, _)| given.as_slice());
                let gives = self.perform(behaviour, given, &method);
                if let Some((_, close)) = &arguments {
                    self.results.insert(*close, gives);
                }
            }
            None if regex && matches!(method.as_str(), "exec" | "test") => {}
            None if self.functions.contains(&method) && !self.lore.names_deed(&method) => {}
            None => self.reading.unknown_call(&format!("….{path}")),
        }
    }

    /// `f()()`, `x[y]()`: a call of something that has no name.
    fn computed_call(&mut self, row: &Row<'_>, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let glued = row.get(at).is_some_and(|lexeme| lexeme.glued);
        match row.token(before) {
            Some(Token::Mark("]")) if glued => self.reading.unknown_call("call of an element"),
            Some(Token::Mark(")")) => {
                let open = row.opening(before);
                let keyword = matches!(row.before(open), Some(Token::Name(word)) if is_keyword(word, self.language));
                let function = row
                    .between(open, before)
                    .iter()
                    .take(STATEMENT)
                    .any(|lexeme| match &lexeme.token {
                        Token::Name(word) => word == "function",
                        Token::Mark(mark) => *mark == "=>",
                        _ => false,
                    });
                if !keyword && !function && (glued || self.language == Language::JavaScript) {
                    self.reading.unknown_call("call of a result");
                }
            }
            Some(Token::Mark("}")) if glued && self.language == Language::Perl => {
                self.reading.unknown_call("call through a reference");
            }
            Some(Token::Mark(">")) if glued && self.language == Language::JavaScript => {
                let start = before.saturating_sub(24);
                let generic = row
                    .tokens
                    .get(start..before)
                    .unwrap_or_default()
                    .iter()
                    .any(|lexeme| lexeme.token == Token::Mark("<"));
                if !generic {
                    self.reading.unknown_call("generic call");
                }
            }
            Some(_) | None => {}
        }
    }

    // --- values ---

    pub(super) fn word(&self, pieces: Vec<Piece>) -> Value {
        Value {
            pieces,
            span: self.reading.source.span,
            may_split: false,
        }
    }

    /// The text of an expression as far as it is known.
    pub(super) fn value(&self, tokens: &[Lexeme]) -> Value {
        let tokens: Vec<&Lexeme> = tokens
            .iter()
            .filter(|lexeme| lexeme.token != Token::Line)
            .collect();
        let mut pieces = Vec::new();
        let glue: &[&str] = match self.language {
            Language::Lua => &[".."],
            Language::Perl | Language::Php => &["."],
            _ => &["+"],
        };
        let mut operand = true;
        for (at, lexeme) in tokens.iter().enumerate() {
            match &lexeme.token {
                Token::Text(text) if operand => pieces.extend(text.clone()),
                Token::Number(number) if operand && tokens.len() == 1 => {
                    pieces.push(Piece::Text(number.clone()));
                }
                Token::Name(name) if operand && self.constants.contains_key(name) => {
                    pieces.extend(self.constants.get(name).cloned().unwrap_or_default());
                }
                Token::Name(name) if operand && at == 0 => {
                    if let Some(value) = self.place(name, &tokens) {
                        return value;
                    }
                    return self.unknown();
                }
                Token::Mark(mark) if !operand && glue.contains(mark) => {
                    operand = true;
                    continue;
                }
                _ => return self.unknown_after(pieces),
            }
            operand = false;
        }
        if pieces.is_empty() {
            return self.unknown();
        }
        self.word(pieces)
    }

    fn unknown(&self) -> Value {
        self.reading.unknown_word(self.reading.seen())
    }

    /// What is known in front still holds: `'/etc/' + name`.
    fn unknown_after(&self, mut pieces: Vec<Piece>) -> Value {
        pieces.push(Piece::Dynamic(crate::Dynamic {
            source: crate::DynamicSource::Unknown,
            taint: self.reading.seen(),
        }));
        self.word(pieces)
    }

    /// `path.join('a', 'b')`, `os.homedir()`, `Dir.home`.
    fn place(&self, first: &str, tokens: &[&Lexeme]) -> Option<Value> {
        let owned: Vec<Lexeme> = tokens
            .iter()
            .take(STATEMENT)
            .map(|lexeme| (*lexeme).clone())
            .collect();
        let row = Row::new(&owned)?;
        let chain = self.chain(&owned, 0);
        let full = self.full_name(&chain.parts);
        let whole = |end: usize| end.saturating_add(1) >= owned.len();
        match full.as_str() {
            "path.join" | "path.resolve" | "path.posix.join" | "File.join" => {
                let close = row.closing(chain.end);
                let inside = owned.get(chain.end.saturating_add(1)..close)?;
                if !whole(close) || tokens.len() > STATEMENT {
                    return None;
                }
                let mut pieces: Vec<Piece> = Vec::new();
                for part in split(inside) {
                    let value = self.value(part);
                    if value.prefix().starts_with('/') && full == "path.resolve" {
                        pieces.clear();
                    } else if !pieces.is_empty() {
                        pieces.push(Piece::Text("/".to_owned()));
                    }
                    pieces.extend(value.pieces);
                }
                Some(self.word(pieces))
            }
            "URI" | "URI.parse" => {
                let close = row.closing(chain.end);
                let inside = owned.get(chain.end.saturating_add(1)..close)?;
                whole(close).then(|| self.value(inside))
            }
            "os.homedir" | "Dir.home" | "process.env.HOME" => {
                let home = self.reading.context.home.as_deref()?;
                Some(self.reading.word(home))
            }
            "__dirname" | "__DIR__" => {
                let file = self.reading.source.file?;
                Some(self.reading.word(file.rsplit_once('/')?.0))
            }
            "process.cwd" | "Dir.pwd" | "getcwd" => {
                Some(self.reading.word(self.reading.directory()?))
            }
            _ if first == "ENV"
                && matches!(owned.get(2).map(|lexeme| &lexeme.token), Some(Token::Text(pieces)) if plain(pieces).as_deref() == Some("HOME"))
                && owned.len() == 4 =>
            {
                Some(self.reading.word(self.reading.context.home.as_deref()?))
            }
            _ => None,
        }
    }
}

/// The module of `require('m')`, `import('m')`, and the place behind it.
fn required(tokens: &[Lexeme], at: usize) -> Option<(String, usize)> {
    let token = |step: usize| {
        tokens
            .get(at.saturating_add(step))
            .map(|lexeme| &lexeme.token)
    };
    match (token(0), token(1), token(2)) {
        (Some(Token::Name(word)), Some(Token::Mark("(")), Some(Token::Text(pieces)))
            if word == "require" || word == "import" =>
        {
            let module = plain(pieces)?;
            Some((
                module.trim_start_matches("node:").replace('/', "."),
                at.saturating_add(4),
            ))
        }
        (Some(Token::Name(word)), Some(Token::Text(pieces)), _) if word == "require" => {
            Some((plain(pieces)?.replace('/', "."), at.saturating_add(2)))
        }
        _ => None,
    }
}

pub(super) fn plain(pieces: &[Piece]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Glob(_) | Piece::Dynamic(_) => None,
        })
        .collect()
}

/// Arguments at the commas between them.
pub(super) fn split(tokens: &[Lexeme]) -> Vec<&[Lexeme]> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, lexeme) in tokens.iter().enumerate() {
        match lexeme.token {
            Token::Mark("(" | "[" | "{") => depth = depth.saturating_add(1),
            Token::Mark(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Token::Mark(",") if depth == 0 => {
                parts.push(tokens.get(start..at).unwrap_or_default());
                start = at.saturating_add(1);
            }
            _ => {}
        }
    }
    parts.push(tokens.get(start..).unwrap_or_default());
    parts.retain(|part| part.iter().any(|lexeme| lexeme.token != Token::Line));
    parts
}

/// How many tokens belong to a call without parentheses; nothing past the bound.
fn statement_end(tokens: &[Lexeme], language: Language) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous: Option<&Token> = None;
    for (at, lexeme) in tokens.iter().take(STATEMENT).enumerate() {
        match &lexeme.token {
            Token::Mark("(" | "[") => depth = depth.saturating_add(1),
            Token::Mark("{") if depth == 0 && language == Language::Ruby && at > 0 => {
                return Some(at);
            }
            Token::Mark("{") => depth = depth.saturating_add(1),
            Token::Mark(")" | "]" | "}") => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(at),
            },
            Token::Mark(";") if depth == 0 => return Some(at),
            Token::Line
                if depth == 0
                    && language == Language::Ruby
                    && !matches!(previous, Some(Token::Mark("," | "." | "+" | "&&" | "||"))) =>
            {
                return Some(at);
            }
            Token::Name(word)
                if depth == 0
                    && matches!(
                        word.as_str(),
                        "if" | "unless"
                            | "while"
                            | "until"
                            | "for"
                            | "foreach"
                            | "do"
                            | "and"
                            | "or"
                            | "rescue"
                    ) =>
            {
                return Some(at);
            }
            _ => {}
        }
        previous = Some(&lexeme.token);
    }
    (tokens.len() <= STATEMENT).then_some(tokens.len())
}

/// Words after which a name is defined, not used.
fn defines(word: &str) -> bool {
    matches!(
        word,
        "function"
            | "def"
            | "sub"
            | "class"
            | "module"
            | "package"
            | "interface"
            | "type"
            | "enum"
            | "goto"
    )
}

fn is_keyword(name: &str, language: Language) -> bool {
    let words: &[&str] = match language {
        Language::JavaScript => &[
            "if",
            "else",
            "for",
            "while",
            "do",
            "switch",
            "case",
            "default",
            "break",
            "continue",
            "return",
            "function",
            "const",
            "let",
            "var",
            "new",
            "class",
            "extends",
            "try",
            "catch",
            "finally",
            "throw",
            "typeof",
            "instanceof",
            "in",
            "of",
            "await",
            "async",
            "yield",
            "delete",
            "void",
            "this",
            "null",
            "undefined",
            "true",
            "false",
            "NaN",
            "Infinity",
            "export",
            "from",
            "as",
            "static",
            "super",
            "interface",
            "enum",
            "public",
            "private",
            "protected",
            "implements",
            "keyof",
            "arguments",
            "debugger",
        ],
        Language::Ruby => &[
            "if",
            "elsif",
            "else",
            "end",
            "unless",
            "while",
            "until",
            "for",
            "in",
            "do",
            "then",
            "begin",
            "rescue",
            "ensure",
            "raise",
            "return",
            "next",
            "break",
            "redo",
            "retry",
            "case",
            "when",
            "def",
            "class",
            "module",
            "self",
            "nil",
            "true",
            "false",
            "and",
            "or",
            "not",
            "yield",
            "super",
            "lambda",
            "proc",
            "loop",
            "attr_accessor",
            "attr_reader",
            "attr_writer",
            "private",
            "protected",
            "public",
            "alias",
            "defined?",
            "BEGIN",
            "END",
            "__FILE__",
            "__method__",
            "__dir__",
            "block_given?",
            "module_function",
            "private_constant",
            "undef",
        ],
        Language::Perl => &[
            "if",
            "elsif",
            "else",
            "unless",
            "while",
            "until",
            "for",
            "foreach",
            "my",
            "our",
            "local",
            "state",
            "sub",
            "return",
            "last",
            "next",
            "redo",
            "and",
            "or",
            "not",
            "xor",
            "eq",
            "ne",
            "lt",
            "gt",
            "le",
            "ge",
            "cmp",
            "x",
            "BEGIN",
            "END",
            "package",
            "__PACKAGE__",
            "__FILE__",
            "__LINE__",
            "wantarray",
            "undef",
            "defined",
            "STDIN",
            "STDOUT",
            "STDERR",
            "ARGV",
        ],
        Language::Php => &[
            "if",
            "elseif",
            "else",
            "while",
            "for",
            "foreach",
            "do",
            "switch",
            "case",
            "default",
            "break",
            "continue",
            "return",
            "function",
            "fn",
            "class",
            "extends",
            "implements",
            "new",
            "try",
            "catch",
            "finally",
            "throw",
            "echo",
            "print",
            "null",
            "true",
            "false",
            "NULL",
            "TRUE",
            "FALSE",
            "as",
            "public",
            "private",
            "protected",
            "static",
            "const",
            "global",
            "use",
            "namespace",
            "instanceof",
            "and",
            "or",
            "xor",
            "isset",
            "unset",
            "empty",
            "array",
            "list",
            "int",
            "string",
            "float",
            "bool",
            "void",
            "mixed",
            "self",
            "parent",
            "abstract",
            "final",
            "interface",
            "trait",
            "match",
            "yield",
            "from",
            "endif",
            "endforeach",
            "endwhile",
            "endfor",
            "declare",
            "PHP_EOL",
            "PHP_VERSION",
            "__DIR__",
            "__FILE__",
            "__LINE__",
            "readonly",
            "enum",
            "clone",
            "STDIN",
            "STDOUT",
            "STDERR",
        ],
        Language::Lua => &[
            "if", "then", "else", "elseif", "end", "for", "in", "do", "while", "repeat", "until",
            "function", "local", "return", "break", "goto", "nil", "true", "false", "and", "or",
            "not", "self",
        ],
        _ => &[],
    };
    words.contains(&name)
}
