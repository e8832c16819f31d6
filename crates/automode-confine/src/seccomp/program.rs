//! Rules as a program of the kernel's filter language.
//!
//! Every rule is a block of its own: if the call's number and all conditions hold, it
//! answers; else the next block is tried. The last instruction allows.

/// What a filter answers to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterAnswer {
    /// The call fails with this error.
    Fail(i32),
    /// Whoever holds the listener is asked.
    Notify,
}

/// A test on the low half of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentCondition {
    /// `argument & mask == value`.
    Is { argument: u8, mask: u32, value: u32 },
    /// `argument & mask != value`.
    IsNot { argument: u8, mask: u32, value: u32 },
}

/// One call, under all of its conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilterRule {
    pub(crate) call: i64,
    pub(crate) when: Vec<ArgumentCondition>,
    pub(crate) answer: FilterAnswer,
}

/// One instruction, as the kernel lays it out.
pub(crate) type FilterInstruction = libc::sock_filter;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

const NUMBER_OFFSET: u32 = 0;
const ARCHITECTURE_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP_EQUAL: u16 = 0x15;
#[cfg(target_arch = "x86_64")]
const JUMP_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

const RETURN_ALLOW: u32 = 0x7fff_0000;
const RETURN_KILL: u32 = 0x8000_0000;
const RETURN_ERROR: u32 = 0x0005_0000;
const RETURN_NOTIFY: u32 = 0x7fc0_0000;

/// The filter that answers by these rules, first match first, and allows the rest.
#[must_use]
pub(crate) fn compile(rules: &[FilterRule]) -> Vec<FilterInstruction> {
    let mut program = vec![
        step(LOAD, ARCHITECTURE_OFFSET),
        jump(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        // Numbers of another calling convention mean other calls.
        step(RETURN, RETURN_KILL),
    ];
    #[cfg(target_arch = "x86_64")]
    program.extend([
        step(LOAD, NUMBER_OFFSET),
        jump(JUMP_AT_LEAST, 0x4000_0000, 0, 1),
        step(RETURN, answer(FilterAnswer::Fail(libc::ENOSYS))),
    ]);
    for rule in rules {
        program.extend(block(rule));
    }
    program.push(step(RETURN, RETURN_ALLOW));
    program
}

fn block(rule: &FilterRule) -> Vec<FilterInstruction> {
    let mut tests = Vec::new();
    let conditions = rule.when.len();
    for (index, condition) in rule.when.iter().enumerate() {
        // Past the remaining conditions, three instructions each, and the answer.
        let past = u8::try_from((conditions - index - 1) * 3 + 1).unwrap_or(u8::MAX);
        let (argument, mask, value, is, is_not) = match *condition {
            ArgumentCondition::Is {
                argument,
                mask,
                value,
            } => (argument, mask, value, 0, past),
            ArgumentCondition::IsNot {
                argument,
                mask,
                value,
            } => (argument, mask, value, past, 0),
        };
        tests.push(step(LOAD, ARGUMENTS_OFFSET + 8 * u32::from(argument)));
        tests.push(step(AND, mask));
        tests.push(jump(JUMP_EQUAL, value, is, is_not));
    }
    let past = u8::try_from(tests.len() + 1).unwrap_or(u8::MAX);
    let number = u32::try_from(rule.call).unwrap_or(u32::MAX);
    let mut block = vec![step(LOAD, NUMBER_OFFSET), jump(JUMP_EQUAL, number, 0, past)];
    block.extend(tests);
    block.push(step(RETURN, answer(rule.answer)));
    block
}

fn answer(answer: FilterAnswer) -> u32 {
    match answer {
        FilterAnswer::Fail(error) => RETURN_ERROR | (error.unsigned_abs() & 0xffff),
        FilterAnswer::Notify => RETURN_NOTIFY,
    }
}

fn step(code: u16, k: u32) -> FilterInstruction {
    FilterInstruction {
        code,
        jt: 0,
        jf: 0,
        k,
    }
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> FilterInstruction {
    FilterInstruction { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a program as the kernel would.
    fn answer_to(program: &[FilterInstruction], call: i64, arguments: [u32; 6]) -> u32 {
        let mut data = [0_u32; 16];
        data[0] = u32::try_from(call).unwrap();
        data[1] = ARCHITECTURE;
        for (index, argument) in arguments.into_iter().enumerate() {
            data[4 + index * 2] = argument;
        }
        let (mut at, mut value) = (0_usize, 0_u32);
        loop {
            let FilterInstruction { code, jt, jf, k } = program[at];
            at += 1;
            let jumped = |holds: bool| usize::from(if holds { jt } else { jf });
            match code {
                LOAD => value = data[usize::try_from(k).unwrap() / 4],
                AND => value &= k,
                JUMP_EQUAL => at += jumped(value == k),
                0x35 => at += jumped(value >= k),
                RETURN => return k,
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn rules_answer_for_their_calls_alone() {
        let is = |argument, mask, value| ArgumentCondition::Is {
            argument,
            mask,
            value,
        };
        let is_not = |argument, mask, value| ArgumentCondition::IsNot {
            argument,
            mask,
            value,
        };
        let program = compile(&[
            FilterRule {
                call: 10,
                when: vec![],
                answer: FilterAnswer::Fail(1),
            },
            FilterRule {
                call: 20,
                when: vec![is(0, 0xff, 2), is_not(1, 0xf, 1)],
                answer: FilterAnswer::Fail(13),
            },
            FilterRule {
                call: 20,
                when: vec![is(0, u32::MAX, 9)],
                answer: FilterAnswer::Notify,
            },
        ]);
        let check = |call, first, second, expected| {
            assert_eq!(
                answer_to(&program, call, [first, second, 0, 0, 0, 0]),
                expected
            );
        };
        check(10, 0, 0, 0x0005_0001);
        check(11, 0, 0, RETURN_ALLOW);
        check(20, 0x102, 2, 0x0005_000d);
        check(20, 2, 0x11, RETURN_ALLOW);
        check(20, 9, 0, RETURN_NOTIFY);
        check(20, 8, 0, RETURN_ALLOW);
    }

    #[test]
    fn another_architecture_is_killed() {
        let program = compile(&[]);
        let FilterInstruction { code, k, .. } = program[2];
        assert_eq!((code, k), (RETURN, RETURN_KILL));
    }
}
