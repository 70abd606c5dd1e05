use proptest::prelude::*;

use super::*;
use crate::sample::{file, item, of_items, source};

/// Returns the rendered text of the first item of a source.
fn render_first(items: &SourceItems) -> Result<String, Refusal> {
    let renderer = Renderer::new(items, "~/.minds");
    let content = renderer.render(&items.items[0])?;
    let text = content.files().map(|(_, file)| file.bytes.text().unwrap().to_owned()).collect();
    Ok(text)
}

#[test]
fn references_become_names_and_paths() {
    let cases = [
        ("Use {{ns:b}} and {{ns: b }} and {{ns:unterminated\n", "Use jk-b and jk-b and {{ns:unterminated\n"),
        ("{{self}}", "~/.minds/store/skill/jk-a"),
        (
            "{{tools:t}} {{path:tool:t}}/lib {{path:t}}",
            "~/.minds/store/tool/jk-t/t ~/.minds/store/tool/jk-t/lib ~/.minds/store/tool/jk-t",
        ),
        ("{{other}} {{ {{self}}", "{{other}} {{ ~/.minds/store/skill/jk-a"),
        ("{{}} {{ns}} {{NS:b}} {{self", "{{}} {{ns}} {{NS:b}} {{self"),
        ("ü{{self}}ü", "ü~/.minds/store/skill/jk-aü"),
        ("", ""),
    ];
    for (text, expected) in cases {
        let items = source("h/o/r", "jk", &[("skill:a", text), ("agent:b", ""), ("tool:t", "x")]);
        assert_eq!(render_first(&items).unwrap(), expected, "{text}");
    }
}

#[test]
fn the_program_of_a_tool_is_its_bin() {
    let mut tool = item("tool:t");
    tool.bin = Some("bin/run.sh".to_owned());
    let items = of_items("h/o/r", "", vec![(item("rule:a"), "{{tools:t}}"), (tool, "")]);
    assert_eq!(render_first(&items).unwrap(), "~/.minds/store/tool/t/bin/run.sh");
}

#[test]
fn short_references_cannot_exceed_the_size_limit() {
    let home = "~/x".repeat(1_000);
    let make = |count: usize| {
        let items = source("h/o/r", "", &[("rule:a", &"{{self}}".repeat(count))]);
        Renderer::new(&items, home.clone())
            .render(&items.items[0])
            .map(|content| content.files().map(|(_, file)| file.bytes.len()).sum::<usize>())
    };
    let each = home.len() + "/store/rule/a".len();
    let most = (64 << 20) / each;
    assert_eq!(make(most), Ok(most * each));
    let refusal = make(most + 1).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::BadContent);
    assert_eq!(refusal.message, "rule:a: it is too large after its references are replaced");
}

#[test]
fn the_size_limits_cover_many_files_and_items() {
    let home = "~/x".repeat(1_000);
    let text = "{{self}}".repeat(10_000);
    let names: Vec<String> = (0..40).map(|at| format!("rule:r{at}")).collect();
    let items: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let items = source("h/o/r", "", &items);
    let renderer = Renderer::new(&items, home.clone());
    // Each has 30 MB.
    let made = items.items.iter().take_while(|item| renderer.render(item).is_ok()).count();
    assert_eq!(made, (1 << 30) / (10_000 * (home.len() + "/store/rule/r10".len())));

    let mut items = source("h/o/r", "", &[("skill:s", "")]);
    let file = |name: &str| (WorkspacePath::parse(name).unwrap(), file(&text));
    let folder = |names: &[&str]| Ok(ItemContent::Folder(names.iter().map(|name| file(name)).collect()));
    items.items[0].content = folder(&["a.md", "b.md"]);
    assert!(Renderer::new(&items, home.clone()).render(&items.items[0]).is_ok());
    items.items[0].content = folder(&["a.md", "b.md", "c.md"]);
    assert!(Renderer::new(&items, home).render(&items.items[0]).is_err());
}

#[test]
fn files_that_are_not_utf8_do_not_change() {
    let mut items = source("h/o/r", "", &[("rule:a", "")]);
    let bytes = b"{{self}}\xff".to_vec();
    let binary = ItemContent::File(ItemFile { bytes: Contents::from(bytes.clone()), is_executable: true });
    items.items[0].content = Ok(binary.clone());
    assert_eq!(Renderer::new(&items, "~/.minds").render(&items.items[0]), Ok(binary));
}

#[test]
fn an_unresolved_reference_refuses_the_item() {
    let items = source("h/o/r", "", &[("rule:a", "x {{ns:zzz}}")]);
    let refusal = render_first(&items).unwrap_err();
    assert_eq!(refusal.message, "rule:a: `{{ns:zzz}}` does not match exactly one item of its source");
}

#[test]
fn a_megabyte_of_braces_is_fast() {
    for text in
        ["{{".repeat(500_000), "{{ns:".repeat(200_000), format!("{}{{}}}}", "{{self ".repeat(140_000))]
    {
        let items = source("h/o/r", "", &[("rule:a", &text)]);
        assert!(render_first(&items).unwrap() == text, "the text changed");
    }
}

proptest! {
    /// Rendering is deterministic, and text without references does not change.
    #[test]
    fn text_without_references_does_not_change(text in "[a-z{} :\n]{0,60}") {
        prop_assume!(tokens(&text).next().is_none());
        let items = source("h/o/r", "p", &[("rule:a", &text)]);
        prop_assert_eq!(render_first(&items).unwrap(), text);
    }

    #[test]
    fn text_between_references_does_not_change(parts in prop::collection::vec("[a-z} :]{0,6}", 1..6)) {
        let text = parts.join("{{ns:b}}");
        let items = source("h/o/r", "p", &[("rule:a", &text), ("agent:b", "")]);
        prop_assert_eq!(render_first(&items).unwrap(), parts.join("p-b"));
        prop_assert_eq!(render_first(&items), render_first(&items));
    }
}

#[test]
fn the_executable_bit_is_preserved() {
    let mut items = source("h/o/r", "", &[("rule:a", "")]);
    items.items[0].content = Ok(ItemContent::File(ItemFile { is_executable: true, ..file("{{self}}") }));
    let content = Renderer::new(&items, "~/.minds").render(&items.items[0]).unwrap();
    assert!(content.files().all(|(_, file)| file.is_executable));
}
