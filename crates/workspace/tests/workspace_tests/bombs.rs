//! Inputs that try to exhaust the parser give findings with places. `cargo xtask bench` measures their cost.

use minds_diagnostics::{Diagnostic, MAX_PROBLEMS_PER_FILE, Severity};
use minds_vfs::{Snapshot, WorkspacePath};

fn check_file(path: &str, text: &str) -> Vec<Diagnostic> {
    let path = WorkspacePath::parse(path).expect("the path is valid");
    minds_workspace::check(&Snapshot::new().with_file(path, text)).diagnostics
}

fn check(team: &str) -> Vec<Diagnostic> {
    check_file(".minds/team.yaml", team)
}

fn check_toml(settings: &str) -> Vec<Diagnostic> {
    check_file(".minds/minds.toml", settings)
}

#[track_caller]
fn expect_in_team(team: &str, code: &str) -> Vec<Diagnostic> {
    expect(check(team), code)
}

#[track_caller]
fn expect_in_toml(settings: &str, code: &str) -> Vec<Diagnostic> {
    expect(check_toml(settings), code)
}

#[track_caller]
fn expect(found: Vec<Diagnostic>, code: &str) -> Vec<Diagnostic> {
    assert!(found.len() <= MAX_PROBLEMS_PER_FILE, "{} findings", found.len());
    assert!(found.iter().any(|found| found.rule.code == code), "{code} is not among {:?}", found.first());
    assert!(found.iter().all(|found| found.primary.is_some()));
    assert!(found.iter().any(|found| found.severity == Severity::Error));
    found
}

fn defaults() -> String {
    "member_defaults: {provider: codex, model: gpt-5.2}\n".to_owned()
}

#[test]
fn billion_laughs() {
    let mut team = defaults() + "x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        team += &format!("x-{level}: &a{level} [{aliases}]\n");
    }
    expect_in_team(&team, "yaml/limit");
}

