//! Which tools of a server members see.

use std::fmt::Write as _;

use minds_core::catalog;
use minds_core::mcp::Transform;
use minds_core::mcp::exposure::{ExposureRules, FilterList, MAX_SCHEMA_DEPTH, SkipReason, UnmatchedEntry};
use proptest::prelude::*;
use serde_json::{Value, json};

fn prefix(text: &str) -> Transform {
    Transform::Prefix(text.to_owned())
}

fn suffix(text: &str) -> Transform {
    Transform::Suffix(text.to_owned())
}

fn replace(remove: &str, add: &str) -> Transform {
    Transform::ReplacePrefix { remove: remove.to_owned(), add: add.to_owned() }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The filter and the steps of a server, and the names of its tools.
struct Case<'c> {
    title: &'c str,
    whitelist: &'c [&'c str],
    blacklist: &'c [&'c str],
    transforms: Vec<Transform>,
    tools: &'c [&'c str],
}

fn case<'c>(title: &'c str, lists: [&'c [&'c str]; 2], tools: &'c [&'c str]) -> Case<'c> {
    let [whitelist, blacklist] = lists;
    Case { title, whitelist, blacklist, transforms: Vec::new(), tools }
}

fn renamed<'c>(title: &'c str, transforms: Vec<Transform>, tools: &'c [&'c str]) -> Case<'c> {
    Case { transforms, ..case(title, [&[], &[]], tools) }
}

/// The name `taken` belongs to the server `first`.
fn taken(name: &str) -> Option<String> {
    (name == "taken").then(|| "first".to_owned())
}

/// Describes what happens to each tool. A name that begins with `!` is that of a tool without a schema.
fn outcomes(case: &Case<'_>) -> String {
    let (whitelist, blacklist) = (strings(case.whitelist), strings(case.blacklist));
    let rules = ExposureRules::new(&whitelist, &blacklist, &case.transforms);
    let (schema, no_schema) = (json!({ "type": "object" }), Value::Null);
    let tools = case.tools.iter().map(|name| match name.strip_prefix('!') {
        Some(name) => (name, &no_schema),
        None => (*name, &schema),
    });
    let mut text = format!("{}\n", case.title);
    for ((original, _), exposed) in tools.clone().zip(rules.expose(tools, &taken)) {
        let outcome = match exposed {
            Ok(name) => format!("is {name}"),
            Err(reason) => format!("{}: {reason}", reason.code()),
        };
        writeln!(text, "  {original:?} {outcome}").unwrap();
    }
    text
}

