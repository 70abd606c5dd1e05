//! What a client allows with rendered permissions is never more than what the access lists allow.
//!
//! The clients are represented by their models in `minds-clients`, which answer as the clients did when they were tried. Names
//! are in lower case here: clients and lists treat letter case differently, which is reported and tested apart.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::thread::{available_parallelism, scope};

use minds_access_control::{Access, EntryList, Extension, Lists, Pattern, Policy, Reason};
use minds_client_agents::rights::{
    Hands, translate_for_claude_code, translate_for_codex, translate_for_copilot, translate_for_gemini,
    translate_for_opencode,
};
use minds_clients::permissions::{CodexAccess, Effect, GeminiPolicy, OpencodePermissions, Operation};
use minds_vfs::WorkspacePath;

/// The number of teams; with [`PATHS`] and two operations there are more than a million questions.
const TEAMS: usize = 7_000;
/// A variable with another number of teams, for `cargo xtask clients --part lists`.
const TEAMS_VARIABLE: &str = "MINDS_TEAMS";
/// The number of teams that are generated from one seed.
const TEAMS_PER_SEED: usize = 1_000;
const PATHS: usize = 48;
/// Regular expressions take long to compile, so Gemini CLI is asked for one team of so many.
const TEAMS_FOR_GEMINI: usize = 40;

const NAMES: [&str; 24] = [
    "src", "src-old", "gen", "docs", "secret", "a", "b", "x.md", "y.lock", "makefile", "t.tsk", "draft-1",
    "draft-", "q?r", "qxr", "br[1]", "br1", "2024", "1024", "we ird", ".minds", ".git", "~h", ".env",
];
const SEGMENTS: [&str; 26] = [
    "src", "gen", "docs", "secret", "a", "b", "x.md", "y.lock", "draft-*", "*", "*.md", "s*t", "**", "**",
    "q?r", "br[1]", "2024", "we ird", "~h", "t.tsk", "!x", "a{b}", "$HOME", "src *", ".env", "(a)",
];
const EXTENSIONS: [&str; 5] = ["md", "lock", "tsk", "env", "q?r"];
const HANDS: Hands = Hands { reads: true, writes: true };
/// Copilot CLI holds no lists, so only agents that read are rendered.
const READING_HANDS: Hands = Hands { reads: true, writes: false };

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_of<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.below(all.len())]
    }

    fn path(&mut self) -> String {
        let names: Vec<&str> = (0..=self.below(4)).map(|_| self.one_of(&NAMES)).collect();
        names.join("/")
    }

    fn patterns(&mut self) -> EntryList<Pattern> {
        if self.below(3) == 0 {
            return EntryList::Absent;
        }
        let mut entries = Vec::new();
        for _ in 0..self.below(4) {
            let names: Vec<&str> = (0..=self.below(4)).map(|_| self.one_of(&SEGMENTS)).collect();
            entries.extend(Pattern::parse(&names.join("/")));
        }
        EntryList::Given(entries)
    }

    fn extensions(&mut self) -> EntryList<Extension> {
        if self.below(4) != 0 {
            return EntryList::Absent;
        }
        EntryList::Given(
            (0..=self.below(2)).map(|_| Extension::parse(self.one_of(&EXTENSIONS)).unwrap()).collect(),
        )
    }

    fn lists(&mut self) -> Lists {
        Lists {
            deny: self.patterns(),
            deny_extensions: self.extensions(),
            allow: if self.below(2) == 0 { EntryList::Absent } else { self.patterns() },
            allow_extensions: self.extensions(),
        }
    }
}

/// A question with its answers.
struct Case<'c> {
    client: &'static str,
    policy: &'c Policy,
    access: Access,
    path: &'c WorkspacePath,
}

impl Case<'_> {
    /// Checks that the client does not allow what the lists deny; returns whether it allows.
    #[track_caller]
    fn check(&self, effect: Effect, shown: &dyn Fn() -> String) -> bool {
        let decision = self.policy.check(self.access, self.path);
        let is_wider = effect == Effect::Allow && !decision.is_allowed();
        assert!(
            !is_wider,
            "{} allows to {} `{}`, which is denied: {:?}\n{:#?}\n{}",
            self.client,
            self.access,
            self.path,
            decision.reason(),
            self.policy.lists(self.access),
            shown()
        );
        effect == Effect::Allow
    }
}

