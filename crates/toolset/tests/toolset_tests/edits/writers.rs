//! Many who change one file at once.

use std::process::{Command, Stdio};
use std::sync::Barrier;

use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use serde_json::json;

use crate::edits::site::{Site, outcome};

/// Tells a process of this test which writer it is, and where.
const WRITER: &str = "MINDS_TEST_WRITER";
const PLACE: &str = "MINDS_TEST_PLACE";

const WRITERS: usize = 8;
const EDITS: usize = 6;

/// Where writer `n` writes: lines of its own, each between two lines that no writer changes.
fn text() -> String {
    let line = |writer: usize, edit: usize| format!("slot-{writer}-{edit}\n\n}}\nkeep-{writer}-{edit}\n");
    (0..WRITERS).flat_map(|writer| (0..EDITS).map(move |edit| line(writer, edit))).collect()
}

/// Changes the lines of one writer, and appends as many lines; returns the result of each change.
fn write_as(writer: usize, place: &std::path::Path) -> Vec<(String, bool)> {
    let context =
        ToolContext::open(&place.join("workspace"), &place.join("state"), Clock::At(1_000_000)).unwrap();
    let (toolbox, caller) = (Toolbox::new(), Caller::operator(format!("writer-{writer}")));
    let mut said = Vec::new();
    for edit in 0..EDITS {
        let slot = json!({"path": ".minds/a.md", "start_anchor": format!("slot-{writer}-{edit}"),
            "end_anchor": format!("keep-{writer}-{edit}"), "content": format!("done-{writer}-{edit}"),
            "include_anchors": true});
        let append = json!({"path": ".minds/a.md", "content": format!("more-{writer}-{edit}")});
        for (tool, args, mark) in [("block_replace", slot, "done"), ("file_append", append, "more")] {
            let planned =
                toolbox.call(&context, &format!("team_mgmt_preview_{tool}"), &args, &caller).to_json();
            assert_eq!(planned["status"], "ok", "{planned}");
            let args = json!({"hunk_id": planned["hunk_id"]});
            let applied = toolbox.call(&context, "team_mgmt_apply_file_modification", &args, &caller);
            said.push((format!("{mark}-{writer}-{edit}\n"), !applied.is_refused()));
        }
    }
    said
}

/// Checks that the text contains exactly the reported changes.
fn expect_all(text: &str, said: &[(String, bool)]) {
    assert_eq!(said.len(), WRITERS * EDITS * 2);
    for (line, is_done) in said {
        assert_eq!(text.matches(line.as_str()).count(), usize::from(*is_done), "{line}");
    }
    let done = said.iter().filter(|(_, is_done)| *is_done).count();
    assert!(done >= WRITERS, "{done} of {} were applied", said.len());
    for kept in (0..WRITERS).flat_map(|writer| (0..EDITS).map(move |edit| format!("keep-{writer}-{edit}\n")))
    {
        assert_eq!(text.matches(&kept).count(), 1, "{kept}");
    }
}

/// Started by the test below, as a process of its own.
#[test]
fn one_writer() {
    let (Some(writer), Some(place)) = (std::env::var_os(WRITER), std::env::var_os(PLACE)) else { return };
    let writer = writer.to_str().unwrap().parse().unwrap();
    for (line, is_done) in write_as(writer, place.as_ref()) {
        println!("said {is_done} {}", line.trim());
    }
}

#[test]
fn nothing_is_lost_between_processes() {
    let site = Site::with(&text());
    let start = |writer: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "edits::writers::one_writer", "--nocapture"])
            .env(WRITER, writer.to_string())
            .env(PLACE, site.state().parent().unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..WRITERS).map(start).collect();
    let mut said = Vec::new();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let Some((_, rest)) = line.split_once("said ") else { continue };
            let (is_done, line) = rest.split_once(' ').unwrap();
            said.push((format!("{line}\n"), is_done == "true"));
        }
    }
    expect_all(&site.text(), &said);
    assert_eq!(site.hunks().len(), said.iter().filter(|(_, is_done)| !is_done).count());
}

#[test]
fn nothing_is_lost_between_threads() {
    let site = Site::with(&text());
    let place = site.state().parent().unwrap().to_owned();
    let said: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn({
                    let place = &place;
                    move || write_as(writer, place)
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    expect_all(&site.text(), &said);
}

#[test]
fn a_plan_is_applied_by_one_of_two_callers() {
    let site = Site::with("a\n");
    for _ in 0..20 {
        let before = site.text();
        let id = site.plan("file_append", json!({"content": "b"}));
        let barrier = Barrier::new(2);
        let mut found: Vec<String> = std::thread::scope(|scope| {
            let apply = || {
                barrier.wait();
                outcome(&site.apply(&id)).to_owned()
            };
            let threads = [scope.spawn(apply), scope.spawn(apply)];
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        found.sort();
        assert_eq!(found, ["HUNK_NOT_FOUND", "exact"]);
        assert_eq!(site.text(), before + "b\n");
    }
}
