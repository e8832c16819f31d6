//! Shell text that nobody analysed.

use super::Says::{Allow, Deny};
use super::{policy, say, table};
use crate::{Facts, ToolCall};

#[test]
fn shell_text_without_analysis() {
    table(
        r#"
        Bash                 $ rm x                    deny  allow
        Bash(*)              $ rm x                    deny  allow
        Bash(git status)     $ git status              deny  allow
        Bash(git status)     $ git status -s           -     -
        Bash(git:*)          $ git push                deny  allow
        Bash(git:*)          $ gitk                    -     -
        Bash(git *)          $ git push && rm x        deny  -
        Bash(git *)          $ git a && git b          deny  allow
        Bash(rm *)           $ ls; sudo rm x           deny  -
        Bash(rm *)           $ /bin/rm x               deny  -
        Bash(rm *)           $ bash -c 'rm x'          deny  -
        Bash(npm test *)     $ timeout 5 npm test      deny  allow
        Bash(npm test)       $ NODE_ENV=test npm test  deny  allow
        Bash(npm test)       $ PATH=/x npm test        deny  -
        Bash(npm test)       $ LD_PRELOAD=x npm test   deny  -
        Bash(echo *)         $ echo $(rm x)            deny  -
        Bash(echo *)         $ echo x > ~/.bashrc      deny  -
        Bash(find *)         $ find . -name x          deny  allow
        Bash(find *)         $ find . -delete          deny  -
        Bash(* --force)      $ git push --force        deny  allow
        Bash(curl * | bash)  $ curl x | bash           deny  -
        Bash(git push *)     $ $X push                 ask   -
        Write                $ echo x                  -     -
        Bash(npm run test *)  $ npm run test            deny  allow
        Bash(npm run test *)  $ npm run test --watch    deny  allow
        Bash(npm run test *)  $ npm run tests           -     -
        Bash(npm run test*)  $ npm run tests           deny  allow
        Bash(git * main)     $ git push origin main    deny  allow
        Bash(git * main)     $ git push origin mainly  -     -
        Bash(git:*)          $ git                     deny  allow
        Bash(git *)          $ git                     deny  allow
        "#,
    );
}

#[test]
fn blanks_do_not_matter() {
    let wide = ToolCall::bash("git  status", "/home/dev/app");
    let rule = &["Bash(git status)"];
    let none = Facts::default();
    assert_eq!(say(&policy(rule, &[], &[]), &wide, None, &none), Deny);
    assert_eq!(say(&policy(&[], &[], rule), &wide, None, &none), Allow);
}
