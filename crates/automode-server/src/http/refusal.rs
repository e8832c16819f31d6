//! Why a request got nothing. What the database said stays in the server's own log.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde_json::json;

use crate::store::DatabaseError;

/// An answer that is none.
#[derive(Debug)]
pub struct HttpRefusal {
    status: StatusCode,
    text: String,
    form: RefusalForm,
}

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefusalForm {
    Told,
    SignIn,
}

impl HttpRefusal {
    #[must_use]
    pub fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
            form: RefusalForm::Told,
        }
    }

    #[must_use]
    pub fn too_often() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many requests, try later",
        )
    }

    #[must_use]
    pub fn unknown() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "who you are is not known")
    }

    #[must_use]
    pub fn not_allowed(needed: &str) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            format!("this needs the role of {needed}"),
        )
    }

    #[must_use]
    pub fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    #[must_use]
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such thing")
    }

    /// To the page where one signs in.
    #[must_use]
    pub fn sign_in() -> Self {
        Self {
            form: RefusalForm::SignIn,
            ..Self::unknown()
        }
    }

    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<DatabaseError> for HttpRefusal {
    fn from(error: DatabaseError) -> Self {
        eprintln!("automode-server: {error}");
        match error {
            DatabaseError::Unreachable(_) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the database does not answer, try again",
            ),
            DatabaseError::Refused(_) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the database refused; the server's log says why",
            ),
            DatabaseError::Elsewhere(_) => Self::new(StatusCode::CONFLICT, "it does not follow"),
        }
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": self.text}))).into_response()
    }
}

/// The same as a page for people.
#[derive(Debug)]
pub struct PageRefusal(HttpRefusal);

impl From<HttpRefusal> for PageRefusal {
    fn from(refusal: HttpRefusal) -> Self {
        Self(refusal)
    }
}

impl From<DatabaseError> for PageRefusal {
    fn from(error: DatabaseError) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for PageRefusal {
    fn into_response(self) -> Response {
        match self.0.form {
            RefusalForm::SignIn => Redirect::to("/sign-in").into_response(),
            RefusalForm::Told => {
                let page = crate::page::message("This did not work", &self.0.text);
                (self.0.status, Html(page.into_string())).into_response()
            }
        }
    }
}
