//! `acp`: one agent for an editor, over stdio.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use minds_acp::{ENGINE_LINE_BYTES, FoundLine, LineSplitter, Server, ServerAction};
use minds_fleet_bus::{Follower, Start};
use minds_fleet_protocol::methods::{ConfirmAnswer, HistoryRead, Input, InputMeta, Interrupt};
use minds_fleet_protocol::{AgentId, ErrorCode, Failure, HistoryRecord};
use minds_output::Output;

use crate::args::{AcpArgs, Options};
use crate::client::Client;
use crate::command_error::CommandError;
use crate::session::Session;
use crate::starter::{Started, start};

/// The kind of client that the command is, and where its inputs come from.
const CLIENT: &str = "acp";
/// How long to wait for frames before the editor is asked for.
const TICK: Duration = Duration::from_millis(20);
/// How long to wait for the editor while there is no agent.
const WAIT: Duration = Duration::from_mins(1);
/// The number of bytes that are read from the editor at once, and of such parts that wait.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 16;
/// The number of records of one request for the history, and of all.
const PAGE: u32 = 100;
const MAX_RECORDS: usize = 2_000;

/// The agent that an editor has opened.
struct Attached {
    client: Client,
    follower: Box<dyn Follower>,
}

/// Serves an agent until the editor closes the connection.
pub(super) fn run(options: &Options, args: &AcpArgs) -> Result<ExitCode, CommandError> {
    let session = Session::open_as_client(options, CLIENT)?;
    let agent = session.id(&args.agent)?;
    let (send, chunks) = mpsc::sync_channel(CHUNKS);
    let thread = std::thread::Builder::new().name("editor".to_owned()).spawn(move || read(&send));
    thread.map_err(|error| CommandError::System(format!("a thread cannot be started: {error}")))?;
    let mut bridge = Bridge { session, agent, args, attached: None };
    let served = bridge.serve(&chunks);
    if let Some(Attached { mut client, .. }) = bridge.attached.take() {
        // The ownership also ends with the connection, only later.
        let _ = client.release();
    }
    served.map(|()| ExitCode::SUCCESS)
}

struct Bridge<'o> {
    session: Session<'o>,
    agent: AgentId,
    args: &'o AcpArgs,
    attached: Option<Attached>,
}

impl Bridge<'_> {
    fn serve(&mut self, chunks: &Receiver<Vec<u8>>) -> Result<(), CommandError> {
        let mut server = Server::new(&self.agent);
        let mut lines = LineSplitter::new(ENGINE_LINE_BYTES);
        loop {
            // With an agent, the waiting is for its frames.
            let wait = if self.attached.is_some() { Duration::ZERO } else { WAIT };
            match chunks.recv_timeout(wait) {
                Ok(chunk) => lines.push(&chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(line) = lines.next_line() {
                match line {
                    FoundLine::TooLong => server.receive_too_long(),
                    FoundLine::Bytes(line) => {
                        if let Some(action) = server.receive(&line) {
                            self.perform(&mut server, action);
                        }
                    }
                }
                if !write(&mut server)? {
                    return Ok(());
                }
            }
            let followed = self.follow(&mut server);
            if let Err(failure) = &followed {
                server.fail(failure);
            }
            if !write(&mut server)? {
                return Ok(());
            }
            followed?;
        }
    }

    /// Passes the frames on that have come.
    fn follow(&mut self, server: &mut Server) -> Result<(), Failure> {
        let Some(Attached { client, follower }) = &mut self.attached else { return Ok(()) };
        let frames = follower.read(TICK)?;
        for frame in &frames {
            server.take_frame(frame);
        }
        if frames.is_empty() {
            // Fails if the agent has ended.
            client.poll()?;
        }
        if !client.takeovers().is_empty() {
            Output::remark(&format!("another client takes `{}` over", self.agent));
            client.release()?;
        }
        Ok(())
    }

    fn perform(&mut self, server: &mut Server, action: ServerAction) {
        let done = match action {
            ServerAction::Attach { is_load } => self.attach(server, is_load),
            ServerAction::Input(text) => self.call(|client| {
                let meta = InputMeta { source: CLIENT.to_owned(), trace_id: None };
                server.note_item(client.call(&Input { text, meta })?.qid);
                Ok(())
            }),
            ServerAction::Interrupt => {
                // Work that has ended meanwhile needs no interrupt.
                let _ = self.call(|client| client.call(&Interrupt {}).map(drop));
                return;
            }
            ServerAction::Confirm { id, is_allowed } => {
                // It may have expired, or be answered elsewhere.
                let _ = self.call(|client| client.call(&ConfirmAnswer { id, answer: is_allowed }).map(drop));
                return;
            }
        };
        if let Err(failure) = done {
            server.fail(&failure);
        }
    }

    fn call(&mut self, action: impl FnOnce(&mut Client) -> Result<(), Failure>) -> Result<(), Failure> {
        match &mut self.attached {
            Some(Attached { client, .. }) => action(client),
            None => Err(Failure::new(ErrorCode::NotAttached, "no session is open")),
        }
    }

    /// Becomes the owner of the agent, which is started if it does not run.
    fn attach(&mut self, server: &mut Server, is_load: bool) -> Result<(), Failure> {
        if self.attached.is_none() {
            self.attached = Some(self.open().map_err(CommandError::into_failure)?);
        }
        if let Some(Attached { client, .. }) = self.attached.as_mut().filter(|_| is_load) {
            server.replay(&read_history(client)?);
        }
        server.note_session();
        Ok(())
    }

    fn open(&self) -> Result<Attached, CommandError> {
        let (session, agent) = (&self.session, &self.agent);
        if !session.is_running(agent)? {
            session.expect_valid()?;
            if !session.is_configured(agent) {
                return Err(session.not_found(agent));
            }
            if let Started::New(pid) = start(session, agent, false)? {
                Output::remark(&format!("started `{agent}`, process {pid}"));
            }
        }
        let mut client = session.connect(agent)?;
        let follower = session.bus.follow(agent, Start::End)?;
        match client.claim(false) {
            // The editor has no terminal, so the option itself is the confirmation.
            Err(failure) if self.args.takeover && failure.code() == Some(ErrorCode::OwnershipDenied) => {
                client.claim(true)?;
            }
            claimed => claimed?,
        }
        Ok(Attached { client, follower })
    }
}

/// Returns the newest records of the history, in order.
fn read_history(client: &mut Client) -> Result<Vec<HistoryRecord>, Failure> {
    let mut pages = Vec::new();
    let (mut before, mut count) = (None, 0);
    loop {
        let page = client.call(&HistoryRead { n: PAGE, before })?;
        count += page.turns.len();
        let is_last = page.turns.is_empty() || page.first.is_none() || count >= MAX_RECORDS;
        before = page.first;
        // A record of a later version is left out.
        pages.push(page.turns.iter().filter_map(|turn| turn.decode().ok()).collect::<Vec<_>>());
        if is_last {
            return Ok(pages.into_iter().rev().flatten().collect());
        }
    }
}

/// Passes on what the editor writes, until it closes the connection.
fn read(chunks: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match io::stdin().lock().read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) | Ok(0) => return,
            Ok(count) => {
                let bytes = chunk.get(..count).unwrap_or_default().to_vec();
                if chunks.send(bytes).is_err() {
                    return;
                }
            }
        }
    }
}

/// Writes what is ready; returns whether the editor still reads it.
fn write(server: &mut Server) -> Result<bool, CommandError> {
    let output = server.take_output();
    if output.is_empty() {
        return Ok(true);
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(&output).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CommandError::System(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(true),
    }
}
