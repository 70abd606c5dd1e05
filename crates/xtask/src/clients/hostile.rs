//! Attempts to write and to read with hostile paths.

use std::path::Path;

use serde_json::json;

use super::model::Call;
use crate::random::Random;

/// The team of the attempts.
pub(super) const TEAM: &str = "\
shell_specialists: [coder]
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  coder:
    toolsets: [ws_mod, os]
    write_dirs: [src, docs/draft-*]
    no_write_dirs: [src/gen, '**/private', src/café]
    no_read_dirs: [secret]
";

/// The lists of the member, to decide without the program that is tested.
pub(super) const WRITE_DIRS: [&str; 2] = ["src", "docs/draft-*"];
pub(super) const NO_WRITE_DIRS: [&str; 3] = ["src/gen", "**/private", "src/café"];

/// What must not be read through the client.
pub(super) const SECRET: &str = "the-secret-value";

pub(super) const FILES: [(&str, &str); 9] = [
    (".minds/team.yaml", TEAM),
    ("README.md", "one\n"),
    ("docs/a.md", "one\n"),
    ("secret/key.txt", "the-secret-value\n"),
    ("src/a.txt", "one\n"),
    ("src/deep/a.txt", "one\n"),
    ("src/gen/a.txt", "one\n"),
    ("src/private/a.txt", "one\n"),
    ("work.tsk/goals.md", "one\n"),
];

/// Links in the workspace with their targets.
pub(super) const LINKS: [(&str, &str); 8] = [
    ("src/link", "../secret"),
    ("src/out", "../../outside"),
    ("src/file", "gen/a.txt"),
    ("src/dangling", "../secret/new"),
    ("src/loop", "loop"),
    ("src/up", ".."),
    ("src/inside", "deep"),
    ("public", "secret"),
];

/// Places that the lists allow; `#` stands for a new name.
const ALLOWED: [&str; 5] =
    ["src/#.txt", "src/deep/#", "src/new-#/a.txt", "docs/draft-#/a.md", "src/generated/#"];

/// Places that may not be written.
const DENIED: [&str; 52] = [
    "#.txt",
    "docs/#.md",
    "docs/drafts/#",
    "src-old/#",
    "secret/#",
    "secret/key.txt",
    "src/gen/#",
    "src/gen/a.txt",
    "src/GEN/#",
    "src/Gen/deep/#",
    "SRC/#",
    "Src/gen/#",
    "src/private/#",
    "src/deep/private/#",
    "src/deep/PRIVATE/#",
    "src/caf\u{e9}/#",
    "src/cafe\u{301}/#",
    "src/CAF\u{c9}/#",
    "\u{ff53}rc/#",
    "src\u{200b}/#",
    "src\u{2215}..\u{2215}secret/#",
    "src/link/#",
    "src/link/key.txt",
    "src/link/../#",
    "src/out/#",
    "src/out/../#",
    "src/file",
    "src/dangling",
    "src/loop/#",
    "src/up/#",
    "src/up/secret/#",
    "public/#",
    "src/../#",
    "src/../../outside/#",
    "../outside/#",
    "../#",
    "@OUTSIDE@/#",
    "/dev/shm/minds-#",
    "~/#",
    "~root/#",
    "$HOME/#",
    "${HOME}/#",
    "file://@WORK@/secret/#",
    ".minds/team.yaml",
    ".minds/#",
    ".git/hooks/#",
    "src/.git/#",
    "src/.GIT/config",
    "work.tsk/#",
    "src/#.TSK/goals.md",
    ".opencode/plugins/minds.js",
    "opencode.json",
];

/// Spellings of a path `@`, which many programs treat alike.
const SPELLINGS: [&str; 16] = [
    "@",
    "./@",
    ".//./@",
    "@WORK@/@",
    "@WORK@//@",
    "@WORK@/../work/@",
    "src/../@",
    "src/missing/../../@",
    "src/link/../@",
    "src/inside/../../@",
    "@/",
    "@/.",
    "@/../@NAME@",
    " @",
    "@ ",
    "\"@\"",
];

/// Spellings that lead nowhere, or to an unlikely name.
const ODD: [&str; 12] = [
    "@\0.txt",
    "@%00",
    "%2e%2e/@",
    "..\\@",
    "src\\..\\@",
    "src/..\u{2025}/@",
    "src/\u{ff0e}\u{ff0e}/@",
    "@\n",
    "\t@",
    "@\u{202e}txt",
    "@:stream",
    "C:/@",
];