fn operation(access: Access) -> Operation {
    match access {
        Access::Read => Operation::Read,
        Access::Write => Operation::Write,
    }
}

/// Compares a regular expression as the client does; patterns are compiled once.
pub(crate) fn is_match(pattern: &str, text: &str) -> bool {
    thread_local! {
        static KNOWN: RefCell<BTreeMap<String, regex::Regex>> = const { RefCell::new(BTreeMap::new()) };
    }
    KNOWN.with_borrow_mut(|known| {
        if known.len() > 10_000 {
            known.clear();
        }
        let compiled = known.entry(pattern.to_owned()).or_insert_with(|| {
            regex::Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))
        });
        compiled.is_match(text)
    })
}

pub(crate) fn borrow(rules: &[(String, Effect)]) -> Vec<(&str, Effect)> {
    rules.iter().map(|(pattern, effect)| (pattern.as_str(), *effect)).collect()
}

/// The questions, and how many of them each client allows.
#[derive(Debug, Default)]
struct Counts {
    teams: usize,
    questions: usize,
    allowed: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, client: &'static str, is_allowed: bool) {
        self.questions += 1;
        *self.allowed.entry(client).or_default() += usize::from(is_allowed);
    }

    fn merge(mut self, other: Self) -> Self {
        self.teams += other.teams;
        self.questions += other.questions;
        for (client, allowed) in other.allowed {
            *self.allowed.entry(client).or_default() += allowed;
        }
        self
    }
}

/// Generates a team, and compares the clients with its lists.
fn compare(numbers: &mut Numbers, counts: &mut Counts) {
    let policy = Policy::new(numbers.lists(), numbers.lists());
    let claude = translate_for_claude_code(&policy, HANDS).map(|made| made.permissions);
    let opencode = translate_for_opencode(&policy, HANDS).map(|made| {
        let rules = |rules: &[(String, Effect)]| rules.to_vec();
        (rules(&made.permissions.read), rules(&made.permissions.edit))
    });
    let codex = translate_for_codex(&policy, HANDS).map(|made| made.permissions);
    let copilot = translate_for_copilot(&policy, READING_HANDS);
    assert!(translate_for_copilot(&policy, HANDS).is_err(), "{policy:?}");
    let gemini = translate_for_gemini(&policy, HANDS, "m").map(|made| made.permissions).unwrap();
    let gemini = GeminiPolicy { rules: gemini, is_match };
    let (read, edit) = opencode.unwrap();
    // A key that is given twice would make the file of the agent invalid, and its limits void.
    for rules in [&read, &edit] {
        let keys: BTreeSet<&str> = rules.iter().map(|(pattern, _)| pattern.as_str()).collect();
        assert_eq!(keys.len(), rules.len(), "{rules:?}");
    }
    let opencode = OpencodePermissions::new([
        ("*", vec![("*", Effect::Deny)]),
        ("read", borrow(&read)),
        ("edit", borrow(&edit)),
    ]);
    for _ in 0..PATHS {
        let path = numbers.path();
        let path = WorkspacePath::parse(&path).unwrap();
        for access in Access::ALL {
            let case = |client| Case { client, policy: &policy, access, path: &path };
            if let Ok(claude) = &claude {
                let effect = claude.decide(operation(access), path.as_str());
                counts.add("Claude Code", case("Claude Code").check(effect, &|| format!("{claude:#?}")));
            }
            let effect = opencode.decide(operation(access), path.as_str());
            counts.add("opencode", case("opencode").check(effect, &|| format!("{opencode:#?}")));
            // New files in packages and in a `.git` below the root are reported as not held by Codex, and packages are
            // read by agents of Copilot CLI.
            let is_reserved = policy.check(access, &path).reason() == Reason::Reserved;
            if let (Ok(codex), false) = (&codex, is_reserved) {
                let effect = codex.decide(operation(access), path.as_str());
                counts.add("Codex", case("Codex").check(effect, &|| format!("{codex:#?}")));
            }
            if let (Ok(copilot), false) = (&copilot, is_reserved) {
                let effect = copilot.decide(operation(access), "/work", path.as_str());
                counts.add("Copilot CLI", case("Copilot CLI").check(effect, &|| format!("{copilot:#?}")));
            }
            let has_turn = counts.teams.is_multiple_of(TEAMS_FOR_GEMINI);
            for spelling in if has_turn { spellings(path.as_str()) } else { Vec::new() } {
                let effect = gemini.decide("m", operation(access), &spelling);
                let shown = || format!("{spelling}\n{:#?}", gemini.rules);
                counts.add("Gemini CLI", case("Gemini CLI").check(effect, &shown));
            }
        }
    }
    counts.teams += 1;
}

