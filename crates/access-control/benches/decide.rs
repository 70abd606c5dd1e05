//! Measures the time of decisions, compared with `globset` on the same patterns and paths in the same run.
//!
//! Run it with `cargo bench -p minds-access-control`.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark measures time, and may stop at once"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its measurements")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use minds_access_control::{Access, EntryList, Lists, Pattern, Policy};
use minds_vfs::WorkspacePath;

const PATTERNS: usize = 100;
const PATHS: usize = 1_000_000;
const ROUNDS: usize = 5;

/// A deterministic pseudo-random number generator.
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("it is below a usize")
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.next_below(words.len())]
    }
}

const DIRECTORIES: [&str; 12] = [
    "src", "docs", "tests", "crates", "lib", "app", "web", "tools", "assets", "config", "scripts", "packages",
];
const NAMES: [&str; 10] =
    ["core", "api", "model", "views", "generated", "private", "build", "index", "main", "util"];
const EXTENSIONS: [&str; 8] = ["rs", "ts", "md", "json", "lock", "yaml", "key", "txt"];

/// Returns realistic patterns: most are directories, some have wildcards.
fn patterns(numbers: &mut Numbers) -> Vec<Pattern> {
    let texts = (0..PATTERNS).map(|index| match index % 10 {
        0..5 => format!("{}/{}-{index}", numbers.pick(&DIRECTORIES), numbers.pick(&NAMES)),
        5 => format!("{}/*/{}-{index}", numbers.pick(&DIRECTORIES), numbers.pick(&NAMES)),
        6 => format!("**/{}-{index}", numbers.pick(&NAMES)),
        7 => format!("{}/**/*-{index}.{}", numbers.pick(&DIRECTORIES), numbers.pick(&EXTENSIONS)),
        8 => format!("**/*{index}.{}", numbers.pick(&EXTENSIONS)),
        _ => format!("{}/{}/draft-{index}*", numbers.pick(&DIRECTORIES), numbers.pick(&NAMES)),
    });
    texts.map(|text| Pattern::parse(&text).expect("the pattern is valid")).collect()
}

fn paths(numbers: &mut Numbers) -> Vec<WorkspacePath> {
    let mut path = || {
        let mut text = numbers.pick(&DIRECTORIES).to_owned();
        for _ in 0..2 + numbers.next_below(3) {
            let _ = write!(text, "/{}-{}", numbers.pick(&NAMES), numbers.next_below(120));
        }
        let _ = write!(
            text,
            "/{}-{}.{}",
            numbers.pick(&NAMES),
            numbers.next_below(100),
            numbers.pick(&EXTENSIONS)
        );
        WorkspacePath::parse(&text).expect("the path is valid")
    };
    (0..PATHS).map(|_| path()).collect()
}

fn lists(deny: &[Pattern], allow: &[Pattern]) -> Lists {
    Lists {
        deny: EntryList::Given(deny.to_vec()),
        allow: EntryList::Given(allow.to_vec()),
        ..Lists::default()
    }
}

fn policy(deny: &[Pattern], allow: &[Pattern]) -> Policy {
    Policy::new(lists(deny, allow), Lists::default())
}

/// Returns globs that are equivalent to the patterns.
fn globs(patterns: &[Pattern]) -> Vec<Glob> {
    let texts = patterns.iter().flat_map(|pattern| [pattern.to_string(), format!("{pattern}/**")]);
    let glob = |text: String| GlobBuilder::new(&text).literal_separator(true).build();
    texts.map(|text| glob(text).expect("the glob is valid")).collect()
}

fn globset(globs: &[Glob]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build().expect("the globs are valid")
}

fn main() {
    let numbers = &mut Numbers(0x9e37_79b9_7f4a_7c15);
    let (deny, allow, paths) = (patterns(numbers), patterns(numbers), paths(numbers));
    compare_with_globset(&deny, &allow, &paths);
    println!();
    measure_by_length(&policy(&deny, &allow), numbers);
    println!();
    measure_worst_case();
}

fn compare_with_globset(deny: &[Pattern], allow: &[Pattern], paths: &[WorkspacePath]) {
    // Only compilation is measured: both patterns and globs are already parsed.
    let (deny_globs, allow_globs) = (globs(deny), globs(allow));
    let mut compiling = (Vec::new(), Vec::new());
    for _ in 0..20 * ROUNDS {
        let lists = lists(deny, allow);
        compiling.0.push(time(|| Policy::new(lists, Lists::default())).0);
        compiling.1.push(time(|| (globset(&deny_globs), globset(&allow_globs))).0);
    }
    let (ours_compiles, globset_compiles) = (median(compiling.0), median(compiling.1));
    let policy = policy(deny, allow);
    let (denied, allowed) = (globset(&deny_globs), globset(&allow_globs));
    let ours = || paths.iter().filter(|path| policy.check(Access::Read, path).is_allowed()).count();
    let globset = || {
        let paths = paths.iter().map(WorkspacePath::as_str);
        paths.filter(|path| !denied.is_match(path) && allowed.is_match(path)).count()
    };
    assert_eq!(ours(), globset(), "both allow the same paths");
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.0.push(time(ours).0);
        times.1.push(time(globset).0);
    }
    let (ours, globset) = (median(times.0), median(times.1));
    let bytes: usize = paths.iter().map(|path| path.as_str().len()).sum();
    println!("{PATTERNS} + {PATTERNS} patterns, {PATHS} paths of {} bytes on average", bytes / PATHS);
    let each = |time: Duration| time.as_nanos() / PATHS as u128;
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    println!(
        "decide   {:8} ns  globset {:8} ns  {:.3} x globset",
        each(ours),
        each(globset),
        ratio(ours, globset)
    );
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "compile  {:8.1} us  globset {:8.1} us  {:.4} x globset",
        micros(ours_compiles),
        micros(globset_compiles),
        ratio(ours_compiles, globset_compiles)
    );
}