/// One attempt.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) call: Call,
    /// The file that has to exist afterwards, if the attempt is allowed.
    pub(super) expected: Option<String>,
}

/// Generates attempts.
pub(super) struct Attempts<'p> {
    pub(super) random: Random,
    pub(super) workspace: &'p Path,
    pub(super) outside: &'p Path,
}

impl Attempts<'_> {
    /// Returns attempt number `number`. Each place and each spelling is used in turn.
    pub(super) fn next(&mut self, number: usize) -> Attempt {
        let name = format!("n{number}");
        let is_allowed = number.is_multiple_of(4);
        let places: &[&str] = if is_allowed { &ALLOWED } else { &DENIED };
        let place = places[(number / 4 * 3 + number % 4) % places.len()].replace('#', &name);
        let spelling = match number % 16 {
            0 | 4 | 7 => "@",
            11 => self.random_of(&ODD),
            _ => self.random_of(&SPELLINGS),
        };
        // Very long paths, of which some are valid.
        let long = if number % 16 == 7 { self.long() + &name } else { name.clone() };
        let path = self.spell(spelling, &place.replacen(&name, &long, 1));
        let is_plain = is_allowed && path == place;
        let tool = self.random.next_below(if is_plain { 3 } else { 10 });
        let content = format!("content of {name}\n");
        let call = match tool {
            0..=1 => Call::new("write", json!({ "filePath": path, "content": content })),
            2 => Call::new("edit", json!({ "filePath": path, "oldString": "", "newString": content })),
            3 => Call::new("edit", json!({ "filePath": path, "oldString": "one\n", "newString": content })),
            4 => Call::new("read", json!({ "filePath": path })),
            5 => Call::new("grep", json!({ "pattern": "the-secret", "path": path })),
            _ => self.command(&path, &name),
        };
        Attempt { call, expected: is_plain.then_some(path) }
    }

    /// Returns an attempt with a command.
    fn command(&mut self, path: &str, name: &str) -> Call {
        let quoted = format!("'{}'", path.replace('\'', r"'\''").replace('\0', ""));
        let path = if self.random.is_true_in(50) { quoted.as_str() } else { path };
        let commands = [
            format!("echo {name} > {path}"),
            format!("echo {name} >> {path}"),
            format!("echo {name} | tee {path}"),
            format!("cp README.md {path}"),
            format!("cp -r src {path}"),
            format!("mv src/a.txt {path}"),
            format!("mkdir -p {path}"),
            format!("touch {path}"),
            format!("ln -s ../secret src/{name}; echo {name} > src/{name}/{name}"),
            format!("cd src && echo {name} > ../{path}"),
            format!("sed -i s/one/{name}/ {path}"),
            format!("rm -rf {path}"),
            format!("cat {path}"),
            format!("sh -c \"echo {name} > {path}\""),
            format!("X={path}; echo {name} > $X"),
            format!("find . -name '*.txt' -exec cp {{}} {path} ';'"),
            "cat secret/*".to_owned(),
            format!("python3 -c \"open('{path}', 'w').write('{name}')\""),
            format!("git -C . config core.hooksPath {path}"),
            format!("true # {name}\necho {name} > {path}"),
        ];
        let command = &commands[self.random.next_below(commands.len())];
        Call::new("bash", json!({ "command": command, "description": format!("attempt {name}") }))
    }

    fn random_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.random.next_below(all.len())]
    }

    fn long(&mut self) -> String {
        match self.random.next_below(3) {
            0 => "x".repeat(300),
            1 => "x/".repeat(2_500),
            _ => "x/../".repeat(1_000),
        }
    }

    fn spell(&self, spelling: &str, place: &str) -> String {
        let name = place.rsplit('/').next().unwrap_or_default();
        let is_absolute = place.starts_with(['/', '~', '$']) || place.contains("@OUTSIDE@");
        let spelled = if is_absolute {
            place.to_owned()
        } else {
            // The marks of folders contain `@` too.
            let spelling = spelling.replace("@WORK@", "\u{1}").replace("@NAME@", "\u{2}");
            spelling.replace('@', place).replace('\u{1}', "@WORK@").replace('\u{2}', name)
        };
        let text = |path: &Path| path.to_str().expect("the path is text").to_owned();
        spelled.replace("@WORK@", &text(self.workspace)).replace("@OUTSIDE@", &text(self.outside))
    }
}
