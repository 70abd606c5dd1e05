//! The pages of the rules match the code.

use minds_diagnostics::Severity;
use minds_render::clients::{Client, Field, rules};

use super::{findings, render_first};

/// Returns the code block of a page that begins with `start`.
fn block<'p>(page: &'p str, start: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("```{start}")).expect("the page has the block");
    let (_, rest) = rest.split_once('\n').expect("the block has lines");
    rest.split_once("```").expect("the block ends").0
}

fn codes(client: Client, mcp: &str, existing: Option<&str>) -> Vec<&'static str> {
    findings(render_first(client, mcp, existing)).iter().map(|found| found.rule.code).collect()
}

#[test]
fn pages_have_their_parts() {
    assert!(rules::ALL.is_sorted_by_key(|rule| rule.code));
    for rule in rules::ALL {
        assert!(rule.page.starts_with("# ") && rule.page.ends_with('\n'), "{}", rule.code);
        for part in ["\n## Why\n", "\n## Example\n"] {
            assert!(rule.page.contains(part), "{}: {part}", rule.code);
        }
        assert_eq!(rule.area(), "render");
        assert_eq!(rule.is_suppressible, rule.default_severity != Severity::Error, "{}", rule.code);
    }
}

#[test]
fn examples_are_true() {
    let none = "version: 1\n";
    for rule in [&rules::CANNOT_EXPRESS, &rules::LITERAL_SECRET] {
        for client in Client::ALL {
            assert_eq!(codes(client, block(rule.page, "yaml bad"), None), [rule.code], "{client:?}");
            // Antigravity cannot express the reference to a variable, which replaces the secret.
            if client != Client::Antigravity || rule.code != rules::LITERAL_SECRET.code {
                assert!(codes(client, block(rule.page, "yaml good"), None).is_empty(), "{client:?}");
            }
        }
    }
    let page = rules::UNMERGEABLE.page;
    let mcp = block(rules::CANNOT_EXPRESS.page, "yaml good");
    let client = Client::ClaudeCode;
    assert_eq!(codes(client, mcp, Some(block(page, "json bad"))), [rules::UNMERGEABLE.code]);
    assert!(codes(client, mcp, Some(block(page, "json good"))).is_empty());
    assert!(codes(client, none, Some(block(page, "json good"))).is_empty());
}

/// The table of the page matches the code.
#[test]
fn the_documented_table_of_clients_is_correct() {
    let mut expected = vec![
        format!("| key | {} |", Client::ALL.map(Client::title).join(" | ")),
        format!("|{}", "---|".repeat(Client::ALL.len() + 1)),
    ];
    for field in Field::ALL.into_iter().filter(|field| *field != Field::Name) {
        let words = Client::ALL.map(|client| if field.obstacle(client).is_some() { "no" } else { "yes" });
        expected.push(format!("| `{}` | {} |", field.key(), words.join(" | ")));
    }
    let table: Vec<&str> = rules::CANNOT_EXPRESS.page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(table, expected);
}
