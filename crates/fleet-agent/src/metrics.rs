//! Numbers about an agent, which Prometheus reads over HTTP on this machine.
//!
//! The format is the text format of Prometheus, version 0.0.4. One request is answered at a time, and each connection has one.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Failure};

/// The longest time for a request and for its answer.
const TIME: Duration = Duration::from_secs(2);
/// The maximum size of a request, in bytes.
const MAX_REQUEST_BYTES: usize = 8 << 10;
/// The upper bounds of the latencies that are counted together, in milliseconds.
const BOUNDS: [u64; 8] = [1, 5, 10, 25, 50, 100, 250, 1_000];

/// What is counted. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    tokens: u64,
    /// The number of latencies up to each bound, and of all.
    latencies: [u64; BOUNDS.len() + 1],
    latency_sum: f64,
}

impl Metrics {
    /// Counts the tokens of a request and of its answer.
    pub(crate) fn add_tokens(&self, tokens: u64) {
        self.with(|counts| counts.tokens = counts.tokens.saturating_add(tokens));
    }

    /// Counts the time between the arrival of text and its frame.
    pub(crate) fn add_latency(&self, latency: Duration) {
        let milliseconds = latency.as_secs_f64() * 1000.0;
        self.with(|counts| {
            counts.latency_sum += milliseconds;
            let bounds = BOUNDS.iter().map(Some).chain([None]);
            for (count, bound) in counts.latencies.iter_mut().zip(bounds) {
                let is_within = bound.is_none_or(|bound| latency <= Duration::from_millis(*bound));
                *count += u64::from(is_within);
            }
        });
    }

    fn with<T>(&self, use_counts: impl FnOnce(&mut Counts) -> T) -> T {
        use_counts(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the numbers in the format of Prometheus.
    fn print(&self, agent: &str, queue: u64) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = self.with(|counts| {
            writeln!(text, "# HELP ateam_agent_tokens_total Tokens of requests and answers.")?;
            writeln!(text, "# TYPE ateam_agent_tokens_total counter")?;
            writeln!(text, "ateam_agent_tokens_total{{agent=\"{agent}\"}} {}", counts.tokens)?;
            writeln!(text, "# HELP ateam_queue_depth Items that wait.")?;
            writeln!(text, "# TYPE ateam_queue_depth gauge")?;
            writeln!(text, "ateam_queue_depth{{agent=\"{agent}\"}} {queue}")?;
            writeln!(text, "# HELP ateam_tail_latency_ms Time from the arrival of text to its frame.")?;
            writeln!(text, "# TYPE ateam_tail_latency_ms histogram")?;
            let names = BOUNDS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
            for (name, count) in names.zip(counts.latencies) {
                writeln!(text, "ateam_tail_latency_ms_bucket{{agent=\"{agent}\",le=\"{name}\"}} {count}")?;
            }
            writeln!(text, "ateam_tail_latency_ms_sum{{agent=\"{agent}\"}} {}", counts.latency_sum)?;
            let all = counts.latencies.last().copied().unwrap_or_default();
            writeln!(text, "ateam_tail_latency_ms_count{{agent=\"{agent}\"}} {all}")
        });
        text
    }
}

/// Answers requests for numbers on a port of the loopback address, on a thread of its own, until the process ends. `queue`
/// returns the number of items that wait.
///
/// # Errors
///
/// Returns `config.invalid` if the port cannot be used.
pub(crate) fn serve(
    metrics: &Metrics,
    agent: &str,
    port: u16,
    queue: impl Fn() -> u64 + Send + 'static,
) -> Result<(), Failure> {
    let unusable = |error: io::Error| {
        let message = format!("cannot use the port {port} of `telemetry.prometheus_port`: {error}");
        Failure::new(ErrorCode::ConfigInvalid, message)
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(unusable)?;
    let (metrics, agent) = (metrics.clone(), agent.to_owned());
    let answer_all = move || {
        for stream in listener.incoming().flatten() {
            // A client that does not read or write is its own loss.
            let _ = answer(stream, || metrics.print(&agent, queue()));
        }
    };
    std::thread::Builder::new().name("metrics".to_owned()).spawn(answer_all).map_err(unusable)?;
    Ok(())
}

fn answer(mut stream: TcpStream, print: impl FnOnce() -> String) -> io::Result<()> {
    stream.set_read_timeout(Some(TIME))?;
    stream.set_write_timeout(Some(TIME))?;
    let (mut request, mut chunk) = (Vec::new(), [0; 1 << 10]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < MAX_REQUEST_BYTES {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        request.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
    let (status, body) = if request.starts_with(b"GET /metrics ") {
        ("200 OK", print())
    } else {
        ("404 Not Found", "see /metrics\n".to_owned())
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_counted_up_to_each_bound() {
        let metrics = Metrics::default();
        metrics.add_tokens(7);
        for milliseconds in [0, 5, 30, 2_000] {
            metrics.add_latency(Duration::from_millis(milliseconds));
        }
        let text = metrics.print("app/zeus", 3);
        for line in [
            "ateam_agent_tokens_total{agent=\"app/zeus\"} 7",
            "ateam_queue_depth{agent=\"app/zeus\"} 3",
            "ateam_tail_latency_ms_bucket{agent=\"app/zeus\",le=\"1\"} 1",
            "ateam_tail_latency_ms_bucket{agent=\"app/zeus\",le=\"5\"} 2",
            "ateam_tail_latency_ms_bucket{agent=\"app/zeus\",le=\"50\"} 3",
            "ateam_tail_latency_ms_bucket{agent=\"app/zeus\",le=\"1000\"} 3",
            "ateam_tail_latency_ms_bucket{agent=\"app/zeus\",le=\"+Inf\"} 4",
            "ateam_tail_latency_ms_sum{agent=\"app/zeus\"} 2035",
            "ateam_tail_latency_ms_count{agent=\"app/zeus\"} 4",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }
}
