//! The files of a gateway in the state folder: the audit of calls, the logs of servers, remembered lists of tools.
//!
//! A thread writes them, so that no call waits for a disk. Files are private, and bounded in size.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use minds_fs::{FileErrorKind, Root};
use minds_taskdoc::rfc3339;
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The folder in the state folder of a workspace.
const FOLDER: &str = "gateway";
/// The name of the audit.
const AUDIT: &str = "calls.jsonl";
/// The size of an audit or log after which it is renamed, in bytes; the one with that name before is removed.
const MAX_AUDIT_BYTES: u64 = 8 << 20;
const MAX_LOG_BYTES: u64 = 1 << 20;
/// The most bytes of log lines that wait to be written; further ones are left out.
const MAX_WAITING_BYTES: usize = 1 << 20;
/// The most bytes of a remembered list.
const MAX_LIST_BYTES: u64 = 64 << 20;
/// The number of remembered lists after which those of other configurations are removed.
const MAX_LISTS: usize = 256;
/// The version of remembered lists.
const VERSION: u32 = 1;
/// The longest name of a server that is the name of its log.
const MAX_NAME_BYTES: usize = 100;

/// A call in the audit. Arguments and results are not recorded.
#[derive(Debug, Serialize, Deserialize)]
pub struct AuditedCall {
    /// When it began, in UTC in the format of RFC 3339.
    pub ts: String,
    /// Who called.
    pub caller: String,
    /// The conversation.
    pub conversation: String,
    /// The id of the server.
    pub server: String,
    /// The tool, as members see it.
    pub tool: String,
    /// Its name at the server.
    pub original: String,
    /// Whether there was a result without an error.
    pub ok: bool,
    /// Why there was no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Cow<'static, str>>,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// The bytes of the arguments as JSON.
    pub bytes_in: usize,
    /// The bytes of the result as JSON.
    pub bytes_out: usize,
}

/// A list of tools that worked.
#[derive(Debug, Serialize, Deserialize)]
pub struct RememberedTools<T> {
    version: u32,
    /// The revision of the protocol that the server spoke.
    pub protocol: String,
    /// The tools.
    pub tools: Vec<T>,
}

enum Entry {
    Call(AuditedCall),
    Log { server: String, line: String },
    Tools { name: Option<WorkspacePath>, encode: Box<dyn FnOnce() -> Option<Vec<u8>> + Send> },
    Task(Box<dyn FnOnce() + Send>),
}

/// Writes the files of a gateway. Entries that were given before it is dropped are written.
#[derive(Debug)]
pub struct Journal {
    sender: Mutex<Option<Sender<Entry>>>,
    waiting: Arc<AtomicUsize>,
    folder: PathBuf,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Journal {
    /// Writes to the folder of gateways in a state folder, which is created with the first file.
    ///
    /// # Errors
    ///
    /// Fails if the system has no thread.
    pub fn new(state: &Path) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let folder = state.join(FOLDER);
        let writer = Writer { folder: folder.clone(), root: None, waiting: Arc::clone(&waiting) };
        let thread =
            std::thread::Builder::new().name("journal".to_owned()).spawn(move || writer.run(&receiver))?;
        Ok(Self { sender: Mutex::new(Some(sender)), waiting, folder, thread: Mutex::new(Some(thread)) })
    }

    /// Records a call.
    pub fn audit(&self, call: AuditedCall) {
        self.send(Entry::Call(call));
    }

    /// Records a line that a server wrote.
    pub fn log(&self, server: &str, line: &str) {
        let bytes = line.len() + 1;
        if self.waiting.fetch_add(bytes, Ordering::Relaxed) > MAX_WAITING_BYTES {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return;
        }
        self.send(Entry::Log { server: server.to_owned(), line: line.to_owned() });
    }

    /// Remembers the tools of a configuration.
    pub fn remember<T>(&self, fingerprint: &impl Display, protocol: &str, tools: Vec<T>)
    where
        T: Serialize + Send + 'static,
    {
        let tools = RememberedTools { version: VERSION, protocol: protocol.to_owned(), tools };
        let encode = Box::new(move || serde_json::to_vec(&tools).ok());
        self.send(Entry::Tools { name: list_name(fingerprint), encode });
    }

    /// Does something after what was recorded before.
    pub fn run(&self, task: impl FnOnce() + Send + 'static) {
        self.send(Entry::Task(Box::new(task)));
    }

    /// Returns the remembered tools of a configuration. A list that cannot be read is as good as none.
    pub fn recall<T: DeserializeOwned>(&self, fingerprint: &impl Display) -> Option<RememberedTools<T>> {
        let root = Root::open(&self.folder, MountId::WORKSPACE).ok()?;
        let file = root.no_follow().read(&list_name(fingerprint)?, MAX_LIST_BYTES).ok()?;
        let tools: RememberedTools<T> = serde_json::from_slice(&file.bytes).ok()?;
        (tools.version == VERSION).then_some(tools)
    }

