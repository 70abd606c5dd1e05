//! Text from other files, and editors that fail.

use std::fs;

use crate::prompt::{OVERLAY, Place};

const EDIT: [&str; 2] = ["prompt", "edit"];

#[test]
fn text_that_was_saved_before_an_editor_failed_is_kept() {
    let place = Place::new();
    let before = place.overlay();
    let failed = "error[system]: the editor failed; nothing was written\n";
    let (code, stdout, stderr) = place.edited_by("sh -c 'echo mine >> \"$0\"; false'", &EDIT);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("your changes are kept in `") && stderr.ends_with(failed), "{stderr}");
    let kept = stderr.split('`').nth(1).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), format!("{before}mine\n"));
    fs::remove_file(kept).unwrap();
    // There is nothing to keep.
    for editor in ["false", "no-such-editor-is-there 2>/dev/null", "sh -c 'echo > \"$0\"; false'"] {
        assert_eq!(place.edited_by(editor, &EDIT), (2, String::new(), failed.to_owned()), "{editor}");
    }
    for editor in ["rm", "sh -c 'rm \"$0\"; false'"] {
        let (code, _, stderr) = place.edited_by(editor, &EDIT);
        let gone = "error[system]: the editor removed the file; nothing was written\n";
        assert_eq!((code, stderr.as_str()), (2, gone), "{editor}");
    }
    assert_eq!(place.remaining_copies(), Vec::<String>::new());
    assert_eq!(place.overlay(), before);
}

/// A file that is given is read even if it is a pipe, a hard link or a symbolic link.
#[test]
fn the_new_text_can_come_from_a_file_a_pipe_or_stdin() {
    let place = Place::new();
    let before = place.overlay();
    let from = |file: &str| place.minds(&[&EDIT[..], &["--from", file]].concat());
    let new = format!("one\n{before}");
    let file = Place::write(&place.home(), "new.md", &new);
    fs::hard_link(&file, place.home().join("other.md")).unwrap();
    std::os::unix::fs::symlink("/dev/stdin", place.home().join("link")).unwrap();
    let (code, _, stderr) = from("../../other.md");
    assert_eq!((code, place.overlay()), (0, new), "{stderr}");
    let new = format!("two\n{before}");
    for named in ["/dev/stdin", "/dev/fd/0", "../../link"] {
        let (code, _, stderr) = place.run_with_input(&[&EDIT[..], &["--from", named]].concat(), &new);
        assert_eq!((code, place.overlay()), (0, new.clone()), "{named}: {stderr}");
        fs::write(place.app().join(OVERLAY), &before).unwrap();
    }
    for (file, why) in
        [("..", "is a directory"), ("/", "is a directory"), ("none.md", "`none.md` does not exist")]
    {
        let (code, _, stderr) = from(file);
        assert!(code == 2 && stderr.contains(why), "{file}: {stderr}");
    }
    let large = Place::write(&place.home(), "large.md", &"a".repeat((1 << 20) + 1));
    let (code, _, stderr) = from(large.to_str().unwrap());
    let message =
        format!("error[refused]: {}: a prompt must not exceed 1 MiB; nothing was written\n", large.display());
    assert_eq!((code, stderr), (1, message));
    assert_eq!(place.overlay(), before);
}