#[test]
fn tools_are_exposed_as_recorded() {
    let (long, longer) = ("x".repeat(64), "x".repeat(65));
    let invalid =
        ["", "a b", "a.b", "a/b", "é", "a\u{202e}b", "a\n", long.as_str(), longer.as_str(), "A-z_09"];
    let cases = [
        case("no lists", [&[], &[]], &["a", "b"]),
        case("only a whitelist", [&["a", "get_*"], &[]], &["a", "get_", "get_x", "b", "aa", "A", "x_get_"]),
        case("only a blacklist", [&[], &["a", "rm_*"]], &["a", "rm_", "rm_all", "b", "arm_x"]),
        case(
            "both lists: the whitelist takes precedence, and the remaining tools are accepted",
            [&["rm_one", "a"], &["rm_*", "a", "b"]],
            &["rm_one", "rm_all", "a", "b", "c"],
        ),
        case("a star in the whitelist", [&["*"], &["a"]], &["a", "b"]),
        case("a star in the blacklist", [&["a"], &["*"]], &["a", "b"]),
        case("several stars", [&["*a*b*", "c**d"], &[]], &["ab", "xaxbx", "ba", "cd", "cxd", "c"]),
        case(
            "other operators stand for themselves",
            [&["a?", "[ab]", "{a,b}", "a.c", ".*"], &[]],
            &["ab", "a", "abc"],
        ),
        case("original names", [&[], &[]], &invalid),
        case("an invalid name is one before the lists are", [&[], &["a.b"]], &["a.b"]),
        renamed("a prefix and a suffix", vec![prefix("p_"), suffix("_s")], &["a"]),
        renamed("the last prefix is outermost", vec![prefix("a_"), prefix("b_")], &["x"]),
        renamed(
            "a replaced prefix is added also if there is nothing to remove",
            vec![replace("stock_", "my_")],
            &["stock_get", "get", "stock", "Stock_x"],
        ),
        renamed(
            "steps see the name of the step before",
            vec![prefix("a_"), replace("a_", "b_")],
            &["x", "a_x"],
        ),
        renamed("a prefix is removed once", vec![replace("a_", "")], &["a_a_x", "a_"]),
        renamed("empty steps", vec![prefix(""), suffix(""), replace("", "")], &["x"]),
        renamed("an invalid prefix", vec![prefix("web/")], &["open"]),
        renamed("an invalid name can become valid again", vec![prefix("w/"), replace("w/", "w_")], &["open"]),
        renamed("too long a name", vec![prefix(&"p".repeat(60))], &["four", "fives"]),
        renamed(
            "a name that is too long to follow",
            vec![prefix(&"p".repeat(2_000)), replace("p", "")],
            &["x"],
        ),
        renamed("too many steps", vec![suffix(""); 65], &["x"]),
        Case {
            transforms: vec![prefix("b_")],
            ..case("lists know only original names", [&["b_x", "y"], &[]], &["x", "y", "b_x"])
        },
        case("a name twice", [&[], &[]], &["a", "a", "b"]),
        renamed("names that become equal", vec![replace("a_", "b_")], &["a_x", "x", "b_x"]),
        case("names of other toolsets", [&[], &[]], &["read_file", "taken", "shell_cmd", "Read_file"]),
        renamed(
            "renamed to the name of another toolset",
            vec![replace("r_", "")],
            &["r_read_file", "r_taken"],
        ),
        renamed(
            "a tool that is not exposed takes no name",
            vec![replace("r_", "")],
            &["r_taken", "taken", "!r_a", "a"],
        ),
        case("a tool without a schema", [&[], &[]], &["!a", "b"]),
    ];
    let text: Vec<String> = cases.iter().map(outcomes).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn schemas_are_objects_of_limited_depth() {
    let nested = (1..MAX_SCHEMA_DEPTH).fold(json!({}), |inner, _| json!({ "a": inner }));
    let deeper = json!({ "a": nested });
    let schemas = [("ok", &nested), ("deep", &deeper)];
    let exposed = ExposureRules::default().expose(schemas, &|_| None);
    assert_eq!(exposed[0].as_deref(), Ok("ok"));
    let Err(reason) = &exposed[1] else { panic!("{exposed:?}") };
    assert_eq!((reason.code(), reason.final_name()), ("invalid-schema", Some("deep")));
}

#[test]
fn reasons_have_codes_and_rules() {
    let (name, detail) = (|| "a".to_owned(), || "it is empty".to_owned());
    for (reason, code, rule) in [
        (SkipReason::Blacklisted, "blacklisted", "mcp/tool-blacklisted"),
        (SkipReason::NotWhitelisted, "not-whitelisted", "mcp/tool-not-whitelisted"),
        (SkipReason::InvalidName { detail: detail() }, "invalid-name", "mcp/invalid-tool-name"),
        (
            SkipReason::InvalidFinalName { name: Some(name()), detail: detail() },
            "invalid-name",
            "mcp/invalid-tool-name",
        ),
        (SkipReason::DuplicateInServer { name: name() }, "collision", "mcp/tool-name-collision"),
        (SkipReason::Collision { name: name(), owner: name() }, "collision", "mcp/tool-name-collision"),
        (
            SkipReason::InvalidSchema { name: name(), detail: detail() },
            "invalid-schema",
            "mcp/invalid-tool-schema",
        ),
    ] {
        assert_eq!((reason.code(), reason.rule().code), (code, rule));
    }
}

#[test]
fn entries_that_match_no_tool_are_found_in_order() {
    let whitelist = strings(&["open", "get_*", "opne", "x*", "opne", "list"]);
    let blacklist = strings(&["rm_*", "opne", "*"]);
    let rules = ExposureRules::new(&whitelist, &blacklist, []);
    let unmatched = |originals: &[&str]| -> Vec<(&str, &str)> {
        let found = rules.find_unmatched(originals.iter().copied());
        found.into_iter().map(|UnmatchedEntry { list, entry }| (list.as_str(), entry)).collect()
    };
    assert_eq!(
        unmatched(&["open", "get_a", "list"]),
        [("whitelist", "opne"), ("whitelist", "x*"), ("blacklist", "rm_*"), ("blacklist", "opne")]
    );
    assert_eq!(unmatched(&["open", "get_", "opne", "x", "list", "rm_"]), []);
    assert_eq!(unmatched(&[]).len(), 8);
    assert_eq!(FilterList::Blacklist.as_str(), "blacklist");
}

/// Tries every length for every star.
fn glob(entry: &[u8], name: &[u8]) -> bool {
    match entry {
        [] => name.is_empty(),
        [b'*', rest @ ..] => (0..=name.len()).any(|skip| glob(rest, &name[skip..])),
        [first, rest @ ..] => name.first() == Some(first) && glob(rest, &name[1..]),
    }
}

/// Judges the tools one condition after the other, as the recorded rules state them.
fn oracle(
    whitelist: &[String],
    blacklist: &[String],
    transforms: &[Transform],
    tools: &[(String, Value)],
) -> Vec<Result<String, &'static str>> {
    let is_in =
        |list: &[String], name: &str| list.iter().any(|entry| glob(entry.as_bytes(), name.as_bytes()));
    let is_name = |name: &str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let mut outcomes: Vec<Result<String, &'static str>> = Vec::new();
    for (original, schema) in tools {
        let (is_white, is_black) = (is_in(whitelist, original), is_in(blacklist, original));
        let mut name = original.clone();
        for step in transforms {
            name = match step {
                Transform::Prefix(text) => format!("{text}{name}"),
                Transform::Suffix(text) => format!("{name}{text}"),
                Transform::ReplacePrefix { remove, add } => {
                    let kept = name.strip_prefix(remove.as_str()).unwrap_or(&name);
                    format!("{add}{kept}")
                }
            };
        }
        let is_built_in = catalog::TOOLSETS.iter().any(|toolset| toolset.tools.contains(&name.as_str()));
        let outcome = if !is_name(original) {
            Err("invalid-name")
        } else if !blacklist.is_empty() && !is_white && is_black {
            Err("blacklisted")
        } else if blacklist.is_empty() && !whitelist.is_empty() && !is_white {
            Err("not-whitelisted")
        } else if !is_name(&name) {
            Err("invalid-name")
        } else if is_built_in || taken(&name).is_some() || outcomes.contains(&Ok(name.clone())) {
            Err("collision")
        } else if !schema.is_object() {
            Err("invalid-schema")
        } else {
            Ok(name)
        };
        outcomes.push(outcome);
    }
    outcomes
}