    fn send(&self, entry: Entry) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner) {
            // The thread ends after the sender only.
            let _ = sender.send(entry);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

struct Writer {
    folder: PathBuf,
    root: Option<Root>,
    waiting: Arc<AtomicUsize>,
}

/// The time in which records are gathered before they are written.
const GATHERING: Duration = Duration::from_millis(10);

impl Writer {
    fn run(mut self, entries: &Receiver<Entry>) {
        while let Ok(first) = entries.recv() {
            if matches!(first, Entry::Call(_) | Entry::Log { .. }) {
                // More follow, and one write for all of them leaves the processor to the calls.
                minds_process::pause(GATHERING);
            }
            let mut files: Vec<(WorkspacePath, u64, Vec<u8>)> = Vec::new();
            let mut tasks = Vec::new();
            for entry in std::iter::once(first).chain(entries.try_iter()) {
                match entry {
                    Entry::Call(call) => {
                        let line = serde_json::to_vec(&call).unwrap_or_default();
                        add(&mut files, WorkspacePath::parse(AUDIT).ok(), MAX_AUDIT_BYTES, &line);
                    }
                    Entry::Log { server, line } => {
                        self.waiting.fetch_sub(line.len() + 1, Ordering::Relaxed);
                        add(&mut files, log_name(&server), MAX_LOG_BYTES, line.as_bytes());
                    }
                    Entry::Tools { name, encode } => {
                        if let (Some(name), Some(bytes)) = (name, encode()) {
                            self.remember(&name, &bytes);
                        }
                    }
                    Entry::Task(task) => tasks.push(task),
                }
            }
            for (name, limit, bytes) in files {
                self.append(&name, limit, &bytes);
            }
            for task in tasks {
                task();
            }
        }
    }

    /// Opens the folder. Without it nothing is recorded, which stops no call.
    fn root(&mut self) -> Option<&Root> {
        if self.root.is_none() {
            self.root = Root::open_private(&self.folder, MountId::WORKSPACE).ok();
        }
        self.root.as_ref()
    }

    fn append(&mut self, name: &WorkspacePath, limit: u64, bytes: &[u8]) {
        let Some(root) = self.root() else { return };
        let view = root.no_follow();
        if view.metadata(name).is_ok_and(|file| file.size > limit)
            && let Ok(old) = WorkspacePath::parse(&format!("{name}.old"))
        {
            // Another gateway of the workspace may have renamed it.
            let _ = view.remove_file_unsynced(&old);
            let _ = view.rename_unsynced(name, &old);
        }
        // A full disk stops no call.
        let _ = view.extend(name, bytes, FileMode::Private);
    }

    fn remember(&mut self, name: &WorkspacePath, bytes: &[u8]) {
        let Some(root) = self.root() else { return };
        let view = root.no_follow();
        if let Err(error) = view.replace(name, bytes, FileMode::Private, Expected::Any)
            && error.kind() != FileErrorKind::NotFound
        {
            return;
        }
        remove_other_lists(root, name);
    }
}

/// Removes the lists of other configurations where there are many.
fn remove_other_lists(root: &Root, kept: &WorkspacePath) {
    let view = root.no_follow();
    let Ok(listing) = view.list(&WorkspacePath::root(), 100 * MAX_LISTS) else { return };
    let lists: Vec<&WorkspacePath> =
        listing.entries.iter().map(|entry| &entry.real).filter(|path| is_list(path)).collect();
    if lists.len() > MAX_LISTS {
        for list in lists.into_iter().filter(|path| *path != kept) {
            let _ = view.remove_file_unsynced(list);
        }
    }
}

fn is_list(path: &WorkspacePath) -> bool {
    path.file_name().is_some_and(|name| name.starts_with("tools-"))
}

fn add(files: &mut Vec<(WorkspacePath, u64, Vec<u8>)>, name: Option<WorkspacePath>, limit: u64, line: &[u8]) {
    let Some(name) = name else { return };
    let at = files.iter().position(|(known, ..)| *known == name).unwrap_or_else(|| {
        files.push((name, limit, Vec::new()));
        files.len() - 1
    });
    if let Some((.., bytes)) = files.get_mut(at) {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
}

fn list_name(fingerprint: &impl Display) -> Option<WorkspacePath> {
    WorkspacePath::parse(&format!("tools-{fingerprint}.json")).ok()
}

/// Returns the name of the log of a server, whose id can be any string.
fn log_name(server: &str) -> Option<WorkspacePath> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut name = String::new();
    for byte in server.bytes() {
        if is_plain(byte) {
            name.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name.truncate(MAX_NAME_BYTES);
    WorkspacePath::parse(&format!("{name}.log")).ok()
}

/// Returns the current time for the audit.
pub fn timestamp() -> String {
    rfc3339(minds_process::now())
}
