//! What was not understood, in words.

use automode_shell::GapKind;

pub(super) fn describe(gap: &GapKind) -> String {
    match gap {
        GapKind::Refused(why) | GapKind::Syntax(why) => why.clone(),
        GapKind::Program(name) => format!("the program `{name}` is not known"),
        GapKind::DynamicProgram => "which program runs is only known at run time".to_owned(),
        GapKind::Argument { program, word } => {
            format!("`{word}` of `{program}` is not known")
        }
        GapKind::DynamicWord { program, word } => {
            format!("`{word}` of `{program}` is only known at run time")
        }
        GapKind::Unseen(what) => format!("{what} could not be seen"),
        GapKind::Call { language, name } => format!("the {language} call `{name}` is not known"),
        GapKind::Budget => "the command is too large to follow".to_owned(),
    }
}