/// Measures the slowest of many decisions for each number of segments, to detect sudden slowdowns.
fn measure_by_length(policy: &Policy, numbers: &mut Numbers) {
    const EACH: usize = 20_000;
    println!("nanoseconds per segment, {EACH} paths each");
    println!("segments     p50   p99.9   ratio");
    for segments in [1, 2, 4, 8, 16, 32, 64] {
        let mut times: Vec<Duration> = (0..EACH)
            .map(|_| {
                let names: Vec<String> = (0..segments)
                    .map(|_| {
                        format!(
                            "{}-{}.{}",
                            numbers.pick(&NAMES),
                            numbers.next_below(120),
                            numbers.pick(&EXTENSIONS)
                        )
                    })
                    .collect();
                let path = WorkspacePath::parse(&names.join("/")).expect("the path is valid");
                // The best of three is hardly affected by other processes.
                (0..3)
                    .map(|_| time(|| policy.check(Access::Read, &path).is_allowed()).0)
                    .min()
                    .expect("there are three")
            })
            .collect();
        times.sort_unstable();
        let per_segment = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(segments);
        let (p50, p999) = (per_segment(times[EACH / 2]), per_segment(times[EACH * 999 / 1_000]));
        println!("{segments:8} {p50:7.1} {p999:7.1} {:7.2}", p999 / p50);
    }
}

/// Measures the most expensive patterns and paths within their limits.
fn measure_worst_case() {
    let repeat = |part: &str, bytes: usize| part.repeat(bytes / part.len());
    let segments =
        |part: &str, bytes: usize| repeat(&format!("{part}/"), bytes).trim_end_matches('/').to_owned();
    let globs = |parts: &[&str]| (0..31).map(|at| parts[at % parts.len()]).collect::<Vec<_>>().join("/");
    let several: Vec<String> =
        (0..31).map(|at| format!("*{}*{}*", repeat("a", at % 5 + 1), repeat("a", at % 7 + 1))).collect();
    let patterns = [
        ("stars", format!("{}b", repeat("*a", 511))),
        ("stars, long parts", format!("*{}b*{}b", repeat("a", 250), repeat("a", 250))),
        ("one star each", format!("**/{}", globs(&["*a"]))),
        ("stars around", format!("**/{}", globs(&["*a*", "a*", "*a", "*"]))),
        ("all different", format!("**/{}", several.join("/"))),
        ("two stars between", format!("**/{}", globs(&["*a*", "**"]))),
        ("never the last", format!("**/{}/b", globs(&["*a*a*"]).get(..170).expect("it is longer"))),
    ];
    let paths = [
        ("one name", repeat("a", 4_096)),
        ("names of 1", segments("a", 4_096)),
        ("names of 3", segments("aaa", 4_096)),
        ("names of 8", segments("aaaaaaaa", 4_096)),
        ("names of 60", segments(&"a".repeat(60), 4_096)),
        ("names of 250", segments(&"a".repeat(250), 4_096)),
        ("beyond ASCII", repeat("é", 4_096)),
        ("names beyond ASCII", segments("\u{17f}\u{212a}", 4_096)),
    ];
    println!("slowest decision for one pattern of at most 512 bytes and one path of 4,096 bytes");
    let mut worst = (Duration::ZERO, "", "");
    for (pattern_name, pattern) in &patterns {
        let pattern = Pattern::parse(pattern).expect("the pattern is valid");
        let policy = policy(&[pattern], &[]);
        for (path_name, path) in &paths {
            let path = WorkspacePath::parse(path).expect("the path is valid");
            let times = (0..50).map(|_| time(|| policy.check(Access::Read, &path).is_allowed()).0);
            let best = times.min().expect("there are some");
            worst = worst.max((best, pattern_name, path_name));
        }
    }
    println!("{:.1} us: {} on {}", worst.0.as_secs_f64() * 1e6, worst.1, worst.2);
}

fn time<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = black_box(run());
    (start.elapsed(), value)
}

fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.into_iter().collect();
    times.sort_unstable();
    times[times.len() / 2]
}