#[test]
fn nesting() {
    expect_in_team(&"[".repeat(100_000), "yaml/limit");
    expect_in_team(&"- ".repeat(50_000), "yaml/limit");
    expect_in_team(&"? ".repeat(20_000), "yaml/limit");
    expect_in_team(&"{a: ".repeat(10_000), "yaml/limit");
    let block: String = (0..3_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    expect_in_team(&block, "yaml/limit");
}

#[test]
fn the_maximum_depth_is_read() {
    let nested = |depth: usize| format!("{}x-deep: {}{}\n", defaults(), "[".repeat(depth), "]".repeat(depth));
    assert!(check(&nested(63)).is_empty());
    expect_in_team(&nested(64), "yaml/limit");
}

#[test]
fn the_maximum_alias_expansion_is_read() {
    // Each alias expands to a list and its 999 strings.
    let nets = |aliases: usize| {
        let texts = vec!["t"; 999].join(", ");
        format!("{}x-list: &list [{texts}]\nx-all: [{}]\n", defaults(), vec!["*list"; aliases].join(", "))
    };
    assert!(check(&nets(100)).is_empty());
    expect_in_team(&nets(101), "yaml/limit");
}

#[test]
fn cyclic_aliases() {
    expect_in_team("a: &a [*a]\nb: &b {c: *b}\n", "yaml/recursive-alias");
}

#[test]
fn chained_merge_keys() {
    let mut team = defaults() + "x-0: &a0 {k: v}\n";
    for level in 1..3_000 {
        team += &format!("x-{level}: &a{level} {{<<: *a{}}}\n", level - 1);
    }
    team += "members:\n  a:\n    <<: *a2999\n";
    expect_in_team(&team, "schema/unknown-key");
}

#[test]
fn very_many_keys() {
    let team: String = (0..300_000).map(|key| format!("k{key}: 1\n")).collect();
    let found = expect_in_team(&team, "schema/unknown-key");
    assert_eq!(found.len(), MAX_PROBLEMS_PER_FILE);
    let last = found.last().expect("there are findings");
    assert_eq!(
        (last.rule.code, last.message.as_str()),
        ("file/more-problems", "299003 more problems are not shown")
    );
}

#[test]
fn very_many_anchors() {
    let team: String = (0..200_000).map(|key| format!("k{key}: &a{key} 1\n")).collect();
    expect_in_team(&team, "schema/unknown-key");
}

#[test]
fn very_many_equal_keys_and_unknown_aliases() {
    expect_in_team(&"a: 1\n".repeat(100_000), "yaml/duplicate-key");
    expect_in_team(&format!("a: [{}]\n", "*x, ".repeat(100_000)), "yaml/unknown-alias");
}

#[test]
fn lists_that_many_members_share() {
    let tools = vec!["nothing"; 900].join(", ");
    let mut team = format!("{}x-tools: &tools [{tools}]\nmembers:\n", defaults());
    for id in 0..5_000 {
        team += &format!("  m{id}: {{toolsets: *tools}}\n");
    }
    expect_in_team(&team, "yaml/limit");
}

#[test]
fn one_very_long_string() {
    let named = |length: usize| format!("{}members: {{a: {{name: {}}}}}\n", defaults(), "x".repeat(length));
    assert!(check(&named(1 << 20)).is_empty());
    expect_in_team(&named((1 << 20) + 1), "yaml/limit");
}

#[test]
fn more_nodes_than_the_maximum() {
    expect_in_team(&format!("[{}]", "1,".repeat(1_000_001)), "yaml/limit");
}

#[test]
fn a_file_that_is_too_large() {
    expect_in_team(&"#".repeat((16 << 20) + 1), "yaml/limit");
    let largest = defaults() + &"#".repeat((16 << 20) - defaults().len());
    assert!(check(&largest).is_empty());
}

#[test]
fn very_many_prefixes_of_secrets() {
    for beginning in [
        "sk-",
        "sk-ant-",
        "eyJ",
        "eyJ.",
        "SG.",
        "://",
        "a://b:",
        "?token=",
        "&key=a",
        "bearer ",
        "Basic a ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "12345678:",
        "0123456789abcdef",
    ] {
        expect_in_team(
            &format!("{}a: [\n# {}\n", defaults(), beginning.repeat(200_000 / beginning.len())),
            "yaml/syntax",
        );
    }
}

#[test]
fn very_many_secrets() {
    // Concatenated, so that repository scanners do not report it.
    let key = ["sk", "-7h3Kq9Zr2mXw5Tb8Vn4Lp6Jd"].concat();
    let found = expect_in_team(
        &format!("{}x-keys:\n{}", defaults(), format!("  - {key}\n").repeat(100_000)),
        "secret/token",
    );
    assert_eq!(found.len(), MAX_PROBLEMS_PER_FILE);
}

#[test]
fn toml_nesting() {
    for start in ["x-a = ", ""] {
        for piece in ["[", "{", "[{a = ", "[}", "{]", "[\n", "{a.a = ["] {
            let found = check_toml(&format!("{start}{}", piece.repeat(200_000)));
            assert!(!found.is_empty(), "{piece}");
            let is_about_text = |found: &Diagnostic| matches!(found.rule.area(), "toml" | "file");
            assert!(found.iter().all(is_about_text), "{piece}: {:?}", found.first());
        }
    }
    expect_in_toml(&format!("x-a = {}", "[".repeat(100_000)), "toml/limit");
    expect_in_toml(&format!("x-a = {}", "{a = ".repeat(100_000)), "toml/limit");
}

#[test]
fn the_maximum_toml_depth_is_read() {
    let lists = |depth: usize| format!("x-a = {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(check_toml(&lists(63)).is_empty());
    expect_in_toml(&lists(64), "toml/limit");
    let dotted = |tables: usize| format!("x-{}a = 1\n", "a.".repeat(tables));
    assert!(check_toml(&dotted(63)).is_empty());
    expect_in_toml(&dotted(64), "toml/limit");
    let header = |tables: usize| format!("[x-{}a]\n", "a.".repeat(tables - 1));
    assert!(check_toml(&header(63)).is_empty());
    expect_in_toml(&header(64), "toml/limit");
    // The list is a separate level.
    let item = |tables: usize| format!("[[x-{}a]]\n", "a.".repeat(tables - 1));
    assert!(check_toml(&item(62)).is_empty());
    expect_in_toml(&item(63), "toml/limit");
}

#[test]
fn toml_dotted_keys() {
    expect_in_toml(&format!("{}a = 1\n", "a.".repeat(1_000_000)), "toml/limit");
    expect_in_toml(&format!("[{}a]\n", "a.".repeat(1_000_000)), "toml/limit");
    expect_in_toml(&".".repeat(1_000_000), "toml/syntax");
    // Every key traverses all levels.
    let deep = format!("x-{}", "a.".repeat(60));
    let settings: String = (0..20_000).map(|key| format!("{deep}k{key} = 1\n")).collect();
    assert!(check_toml(&settings).is_empty());
}

#[test]
fn very_many_toml_keys_and_tables() {
    let keys: String = (0..300_000).map(|key| format!("k{key} = 1\n")).collect();
    let found = expect_in_toml(&keys, "schema/unknown-key");
    assert_eq!(found.len(), MAX_PROBLEMS_PER_FILE);
    let tables: String = (0..100_000).map(|table| format!("[t{table}]\na = 1\n")).collect();
    expect_in_toml(&tables, "schema/unknown-key");
    let items = "[[x-items]]\na = 1\n".repeat(100_000);
    assert!(check_toml(&items).is_empty());
    // The subtables of one table are spread over the text.
    let spread: String = (0..100_000).map(|table| format!("[x-t.a{}.b{table}]\n", table % 7)).collect();
    assert!(check_toml(&spread).is_empty());
    let braces: String = (0..200_000).map(|key| format!("k{key} = 1, ")).collect();
    assert!(check_toml(&format!("x-t = {{{braces}}}")).is_empty());
}

#[test]
fn very_many_toml_errors() {
    expect_in_toml(&"x-a = 1\n".repeat(200_000), "toml/duplicate-key");
    expect_in_toml(&"[x-a]\n".repeat(200_000), "toml/duplicate-key");
    expect_in_toml(&"]\n".repeat(500_000), "toml/syntax");
    expect_in_toml(&"x-a = word\n".repeat(200_000), "toml/syntax");
    expect_in_toml(&"\r".repeat(1_000_000), "toml/syntax");
    expect_in_toml(&format!("x-a = \"{}\"", "\u{1}".repeat(1_000_000)), "toml/syntax");
    expect_in_toml(&format!("x-a = \"{}\"", "\\q".repeat(1_000_000)), "toml/syntax");
    expect_in_toml(&format!("x-a = {}1", "-".repeat(1_000_000)), "toml/syntax");
    expect_in_toml(&format!("x-a = 1{}", "_".repeat(1_000_000)), "toml/syntax");
    expect_in_toml(&format!("x-a = [{}]", ",".repeat(1_000_000)), "toml/syntax");
}

#[test]
fn one_very_long_toml_string() {
    let named = |length: usize| format!("x-a = '{}'\n", "x".repeat(length));
    assert!(check_toml(&named(1 << 20)).is_empty());
    expect_in_toml(&named((1 << 20) + 1), "toml/limit");
    expect_in_toml(&format!("{} = 1\n", "x".repeat((1 << 20) + 1)), "toml/limit");
    expect_in_toml(&format!("x-a = {}\n", "1".repeat((1 << 20) + 1)), "toml/limit");
}

#[test]
fn more_toml_than_the_maximum() {
    expect_in_toml(&format!("x-a = [{}]", "1,".repeat(1_000_001)), "toml/limit");
    let keys: String = (0..500_001).map(|key| format!("x-{key}=1\n")).collect();
    expect_in_toml(&keys, "toml/limit");
    expect_in_toml(&format!("x-a = [{}", ",".repeat(4_000_001)), "toml/limit");
    expect_in_toml(&"#".repeat((16 << 20) + 1), "toml/limit");
    assert!(check_toml(&"#".repeat(16 << 20)).is_empty());
    assert!(check_toml(&"#\n".repeat(8 << 20)).is_empty());
}

/// Patterns with very many combinations, different for each member. Of each three entries, the last two together cover the
/// first, which only a search can find.
fn wildcards(members: usize, lists: &[&str], entries: usize) -> String {
    let mut team =
        "member_defaults: {provider: codex, model: gpt-5.2}\ndefault_responder: nobody\nmembers:\n"
            .to_owned();
    let letters = ["a", "b", "c", "d", "e", "f", "g"];
    for member in 0..members {
        team += &format!("  m{member}:\n");
        for list in lists {
            let entry = |at: usize| {
                let letter = |shift: usize| letters[(at / 3 * 3 + shift + member) % letters.len()];
                let between = ["/**/", "/", "/*/**/"][at % 3];
                let (a, b, c, d) = (letter(0), letter(1), letter(2), letter(3));
                format!("'*{a}*{b}*{b}*{c}{between}*{d}{member}'")
            };
            team += &format!("    {list}: [{}]\n", (0..entries).map(entry).collect::<Vec<_>>().join(", "));
        }
    }
    team
}

/// Comparing entries stops after a number of steps for the whole file, which is reported once.
#[test]
fn uncompared_lists_are_reported_once() {
    let many = ["read_dirs", "no_read_dirs", "write_dirs", "no_write_dirs"];
    let entries: Vec<String> = (0..1_500).map(|at| format!("'**/*x{at}*/y'")).collect();
    let long = format!(
        "{}default_responder: nobody\nmembers:\n  a: {{no_write_dirs: [{}]}}\n",
        defaults(),
        entries.join(", ")
    );
    for team in [wildcards(100, &["no_write_dirs"], 14), wildcards(60, &many, 10), long] {
        let found = check(&team);
        let notes = found.iter().filter(|found| found.rule.code == "access/uncompared-lists").count();
        assert_eq!(notes, 1, "{:?}", found.iter().map(|found| &found.message).collect::<Vec<_>>());
    }
}

/// With an anchor, a few bytes per member are enough to share long patterns among very many members.
#[test]
fn shared_patterns_are_compared_once() {
    let entries: Vec<String> = (0..8).map(|at| format!("'{}{at}'", "*/".repeat(30))).collect();
    let members: String = (0..1_500).map(|at| format!("  m{at}: {{no_write_dirs: *l}}\n")).collect();
    let team = format!(
        "{}default_responder: nobody\nx-l: &l [{}]\nmembers:\n{members}",
        defaults(),
        entries.join(", ")
    );
    expect_in_team(&team, "team/unknown-member");
}
