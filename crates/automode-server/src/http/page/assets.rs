//! Files of the pages.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::page;

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=300")];
    (headers, text).into_response()
}

pub async fn style() -> Response {
    file("text/css; charset=utf-8", page::STYLE)
}

pub async fn script() -> Response {
    file("text/javascript; charset=utf-8", page::SCRIPT)
}

pub async fn icon() -> Response {
    file("image/svg+xml", page::ICON)
}