#[test]
fn clients_never_allow_what_the_lists_deny() {
    let teams = std::env::var(TEAMS_VARIABLE).map_or(TEAMS, |number| number.parse().unwrap());
    let seeds = teams.div_ceil(TEAMS_PER_SEED);
    let threads = available_parallelism().map_or(1, std::num::NonZero::get).min(seeds);
    let work = |thread: usize| {
        let mut counts = Counts::default();
        for seed in (thread..seeds).step_by(threads) {
            let mut numbers =
                Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(u64::try_from(seed).unwrap() * 2 + 1));
            for _ in 0..TEAMS_PER_SEED {
                compare(&mut numbers, &mut counts);
            }
        }
        counts
    };
    let counts = scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let ended = workers.into_iter().map(|worker| worker.join().unwrap());
        ended.fold(Counts::default(), Counts::merge)
    });
    assert!(counts.questions > 1_000_000, "{counts:?}");
    // The permissions are not empty: each client allows a good part.
    assert!(counts.allowed.len() == 5 && counts.allowed.values().all(|count| *count > 500), "{counts:?}");
    if teams > TEAMS {
        println!("{counts:?}");
    }
}

/// The spellings of a path that a model can write.
fn spellings(path: &str) -> Vec<String> {
    vec![
        path.to_owned(),
        format!("./{path}"),
        path.replacen('/', "//", 1),
        format!("docs/../{path}"),
        format!("/work/{path}"),
        format!("{path}/"),
    ]
}

#[test]
fn letter_case_is_as_reported() {
    let policy =
        Policy::builder().allow(Access::Write, "src").unwrap().deny(Access::Read, "secret").unwrap().build();
    let claude = translate_for_claude_code(&policy, HANDS).unwrap();
    // Wider only in letter case, which is reported.
    assert_eq!(claude.permissions.decide(Operation::Write, "SRC/a"), Effect::Allow);
    assert!(claude.losses.iter().any(|loss| loss.reason.contains("letter case")));
    assert_eq!(claude.permissions.decide(Operation::Read, "SECRET/a"), Effect::Deny);
    let gemini = translate_for_gemini(&policy, HANDS, "m").unwrap().permissions;
    let gemini = GeminiPolicy { rules: gemini, is_match };
    assert_eq!(gemini.decide("m", Operation::Read, "SECRET/a"), Effect::Deny);
    assert_eq!(gemini.decide("m", Operation::Read, "\u{17f}ecret/a"), Effect::Deny);
    assert_eq!(gemini.decide("m", Operation::Write, "SRC/a"), Effect::Deny);
}

/// Codex does not start with an entry that has an operator and does not deny, and it has no other form for these names.
#[test]
fn codex_gets_no_pattern_that_opens() {
    let wildcard = |(entry, access): &(String, CodexAccess)| {
        *access != CodexAccess::Deny && entry.contains(['*', '?', '[', ']'])
    };
    for pattern in ["br[1]", "a]b", "q?r", "src/[x]"] {
        for access in Access::ALL {
            for policy in [
                Policy::builder().allow(access, pattern).unwrap().build(),
                Policy::builder().deny(access, pattern).unwrap().build(),
            ] {
                let made = translate_for_codex(&policy, HANDS).unwrap().permissions;
                assert!(!made.entries.iter().any(wildcard), "{pattern} {access}: {made:?}");
            }
        }
    }
}
