//! Connections and routes. A connection has one request, a size and a time that bound it; further ones than may be open at a
//! time are closed at once.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::families::Rendering;
use super::health::{not_alive, not_ready, page};
use super::hub::Hub;
use super::pages::Page;
use super::process::ProcessFacts;

/// Connections at a time, at each address.
const CONNECTIONS_MAX: usize = 32;

/// A request's head must have come within this time.
const HEAD_TIME_MAX: Duration = Duration::from_secs(5);

/// Request and answer must be done within this time.
const CONNECTION_TIME_MAX: Duration = Duration::from_secs(60);

/// A head may have so many bytes and lines.
const HEAD_BYTES_MAX: usize = 16 << 10;
const HEAD_LINES_MAX: usize = 64;

/// After a failed accept (descriptors used up, say) the address rests this long.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// The text format's own content type.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
const TEXT_TYPE: &str = "text/plain; charset=utf-8";

const CONTENTS: &str = "Ringlog\n\
    /metrics       what is counted, for Prometheus\n\
    /health/live   200 while every core turns\n\
    /health/ready  200 when clients are served; else 503 and the reasons\n";

/// Serves connections at an address, for ever.
pub async fn accept(listener: TcpListener, hub: Rc<Hub>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            Err(error) => {
                tracing::warn!(%error, "a connection for metrics cannot be accepted");
                sleep(ACCEPT_REST).await;
                continue;
            }
        };
        // There is no room for more: dropping the socket closes it.
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else { continue };
        let hub = Rc::clone(&hub);
        tokio::task::spawn_local(async move {
            let service = service_fn(move |request| answer(Rc::clone(&hub), request));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME_MAX)
                .max_buf_size(HEAD_BYTES_MAX)
                .max_headers(HEAD_LINES_MAX)
                .keep_alive(false)
                .serve_connection(TokioIo::new(socket), service);
            match timeout(CONNECTION_TIME_MAX, connection).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a connection for metrics has failed"),
                Err(_) => tracing::debug!("a connection for metrics took too long"),
            }
            drop(permit);
        });
    }
}

async fn answer<B>(hub: Rc<Hub>, request: Request<B>) -> Result<Response<Page>, Infallible> {
    let path = request.uri().path();
    if !matches!(path, "/" | "/metrics" | "/health/live" | "/health/ready") {
        return Ok(text(StatusCode::NOT_FOUND, format!("there is nothing at this path\n\n{CONTENTS}")));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response =
            text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are known here\n".to_owned());
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return Ok(response);
    }
    Ok(match path {
        "/metrics" => {
            let snapshot = hub.snapshot().await;
            let rendering = Rendering::new(snapshot, ProcessFacts::now(), &hub);
            with_type(StatusCode::OK, METRICS_TYPE, Page::Metrics(Box::new(rendering)))
        }
        "/health/live" => {
            let reasons = not_alive(&hub.health().await);
            text(status(&reasons), page("alive", "not alive", &reasons))
        }
        "/health/ready" => {
            let reasons = not_ready(&hub.health().await);
            text(status(&reasons), page("ready", "not ready", &reasons))
        }
        _ => text(StatusCode::OK, CONTENTS.to_owned()),
    })
}

fn status(reasons: &[String]) -> StatusCode {
    if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

fn text(status: StatusCode, text: String) -> Response<Page> {
    with_type(status, TEXT_TYPE, Page::Whole(text))
}

fn with_type(status: StatusCode, content_type: &'static str, page: Page) -> Response<Page> {
    let mut response = Response::new(page);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
