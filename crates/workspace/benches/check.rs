//! Measures the cost of a check compared with parsing alone, on the same input in the same run.
//!
//! `cargo bench -p minds-workspace` prints the medians of alternating runs and their ratios to parsing alone.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_vfs::{Snapshot, WorkspacePath};
use saphyr_parser::Parser;

const MEMBERS: usize = 1_000;
const ROUNDS: usize = 41;

/// Returns a clean team with comments, block lists and flow lists, 14 keys a member.
fn team(members: usize) -> String {
    let mut text = String::from(
        "# A team that was generated.\nmember_defaults:\n  provider: codex\n  model: gpt-5.2\n  no_write_dirs:\n    - .minds\n\
         default_responder: member-0\nshell_specialists: [member-0]\nmembers:\n",
    );
    for id in 0..members {
        let shell = if id == 0 { "\n      - os" } else { "" };
        let _ = write!(
            text,
            "  # The member with the number {id}, who does what its number says.\n\
             \x20 member-{id}:\n    name: Member Number {id}\n    icon: \"🤖\"\n    gofor:\n      - writing the code of part {id}\n\
             \x20     - reviewing changes of part {id} before they are merged\n    provider: openai\n    model: gpt-5.2\n\
             \x20   model_params:\n      max_tokens: 4096\n      openai: {{temperature: 0.2, reasoning_effort: high}}\n\
             \x20   toolsets:\n      - ws_read\n      - ws_mod # to edit{shell}\n      - team_memory\n    tools: [apply_patch]\n\
             \x20   diligence-push-max: 3\n    read_dirs: [src, docs, tests, examples]\n    write_dirs:\n      - src/part-{id}\n\
             \x20     - tests/part-{id}/**\n      - docs/**/part-{id}\n    no_read_dirs: [docs/secrets, 'src/*/private']\n\
             \x20   no_write_dirs:\n      - .minds\n      - src/part-{id}/generated\n    streaming: true\n    hidden: false\n",
        );
    }
    text
}

fn main() {
    let text = team(MEMBERS);
    let snapshot = Snapshot::new()
        .with_file(WorkspacePath::parse(".minds/team.yaml").expect("the path is valid"), &text);
    let checked = minds_workspace::check(&snapshot);
    assert!(checked.diagnostics.is_empty(), "the generated team is clean: {:?}", checked.diagnostics.first());

    let events = || {
        for event in Parser::new_from_str(&text) {
            black_box(event.expect("the text is valid"));
        }
    };
    let tree = || drop(black_box(yaml::parse(&SourceFile::new("team.yaml", text.as_str()))));
    let check = || drop(black_box(minds_workspace::check(&snapshot)));
    let runs: [(&str, &dyn Fn()); 3] =
        [("events", &events), ("parse + tree", &tree), ("text to diagnostics", &check)];

    let mut times = vec![Vec::new(); runs.len()];
    for _ in 0..ROUNDS {
        for (run, times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            (run.1)();
            times.push(start.elapsed());
        }
    }
    println!("{MEMBERS} members, {} bytes, median of {ROUNDS} alternating runs", text.len());
    let medians: Vec<Duration> = times.iter_mut().map(|times| median(times)).collect();
    let base = medians.first().map_or(1.0, Duration::as_secs_f64);
    for ((name, _), median) in runs.iter().zip(&medians) {
        let milliseconds = median.as_secs_f64() * 1e3;
        println!("{name:22} {milliseconds:8.2} ms  {:5.2} x events", median.as_secs_f64() / base);
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
