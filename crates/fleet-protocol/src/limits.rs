//! The limits of the protocol, each with its unit.
//!
//! A limit that users can change is the default of a setting; the code that applies it takes the value as an argument.

use std::time::Duration;

/// The maximum size of an encoded request or response, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 262_144;
/// The size above which the text of a frame is split, in bytes of text.
pub const MAX_FRAME_TEXT_BYTES: usize = 8_192;
/// The number of frames that an agent keeps at least.
pub const RING_FRAMES: usize = 2_048;
/// The number of offsets that an agent reserves at once.
pub const OFFSET_BLOCK: u64 = 1_000;
/// The maximum number of frames in one answer of `tail`.
pub const MAX_TAIL_FRAMES: usize = 512;

/// The timeout of a request without `timeout_sec`, in seconds.
pub const DEFAULT_TIMEOUT_SECONDS: f64 = 15.0;
/// The maximum of `timeout_sec`, in seconds.
pub const MAX_TIMEOUT_SECONDS: f64 = 3_600.0;
/// How much the clocks of two machines may differ before a request counts as expired, in seconds.
pub const CLOCK_SKEW_SECONDS: f64 = 2.0;

/// How long the answer of a request is remembered.
pub const RECORD_LIFETIME: Duration = Duration::from_mins(1);
/// The maximum number of remembered requests; a full queue and a minute of other requests fit.
pub const MAX_RECORDS: usize = 65_536;
/// The maximum number of inputs that wait in one client.
pub const MAX_WAITING_INPUTS: usize = 1_024;
/// The maximum number of pending items of an agent.
pub const MAX_PENDING_ITEMS: usize = 20_000;
/// The time after the first failure within which a request is sent again.
pub const RETRY_WINDOW: Duration = Duration::from_secs(2);

/// The waiting time after the first lost connection.
pub const RECONNECT_MIN: Duration = Duration::from_millis(250);
/// The maximum waiting time before a connection is tried again, before the random change of up to 25 %.
pub const RECONNECT_MAX: Duration = Duration::from_secs(5);
/// The number of failed connections after which a warning follows.
pub const RECONNECT_WARNING: u32 = 5;

/// The interval between heartbeats on Redis.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);
/// The time without a heartbeat after which an agent is disconnected.
pub const HEARTBEAT_LIFETIME: Duration = Duration::from_secs(10);
/// How long a disconnected agent is displayed.
pub const DISCONNECTED_LIFETIME: Duration = Duration::from_mins(2);
/// The maximum duration of a planned restart.
pub const MAX_GRACE: Duration = Duration::from_mins(1);

/// The time after which an owner on Redis expires without a refresh.
pub const OWNER_LIFETIME: Duration = Duration::from_secs(30);
/// The interval between refreshes of an owner on Redis.
pub const OWNER_REFRESH_INTERVAL: Duration = Duration::from_secs(10);
/// The time after which an owner on the local bus expires when its connection ended.
pub const OWNER_RECONNECT_WINDOW: Duration = Duration::from_secs(2);
/// The time that an owner has to release an agent before a takeover is final.
pub const TAKEOVER_GRACE: Duration = Duration::from_secs(2);

/// The window in which token events are joined.
pub const COALESCE_WINDOW: Duration = Duration::from_millis(50);
/// The number of token events in a second above which they are joined.
pub const COALESCE_RATE: usize = 200;
/// The time after which output without a newline is released.
pub const PARTIAL_LINE_DELAY: Duration = Duration::from_millis(40);
/// The number of bytes of text that the redactor holds back if a secret may be longer than a word.
pub const REDACTION_WINDOW_BYTES: usize = 256;
/// The time without new text after which the redactor releases what it holds back.
pub const REDACTION_DELAY: Duration = Duration::from_millis(200);

/// The minimum length of a value that is redacted wherever it occurs, in bytes.
pub const MIN_SECRET_BYTES: usize = 4;

/// The time after which a confirmation expires.
pub const CONFIRMATION_LIFETIME: Duration = Duration::from_mins(10);
/// The time after which a bootstrap token expires, unless another one is asked for.
pub const BOOTSTRAP_LIFETIME: Duration = Duration::from_mins(5);
/// The maximum lifetime of a bootstrap token, in seconds; the minimum is one second.
pub const MAX_BOOTSTRAP_SECONDS: u32 = 3_600;

/// The maximum number of paths, URLs and documents in one `kb.ingest`.
pub const MAX_INGEST_SOURCES: usize = 512;
/// The maximum number of results of a search.
pub const MAX_SEARCH_RESULTS: u32 = 100;

/// The percentage of the context above which turns are summarized after a turn.
pub const CONTEXT_SUMMARIZE_LATER: u64 = 75;
/// The percentage of the context from which turns are summarized before the next step.
pub const CONTEXT_SUMMARIZE_FIRST: u64 = 90;
/// The percentage of the context above which inputs are refused.
pub const CONTEXT_REFUSE: u64 = 95;
/// The characters of a token, if the model does not report the number of tokens.
pub const CHARACTERS_PER_TOKEN: u64 = 4;
/// The target of a summary, in tokens.
pub const SUMMARY_TARGET_TOKENS: u64 = 400;
/// The maximum of an accepted summary, in tokens.
pub const MAX_SUMMARY_TOKENS: u64 = 480;
/// The maximum size of a history file before it is rotated, in bytes.
pub const HISTORY_MAX_BYTES: u64 = 52_428_800;
/// The number of rotated history files that stay.
pub const HISTORY_FILES: u32 = 5;
/// The number of summaries that stay in their file.
pub const MAX_SUMMARIES: usize = 200;
/// The number of done items after which the queue file is compacted.
pub const COMPACTION_ITEMS: usize = 100;
