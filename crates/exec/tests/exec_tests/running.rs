//! Output, ends, limits and stops of commands.





use crate::place::{Place, run};

#[test]
fn a_command_reports_its_output_and_its_exit_code() {
    let place = Place::new();
    for (line, rc, stdout, stderr) in [
        ("true", 0, "", ""),
        ("exit 3", 3, "", ""),
        ("echo a && echo b >&2 && false", 1, "a\n", "b\n"),
        ("printf 'no newline'", 0, "no newline", ""),
        ("false || echo c; exit 255", 255, "c\n", ""),
        ("echo $0; pwd -P >/dev/null; cat", 0, "/bin/sh\n", ""),
        ("kill -9 $$", 137, "", ""),
        ("kill -TERM $$", 143, "", ""),
    ] {
        let done = run(&place.command(line));
        assert_eq!(
            (done.outcome.rc, &*done.stdout, &*done.stderr, done.outcome.timed_out),
            (rc, stdout, stderr, false),
            "{line}"
        );
    }
}
