//! The cost of hostile inputs: time, and whether limited memory is sufficient.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const DEFAULTS: &str = "member_defaults: {provider: codex, model: gpt-5.2}\n";

/// An input, and the address space in megabytes that must be sufficient for it.
struct Bomb {
    name: &'static str,
    team: String,
    megabytes: u32,
}

/// Checks each input in a separate process, and prints the median time.
pub(crate) fn run(minds: &Path, folder: &Path) {
    println!("hostile inputs, median of {ROUNDS} runs, each with bounded memory");
    for bomb in bombs() {
        let workspace = folder.join(bomb.name.replace(' ', "-"));
        std::fs::create_dir_all(workspace.join(".minds")).expect("the folder can be made");
        std::fs::write(workspace.join(".minds/team.yaml"), &bomb.team).expect("the file can be written");
        let mut times: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let status = check_command_with_limit(minds, &workspace, bomb.megabytes)
                    .status()
                    .expect("the shell starts");
                assert_eq!(status.code(), Some(1), "{} has findings and ends by itself", bomb.name);
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        let milliseconds = times[ROUNDS / 2].as_secs_f64() * 1e3;
        println!(
            "{:28} {:>9} bytes {milliseconds:8.1} ms within {:>3} MB",
            bomb.name,
            bomb.team.len(),
            bomb.megabytes
        );
    }
}

/// Returns the command that checks a workspace with limited address space.
fn check_command_with_limit(minds: &Path, workspace: &Path, megabytes: u32) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {} && exec \"$0\" check --format json", megabytes * 1024);
    command
        .args(["-c", &script])
        .arg(minds)
        .current_dir(workspace)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn bombs() -> Vec<Bomb> {
    let small = |name, team| Bomb { name, team, megabytes: 64 };
    let laughs: String = (1..9)
        .map(|level| format!("x-{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")))
        .collect();
    let merges: String =
        (1..3_000).map(|level| format!("x-{level}: &a{level} {{<<: *a{}}}\n", level - 1)).collect();
    vec![
        small(
            "billion laughs",
            format!("{DEFAULTS}x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n{laughs}"),
        ),
        small("100,000 brackets", "[".repeat(100_000)),
        small("50,000 dashes", "- ".repeat(50_000)),
        small("20,000 question marks", "? ".repeat(20_000)),
        small("3,000 block levels", (0..3_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect()),
        small("alias in itself", "a: &a [*a]\n".into()),
        small(
            "3,000 merge keys",
            format!("{DEFAULTS}x-0: &a0 {{k: v}}\n{merges}members: {{a: {{<<: *a2999}}}}\n"),
        ),
        small("equal keys", "a: 1\n".repeat(10_000)),
        small("100 members with wildcards", wildcards(100, &["no_write_dirs"], 14)),
        small(
            "60 members, 4 lists each",
            wildcards(60, &["read_dirs", "no_read_dirs", "write_dirs", "no_write_dirs"], 10),
        ),
        small("1,500 entries", {
            let entries: Vec<String> = (0..1_500).map(|at| format!("'**/*x{at}*/y'")).collect();
            format!(
                "{DEFAULTS}default_responder: nobody\nmembers:\n  a: {{no_write_dirs: [{}]}}\n",
                entries.join(", ")
            )
        }),
        small("1,200 unknown names", unknown_names()),
        Bomb {
            name: "300,000 keys",
            team: (0..300_000).map(|key| format!("k{key}: 1\n")).collect(),
            megabytes: 160,
        },
        Bomb {
            name: "100,000 suppressed findings",
            team: team_with_suppressions("team/unknown-toolset"),
            megabytes: 96,
        },
        Bomb {
            name: "100,000 unused suppressions",
            team: team_with_suppressions("team/unknown-tool"),
            megabytes: 96,
        },
        Bomb {
            name: "200,000 anchors",
            team: (0..200_000).map(|key| format!("k{key}: &a{key} 1\n")).collect(),
            megabytes: 160,
        },
    ]
}

/// Returns a team with an error, and with 100,000 unknown toolsets, each with a comment that suppresses
/// `code`.
fn team_with_suppressions(code: &str) -> String {
    let toolsets: String =
        (0..100_000).map(|at| format!("      - n{at} # minds: allow({code}) an app brings it\n")).collect();
    format!("{DEFAULTS}default_responder: nobody\nmembers:\n  a:\n    toolsets:\n{toolsets}")
}

/// Returns a team with an error, and with patterns that have very many combinations, different for each
/// member. Of each three entries, the last two together cover the first, which only a search can find.
fn wildcards(members: usize, lists: &[&str], entries: usize) -> String {
    let letters = ["a", "b", "c", "d", "e", "f", "g"];
    let list = |member: usize, key: &&str| {
        let entry = |at: usize| {
            let letter = |shift: usize| letters[(at / 3 * 3 + shift + member) % letters.len()];
            let between = ["/**/", "/", "/*/**/"][at % 3];
            let (a, b, c, d) = (letter(0), letter(1), letter(2), letter(3));
            format!("'*{a}*{b}*{b}*{c}{between}*{d}{member}'")
        };
        format!("    {key}: [{}]\n", (0..entries).map(entry).collect::<Vec<_>>().join(", "))
    };
    let member =
        |at: usize| format!("  m{at}:\n{}", lists.iter().map(|key| list(at, key)).collect::<String>());
    let members: String = (0..members).map(member).collect();
    format!("{DEFAULTS}default_responder: nobody\nmembers:\n{members}")
}

/// Returns a team in which as many unknown members are named as there are members, and every name has the same
/// characters: which one is similar can only be found by comparing them.
fn unknown_names() -> String {
    let names = |letters: &str| -> Vec<String> {
        // Each letter moved to each place; some of these are equal.
        let name = |at: usize| {
            let mut name: Vec<char> = letters.chars().collect();
            let letter = name.remove(at / 36);
            name.insert(at % 36, letter);
            name.into_iter().collect()
        };
        (0..36 * 36).map(name).collect::<BTreeSet<_>>().into_iter().take(1_200).collect()
    };
    let alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
    let members: String = names(alphabet).iter().map(|name| format!("  {name}: {{}}\n")).collect();
    let unknown = names(&alphabet.chars().rev().collect::<String>()).join(", ");
    format!("{DEFAULTS}members:\n{members}shell_specialists: [{unknown}]\n")
}
