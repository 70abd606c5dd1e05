//! What an agent copies out of a page is right.

use minds_workspace::{check, format};

use crate::{LANGUAGES, all_pages, snapshot};

/// A block of code: the info string of its fence, and its content.
struct Block {
    page: String,
    info: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for (page, text) in LANGUAGES.into_iter().flat_map(all_pages) {
        let mut open: Option<Block> = None;
        for line in text.lines() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(info), None) => {
                    open = Some(Block { page: page.clone(), info: info.to_owned(), text: String::new() });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
    }
    blocks
}

#[track_caller]
fn clean(page: &str, files: &[(&str, &str)]) {
    let checked = check(&snapshot(files));
    assert_eq!(checked.files.len(), files.len(), "{page}");
    // The templates also show toolsets that only another runtime provides.
    let is_problem = |found: &&minds_diagnostics::Diagnostic| found.rule.code != "team/toolset-without-tools";
    let found: Vec<String> = checked
        .diagnostics
        .iter()
        .filter(is_problem)
        .map(|found| format!("{}: {}", found.rule.code, found.message))
        .collect();
    assert!(found.is_empty(), "{page}: {found:?}");
}

/// The file that a template is.
fn file(block: &Block) -> &str {
    let first = block.text.lines().next().unwrap_or_default();
    let file = first.strip_prefix("# ").unwrap_or_default();
    let known = [".minds/team.yaml", ".minds/llm.yaml", ".minds/mcp.yaml"];
    assert!(known.contains(&file), "{}: a whole file begins with its name, not {first:?}", block.page);
    file
}

#[test]
fn every_template_checks_clean_and_is_in_its_canonical_form() {
    let mut seen = Vec::new();
    for block in blocks().iter().filter(|block| block.info == "yaml") {
        let file = file(block);
        clean(&block.page, &[(file, &block.text)]);
        let formatted = format(&snapshot(&[(file, &block.text)]), |_| true);
        assert_eq!(
            (formatted.seen.len(), formatted.files.len(), formatted.unsure.len()),
            (1, 0, 0),
            "{}",
            block.page
        );
        seen.push((block.page.clone(), file.to_owned()));
    }
    for expected in [
        ("bootstrap", ".minds/team.yaml"),
        ("team", ".minds/team.yaml"),
        ("permissions", ".minds/team.yaml"),
        ("llm", ".minds/llm.yaml"),
        ("mcp", ".minds/mcp.yaml"),
    ] {
        let count = seen.iter().filter(|(page, file)| (page.as_str(), file.as_str()) == expected).count();
        assert!(count >= LANGUAGES.len(), "{expected:?} occurs {count} times");
    }
}

#[test]
fn templates_of_different_files_check_clean_together() {
    let blocks = blocks();
    let of = |name: &str| {
        blocks.iter().filter(|block| block.info == "yaml" && file(block) == name).collect::<Vec<_>>()
    };
    for team in of(".minds/team.yaml") {
        for (llm, mcp) in of(".minds/llm.yaml")
            .iter()
            .flat_map(|llm| of(".minds/mcp.yaml").into_iter().map(move |mcp| (*llm, mcp)))
        {
            let files = [
                (".minds/team.yaml", &*team.text),
                (".minds/llm.yaml", &llm.text),
                (".minds/mcp.yaml", &mcp.text),
            ];
            clean(&team.page, &files);
        }
    }
}

#[test]
fn blocks_are_templates_fragments_or_of_another_language() {
    for block in blocks() {
        match block.info.as_str() {
            "yaml" => {}
            "toml" => clean(&block.page, &[(".minds/minds.toml", &block.text)]),
            "markdown" => assert!(block.text.starts_with("# "), "{}", block.page),
            "text" => assert!(block.text.starts_with(".minds/\n"), "{}", block.page),
            "yaml fragment" => {
                let checked = check(&snapshot(&[(".minds/team.yaml", &block.text)]));
                let is_wrong = |code: &str| ["schema", "yaml"].contains(&code.split('/').next().unwrap());
                let found: Vec<_> =
                    checked.diagnostics.iter().filter(|found| is_wrong(found.rule.code)).collect();
                assert!(found.is_empty(), "{}: {found:?}", block.page);
            }
            other => panic!("{}: a block of {other:?}", block.page),
        }
    }
}

#[test]
fn fragments_are_about_a_team_that_the_templates_allow() {
    // With the context from their pages, fragments are complete.
    let blocks = blocks();
    let llm = blocks.iter().find(|block| block.info == "yaml" && block.page == "llm").unwrap();
    let mcp = blocks.iter().find(|block| block.info == "yaml" && block.page == "mcp").unwrap();
    for block in blocks.iter().filter(|block| block.info == "yaml fragment") {
        let defaults = "member_defaults: {provider: codex, model: gpt-5.2}\n";
        let has_defaults = block.text.contains("member_defaults");
        let text = if has_defaults { block.text.clone() } else { format!("{defaults}{}", block.text) };
        let files =
            [(".minds/team.yaml", &*text), (".minds/llm.yaml", &llm.text), (".minds/mcp.yaml", &mcp.text)];
        let checked = check(&snapshot(&files));
        let told = [
            "access/writable-configuration",
            "team/shell-specialist-forbidden-member",
            "team/toolset-without-tools",
            "team/unassignable-toolset",
        ];
        let found: Vec<_> =
            checked.diagnostics.iter().filter(|found| !told.contains(&found.rule.code)).collect();
        assert!(found.is_empty(), "{}: {found:?}", block.page);
    }
}
