//! Where one signs in.

use maud::{Markup, html};

use super::layout::bare;

#[must_use]
pub fn sign_in(with_provider: bool, wrong: bool) -> Markup {
    let body = html! {
        div.card.narrow {
            p.brand.big { img src="/icon.svg" alt="" width="36" height="36"; "automode" }
            @if wrong { p.note.bad role="alert" { "That token opens nothing." } }
            @if with_provider {
                p { a.button.wide href="/sign-in/oidc" { "Sign in with your organisation" } }
                p.quiet { "or with the administrator's token" }
            }
            form method="post" action="/sign-in" {
                label for="token" { "Administrator's token" }
                input #token type="password" name="token" autocomplete="current-password" required autofocus;
                button.wide type="submit" { "Sign in" }
            }
            p.quiet { "The server printed it when it started for the first time. " code { "automode serve --new-token" } " prints a new one." }
        }
    };
    bare("Sign in", &body)
}
