use super::*;

#[track_caller]
fn check(selector: &str, category: &str, expected: &str) {
    let parsed = Section::parse(selector, Some(category));
    let result = parsed.map_or_else(|error| error.code.to_string(), |section| section.path());
    assert_eq!(result, expected, "{category:?} {selector:?}");
}

#[test]
fn a_selector_and_a_category_are_a_section_or_refused() {
    const TOP: &str = "INVALID_TOP_LEVEL_SELECTOR";
    const NO_CATEGORY: &str = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY";
    const BEAR: &str = "INVALID_BEARINMIND_SELECTOR";
    const CATEGORY: &str = "INVALID_CATEGORY_NAME";
    const IN_BEAR: &str = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY";
    const SELECTOR: &str = "INVALID_CATEGORY_SELECTOR";
    for top in TopLevel::ALL {
        let name = top.name();
        check(name, "", &format!("{name}.md"));
        check(&format!(" !{name}\n"), "  ", &format!("{name}.md"));
        check(name, "bearinmind", NO_CATEGORY);
        check(name, "ux", NO_CATEGORY);
        check(&name.to_uppercase(), "", TOP);
        check(&name.to_uppercase(), "ux", NO_CATEGORY);
        check("x", &format!("{name}.md"), CATEGORY);
        check("x", &format!("{}.MD", name.to_uppercase()), CATEGORY);
        check("x", name, &format!("{name}/x.md"));
    }
    for bear in BearInMind::ALL {
        let name = bear.name();
        check(name, "", TOP);
        check(name, " bearinmind ", &format!("bearinmind/{name}.md"));
        check(name, "ux", IN_BEAR);
        check(&name.to_uppercase(), "ux", IN_BEAR);
        check(&name.to_uppercase(), "bearinmind", BEAR);
        check("x", &format!("{name}.md"), CATEGORY);
    }
    check("", "", "SELECTOR_REQUIRED");
    check(" ! ", "ux", "SELECTOR_REQUIRED");
    check("checklist", "", TOP);
    check("checklist", "bearinmind", BEAR);
    check("checklist", "BearInMind", CATEGORY);
    check("checklist", "journal.jsonl", CATEGORY);
    check("checklist", "x.tsk", CATEGORY);
    check("checklist", "x.TSK", CATEGORY);
    for name in [
        "../x",
        "a/b",
        "1a",
        "a..b",
        ".a",
        "a.",
        "-a",
        "a b",
        "\u{e9}",
        "a\\b",
        "con",
        "nul.x",
        ".",
        "..",
        "a\0",
        &"a".repeat(101),
    ] {
        check("checklist", name, CATEGORY);
        check(name, "ux", SELECTOR);
    }
    for name in ["ux", "ux.checklists", "A", "a-b_c.1.-", "check.list"] {
        check("x", name, &format!("{name}/x.md"));
        check(name, "ux", &format!("ux/{name}.md"));
    }
}

#[test]
fn file_lists_are_in_order() {
    let files = |names: Vec<&str>| -> Vec<String> {
        names.into_iter().map(|name| format!("`{name}{EXTENSION}`")).collect()
    };
    let top = TopLevel::ALL.iter().map(|top| top.name()).collect();
    assert_eq!(TopLevel::FILES, files(top).join(", "));
    let bears = BearInMind::ALL.iter().map(|bear| bear.name()).collect();
    assert_eq!(BearInMind::FILES, files(bears).join(", "));
    assert_eq!(TopLevel::Goals.description(), "The objectives, and how to recognize that they are reached.");
}

#[test]
fn qualified_names_round_trip() {
    for text in ["goals", "bearinmind/risks", "ux/check.list"] {
        assert_eq!(Section::parse_qualified(text).unwrap().to_string(), text);
    }
    for text in ["/goals", "a/b/c", "", "/"] {
        assert!(Section::parse_qualified(text).is_err(), "{text}");
    }
}
