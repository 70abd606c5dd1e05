//! A server over pipes that does next to nothing, so that what is measured is the way to it.

use std::io::{self, BufRead as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The server that the benchmark starts.
#[derive(Debug, clap::Args)]
pub struct BenchServer {
    /// The number of tools, whose names are the prefix and a number.
    #[arg(long, default_value_t = 1)]
    tools: usize,
    /// The beginning of the names.
    #[arg(long, default_value = "t")]
    prefix: String,
    /// The microseconds for which each call keeps the processor busy.
    #[arg(long, default_value_t = 0)]
    busy: u64,
    /// Start the server as another program, and only copy between its pipes and those of this one.
    #[arg(long)]
    copy: bool,
}

impl BenchServer {
    /// Serves until stdin ends.
    ///
    /// # Errors
    ///
    /// Fails if stdin cannot be read, or stdout cannot be written.
    pub fn run(&self) -> io::Result<()> {
        if self.copy {
            return self.copy_lines();
        }
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        let mut line = String::new();
        while input.read_line(&mut line)? > 0 {
            if let Some(id) = value_after(&line, "\"id\":") {
                let reply = match value_after(&line, "\"method\":") {
                    Some("\"tools/call\"") => self.call(),
                    Some("\"tools/list\"") => self.list(),
                    Some("\"initialize\"") => initialized_message(),
                    _ => r#""error":{"code":-32601,"message":"unknown"}"#.to_owned(),
                };
                writeln!(output, r#"{{"jsonrpc":"2.0","id":{id},{reply}}}"#)?;
                output.flush()?;
            }
            line.clear();
        }
        Ok(())
    }

    /// Does the least that a program between client and server can do: two threads, each of which waits for one pipe.
    fn copy_lines(&self) -> io::Result<()> {
        let mut server = Command::new(std::env::current_exe()?);
        server.args(["bench-server", "--tools", &self.tools.to_string(), "--prefix", &self.prefix]);
        server.args(["--busy", &self.busy.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = server.spawn()?;
        let (input, output) = (server.stdin.take(), server.stdout.take());
        let copying = std::thread::spawn(move || match output {
            Some(mut output) => copy(&mut output, &mut io::stdout().lock()),
            None => Ok(()),
        });
        if let Some(mut input) = input {
            copy(&mut io::stdin().lock(), &mut input)?;
        }
        copying.join().map_err(|_| io::Error::other("the copying thread panicked"))??;
        server.wait().map(drop)
    }

    fn call(&self) -> String {
        let end = Instant::now() + Duration::from_micros(self.busy);
        while self.busy > 0 && Instant::now() < end {
            std::hint::spin_loop();
        }
        r#""result":{"content":[{"type":"text","text":"done"}]}"#.to_owned()
    }

    fn list(&self) -> String {
        let schema =
            r#"{"type":"object","properties":{"text":{"type":"string","description":"What to say"}}}"#;
        let tool = |number| {
            let prefix = &self.prefix;
            format!(
                r#"{{"name":"{prefix}{number}","description":"Does thing {number} of {prefix}","inputSchema":{schema}}}"#
            )
        };
        let tools: Vec<String> = (0..self.tools).map(tool).collect();
        format!(r#""result":{{"tools":[{}]}}"#, tools.join(","))
    }
}

fn copy(from: &mut dyn io::Read, to: &mut dyn io::Write) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..count])?;
        to.flush()?;
    }
}

fn initialized_message() -> String {
    r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}"#
        .to_owned()
}

/// Returns the first value after a key, which is a number or a string without escapes.
fn value_after<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(key)?;
    rest.split([',', '}']).next().map(str::trim)
}
