//! Shell text to a tree.
//!
//! A strict parser for the bash grammar, one pass, no backtracking over what it
//! has built. It refuses what it does not know to the letter: a construct that
//! could hide a command makes the text a [`SyntaxError`], never a literal; what a
//! shell would have run by then is still told ([`parse_lines`]).
//! Depth and work are bounded, so it needs neither a deadline nor a large stack.
//! History expansion is off, as in every shell that an agent starts; aliases,
//! `eval` and `trap` are the evaluator's.

mod arithmetic;
mod brace;
mod compound;
mod conditional;
mod document;
mod list;
mod parameter;
mod parser;
mod quote;
mod redirect;
mod scope;
mod simple;
mod tree;
mod walk;
mod word;

pub use brace::{TooMany, expand as expand_braces};
pub use parser::{SyntaxError, TextOrigin, parse, parse_lines};
pub use tree::{
    Assignment, AssignmentValue, CaseArm, CaseEnd, Command, CommandKind, Condition, Connector,
    Descriptor, Element, End, Fold, HereDocumentBody, ListItem, ListMode, Operation,
    ParameterExpansion, ParameterFallback, PartKind, Pipeline, PipelineStage, ProcessDirection,
    Quoting, Redirect, RedirectOperator, RedirectTarget, ReplaceScope, Script, Simple, Subscript,
    Word, WordPart,
};
