//! Ctrl-C while an editor runs.

use std::fs;
use std::path::PathBuf;

use crate::prompt::terminal::Terminal;
use crate::prompt::{OVERLAY, Place};

/// The characters of Ctrl-C and Ctrl-\.
const KEYS: [&str; 2] = ["\u{3}", "\u{1c}"];

/// An editor that handles Ctrl-C itself, and then adds a typed line.
const PATIENT: &str = "sh -c 'trap \"echo heard\" INT QUIT; echo ready; while ! read -r line; do :; done; \
                       echo \"$line\" >> \"$1\"' -";

#[test]
fn an_editor_handles_interrupts_itself() {
    for key in KEYS {
        let place = Place::new();
        let before = place.overlay();
        let mut terminal = Terminal::start(place.command(&["prompt", "edit"], PATIENT));
        terminal.until("ready");
        terminal.types(key);
        terminal.until("heard");
        terminal.types("Be brief.\r");
        let end = terminal.end();
        assert_eq!((end.exit, end.signal), (Some(0), None), "{}", end.transcript);
        assert_eq!(place.overlay(), format!("{before}Be brief.\n"));
    }
}

/// An editor that does not handle the signal is killed, and nothing is edited.
#[test]
fn an_editor_can_be_interrupted() {
    for key in KEYS {
        let place = Place::new();
        let before = place.overlay();
        let editor = "sh -c 'echo half >> \"$1\"; echo ready; read -r line' -";
        let mut terminal = Terminal::start(place.command(&["prompt", "edit"], editor));
        terminal.until("ready");
        terminal.types(key);
        let end = terminal.end();
        assert_eq!((end.exit, end.signal), (Some(2), None), "{}", end.transcript);
        assert_eq!(place.remaining_copies(), [format!("{before}half\n")]);
        assert_eq!(place.overlay(), before);
    }
}

/// After the editor has ended, the command can be interrupted again: here it waits for a pipe in the place
/// of the text.
#[test]
fn the_command_can_be_interrupted_after_the_editor() {
    let place = Place::new();
    let editor = "sh -c 'rm \"$1\"; mkfifo \"$1\"; echo \"at <$1>\"' -";
    let mut terminal = Terminal::start(place.command(&["prompt", "edit"], editor));
    terminal.until("at <");
    let pipe = PathBuf::from(terminal.until(">"));
    // It is open when the command reads it.
    let pipe = fs::OpenOptions::new().write(true).open(pipe).unwrap();
    terminal.types(KEYS[0]);
    let end = terminal.end();
    assert_eq!((end.exit, end.signal), (None, Some(2)), "{}", end.transcript);
    drop(pipe);
    assert!(place.app().join(OVERLAY).exists());
}
