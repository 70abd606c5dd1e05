//! What a line of the REPL means.

/// The number of records that `history tail` prints without a number.
const DEFAULT_RECORDS: usize = 20;
/// The maximum number of records that `history tail` prints.
pub(super) const MAX_RECORDS: usize = 200;

/// A line of the REPL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplLine<'l> {
    /// Nothing but white space.
    Empty,
    /// `status`
    Status,
    /// `queue`
    Queue,
    /// `queue clear`
    ClearQueue,
    /// `history tail [N]`
    History(usize),
    /// `history tail N` with a number that is not valid.
    InvalidHistory,
    /// `sys show`
    ShowPrompt,
    /// `sys reload`
    ReloadPrompt,
    /// `kb ingest PATH…`
    Ingest,
    /// `inbox scan`
    ScanInbox,
    /// `help`
    Help,
    /// An input, unchanged.
    Input(&'l str),
}

/// Returns what a line means. A command is recognized only as a whole line, so that a sentence that begins with one of its words
/// is an input.
pub(super) fn parse(line: &str) -> ReplLine<'_> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [] => ReplLine::Empty,
        ["status"] => ReplLine::Status,
        ["queue"] => ReplLine::Queue,
        ["queue", "clear"] => ReplLine::ClearQueue,
        ["history", "tail"] => ReplLine::History(DEFAULT_RECORDS),
        ["history", "tail", number] if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = number.parse().ok().filter(|number| (1..=MAX_RECORDS).contains(number));
            number.map_or(ReplLine::InvalidHistory, ReplLine::History)
        }
        ["sys", "show"] => ReplLine::ShowPrompt,
        ["sys", "reload"] => ReplLine::ReloadPrompt,
        ["kb", "ingest", ..] => ReplLine::Ingest,
        ["inbox", "scan"] => ReplLine::ScanInbox,
        ["help"] => ReplLine::Help,
        _ => ReplLine::Input(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_line_is_a_command() {
        use ReplLine::{
            ClearQueue, Empty, Help, History, Ingest, Input, InvalidHistory, Queue, ReloadPrompt, ScanInbox,
            ShowPrompt, Status,
        };
        for (line, expected) in [
            ("", Empty),
            (" \t", Empty),
            ("\r", Empty),
            ("status", Status),
            (" status \r", Status),
            ("status of the build?", Input("status of the build?")),
            ("Status", Input("Status")),
            ("queue", Queue),
            ("queue  clear", ClearQueue),
            ("queue clearly", Input("queue clearly")),
            ("history tail", History(20)),
            ("history tail 1", History(1)),
            ("history tail 200", History(200)),
            ("history tail 0", InvalidHistory),
            ("history tail 201", InvalidHistory),
            ("history tail 99999999999999999999999", InvalidHistory),
            ("history tail end", Input("history tail end")),
            ("history", Input("history")),
            ("sys show", ShowPrompt),
            ("sys reload", ReloadPrompt),
            ("kb ingest", Ingest),
            ("kb ingest a.md b.md", Ingest),
            ("kb search x", Input("kb search x")),
            ("inbox scan", ScanInbox),
            ("help", Help),
            ("help me", Input("help me")),
            ("  say hi\r", Input("  say hi")),
            ("quit", Input("quit")),
        ] {
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }
}
