//! What a manager of the team is given before its first call.

use crate::support;

use minds_toolset::manual::Language;
use minds_toolset::team_overview;
use minds_vfs::ContentHash;
use support::Place;

const TEAM: &str = "member_defaults: {provider: codex, model: gpt-5.2}\r\nmembers:\r\n  coder: {}\r\n";

fn overview(place: &Place) -> String {
    team_overview(&place.context(0), Language::English)
}

#[test]
fn files_findings_and_a_reference_are_included() {
    let place = Place::with_team(TEAM);
    place.write(".minds/team/coder/persona.md", "You write code.\n");
    let text = overview(&place);
    let hash = ContentHash::of(TEAM.as_bytes());
    for part in [
        "The team is valid, without findings.\n",
        "All 2 files of the team: `.minds/team.yaml` (3 lines), `.minds/team/coder/persona.md` (1 line).\n",
        &format!("`.minds/team.yaml` (`{hash}`, line endings crlf), with line numbers:\n"),
        "  2| members:\n  3|   coder: {}\n```\n",
        "- **Access.** ",
        "- `members.<id>`, `member_defaults`: `name, icon, provider, model,",
        "`command` string (required with `stdio`)",
        "`version` `1` (required)",
        "`apiType` one of `codex`, `anthropic`",
        "`anthropic`, `ark`",
        "`codex` (`gpt-5`, `gpt-5-codex`, ",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
}

#[test]
fn a_team_that_is_not_valid_is_shown_with_what_to_do() {
    let text = overview(&Place::with_team("members:\n  coder: {modle: x}\n"));
    assert!(text.contains("The team is not valid, with "), "{text}");
    assert!(
        text.contains("error[schema/unknown-key]: unknown key `modle` (did you mean `model`?)\n"),
        "{text}"
    );
    let text = overview(&Place::empty());
    assert!(
        text.contains("There is no `.minds/team.yaml` yet: `team_mgmt_create_new_file` creates it."),
        "{text}"
    );
    assert!(!text.contains("All 0 files"), "{text}");
}

#[test]
fn many_findings_and_large_files_are_cut_and_named() {
    let members: Vec<String> = (0..20)
        .map(|index| {
            format!(
                "  m{index}: {{toolsets: [nothing{index}]}}
"
            )
        })
        .collect();
    let members = members.concat();
    let text = overview(&Place::with_team(&format!(
        "member_defaults: {{provider: codex, model: gpt-5.2}}\nmembers:\n{members}"
    )));
    assert!(text.contains("The team is valid, with 20 findings:"), "{text}");
    assert!(text.contains("- and 12 more: `team_mgmt_validate`\n"), "{text}");
    let place = Place::with_team(&format!("{TEAM}# {}\n", "x".repeat(9_000)));
    place.write(".minds/mcp.yaml", "version: 1\nservers: {}\n");
    let text = overview(&place);
    assert!(
        text.contains(
            "`.minds/team.yaml` is too long to be shown here: read it with `team_mgmt_read_file`.\n"
        ),
        "{text}"
    );
    assert!(text.contains("  2| servers: {}\n"), "{text}");
    for index in 0..100 {
        place.write(&format!(".minds/team/m{index}/persona.md"), "P\n");
    }
    let text = overview(&place);
    assert!(text.contains(", 42 more.\n") && text.len() < 20 * 1024, "{}\n{text}", text.len());
}

/// A model that overwrites the file with what it reads here would replace the secret, so there is no hash for that.
#[test]
fn secrets_are_redacted_and_hidden_text_is_escaped() {
    let secret = format!("sk-{}", "a1B2c3D4e5F6g7H8".repeat(3));
    let place = Place::with_team(&format!("{TEAM}# {secret} \u{202e}\n"));
    let text = overview(&place);
    assert!(
        !text.contains(&secret) && text.contains("`.minds/team.yaml` (secrets covered, line endings"),
        "{text}"
    );
    assert!(text.contains("\\u{202e}"), "{text}");
    assert!(
        !text.contains(
            &ContentHash::of(std::fs::read(place.root().join(".minds/team.yaml")).unwrap().as_slice())
                .to_string()
        )
    );
}
