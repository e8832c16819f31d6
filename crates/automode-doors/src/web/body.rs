//! Bodies as they arrive, and headers that belong to a message.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc::{Receiver, channel};

/// Headers that belong to one connection and not to the message.
const HOP_BY_HOP: [HeaderName; 8] = [
    header::CONNECTION,
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::PROXY_AUTHORIZATION,
];

pub(crate) type BodyPiece = Result<Frame<Bytes>, std::io::Error>;

/// A reply that is still arriving.
pub(crate) struct Arriving(pub Receiver<BodyPiece>);

impl Body for Arriving {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        self.0.poll_recv(context)
    }
}

/// The headers that go on to the other side.
pub(crate) fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers.clone();
    for name in HOP_BY_HOP {
        passed.remove(name);
    }
    passed
}

/// Whether a body is packed: then nothing in it can be read.
pub(crate) fn is_packed(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(header::CONTENT_ENCODING).iter();
    kinds.any(|kind| kind.as_bytes() != b"identity")
}

/// A reply that is there as a whole, as JSON.
pub(crate) fn whole(status: StatusCode, body: impl Into<Bytes>) -> Response<Arriving> {
    let (sender, receiver) = channel(1);
    // The channel is new and has room for one.
    sender.try_send(Ok(Frame::data(body.into()))).ok();
    let mut response = Response::new(Arriving(receiver));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