/// Short strings that often meet: parts of names, and of the names of other tools.
fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "_", "take", "n", "read_", "file", "/", "A", ""]);
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

fn entry() -> impl Strategy<Value = String> {
    prop_oneof![text(), Just("*".to_owned()), "[ab_*]{1,4}"]
}

fn step() -> impl Strategy<Value = Transform> {
    prop_oneof![
        text().prop_map(Transform::Prefix),
        text().prop_map(Transform::Suffix),
        (text(), text()).prop_map(|(remove, add)| Transform::ReplacePrefix { remove, add }),
    ]
}

fn tool() -> impl Strategy<Value = (String, Value)> {
    let schema = prop_oneof![4 => Just(json!({})), 1 => Just(Value::Null)];
    (prop_oneof![text(), "[ab]{1,3}"], schema)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn tools_are_exposed_as_the_conditions_say(
        whitelist in prop::collection::vec(entry(), 0..3),
        blacklist in prop::collection::vec(entry(), 0..3),
        transforms in prop::collection::vec(step(), 0..3),
        tools in prop::collection::vec(tool(), 0..6),
    ) {
        let rules = ExposureRules::new(&whitelist, &blacklist, &transforms);
        let listed = tools.iter().map(|(name, schema)| (name.as_str(), schema));
        let exposed = rules.expose(listed, &taken);
        let codes: Vec<Result<String, &str>> =
            exposed.iter().map(|exposed| exposed.clone().map_err(|reason| reason.code())).collect();
        prop_assert_eq!(&codes, &oracle(&whitelist, &blacklist, &transforms, &tools));

        for ((original, _), exposed) in tools.iter().zip(&exposed) {
            // What the judgement names is what the single questions answer.
            match exposed {
                Err(SkipReason::InvalidName { .. }) => {}
                Err(reason @ (SkipReason::Blacklisted | SkipReason::NotWhitelisted)) => {
                    prop_assert_eq!(rules.filter(original), Err(reason.clone()));
                }
                Err(SkipReason::InvalidFinalName { .. }) => {
                    prop_assert_eq!(&rules.rename(original), exposed);
                }
                Err(reason) => {
                    let name = rules.rename(original);
                    prop_assert_eq!(name.as_deref().ok(), reason.final_name());
                }
                Ok(_) => {
                    prop_assert_eq!(rules.filter(original), Ok(()));
                    prop_assert_eq!(&rules.rename(original), exposed);
                }
            }
        }

        let originals: Vec<&str> = tools.iter().map(|(name, _)| name.as_str()).collect();
        let unmatched = rules.find_unmatched(originals.iter().copied());
        for (list, entries) in [(FilterList::Whitelist, &whitelist), (FilterList::Blacklist, &blacklist)] {
            for entry in entries {
                let is_matched = originals.iter().any(|name| glob(entry.as_bytes(), name.as_bytes()));
                prop_assert_eq!(!unmatched.contains(&UnmatchedEntry { list, entry }), is_matched);
            }
        }
    }
}
