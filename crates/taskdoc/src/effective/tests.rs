use super::*;

fn text(sections: &[(&str, &str)], language: Language) -> String {
    let mut bodies = InjectedBodies::new();
    for (section, body) in sections {
        bodies.set(Section::parse_qualified(section).unwrap(), (*body).to_owned());
    }
    effective_text(&bodies, language, DEFAULT_BUDGET).text
}

#[test]
fn the_headings_match_the_recorded_text() {
    let english = |sections: &[(&str, &str)]| text(sections, Language::English);
    assert_eq!(
        english(&[("goals", "G1\nG2\n"), ("constraints", "- C"), ("progress", "P\n\n")]),
        "# Taskdoc (Dialog Tree)\n\n## Goals\nG1\nG2\n\n\n## Constraints\n- C\n\n## Progress\nP\n\n"
    );
    let empty = "\n\n## Goals\n\n\n## Constraints\n\n\n## Progress\n";
    assert_eq!(english(&[]), format!("# Taskdoc (Dialog Tree){empty}"));
    assert_eq!(text(&[], Language::Chinese), format!("# 差遣牒（对话树）{empty}"));
    assert_eq!(english(&[("bearinmind/grants", " \n\t")]), format!("# Taskdoc (Dialog Tree){empty}"));
    assert_eq!(
        english(&[
            ("progress", "P"),
            ("bearinmind/risks", "R\n"),
            ("bearinmind/contracts", "C"),
            ("ux/x", "X")
        ]),
        "# Taskdoc (Dialog Tree)\n\n## Goals\n\n\n## Constraints\n\n\n## Bear In Mind\n### contracts.md\nC\n\
         ### risks.md\nR\n\n\n## Progress\nP"
    );
}

#[test]
fn goals_and_constraints_are_complete_and_other_omissions_are_marked() {
    let line = "0123456789abcdef\n";
    let bodies = |progress: usize, risks: usize| {
        InjectedBodies::new()
            .with(Section::GOALS, line.repeat(50))
            .with(Section::CONSTRAINTS, line.repeat(50))
            .with(Section::parse_qualified("bearinmind/risks").unwrap(), line.repeat(risks))
            .with(Section::PROGRESS, format!("first\n{}last\n", line.repeat(progress)))
    };
    let complete = effective_text(&bodies(100, 50), Language::English, DEFAULT_BUDGET);
    assert!(complete.cut.is_empty());
    for (budget, cut) in [(4_000, "progress"), (3_000, "progress"), (2_300, "bearinmind/risks progress")] {
        let shorter = effective_text(&bodies(100, 50), Language::English, budget);
        let names: Vec<String> = shorter.cut.iter().map(|cut| cut.section.to_string()).collect();
        assert_eq!(names.join(" "), cut, "{budget}");
        assert!(shorter.text.len() <= budget, "{budget}: {}", shorter.text.len());
        let whole = format!("## Goals\n{0}\n\n## Constraints\n{0}\n", line.repeat(50));
        assert!(shorter.text.contains(&whole), "{budget}");
        assert!(budget < 3_000 || (shorter.text.contains("first\n") && shorter.text.ends_with("last\n")));
    }
    let tiny = effective_text(&bodies(100, 50), Language::Chinese, 0);
    assert_eq!(tiny.text.matches(line).count(), 100);
    assert_eq!(tiny.text.matches("省略").count(), 2);
}

#[track_caller]
fn bodies_with_unread(sections: &[(&str, TaskCode)]) -> InjectedBodies {
    let mut bodies = InjectedBodies::new();
    for section in Section::injected_sections() {
        bodies.set(section.clone(), format!("text of {section}\n"));
    }
    for (section, code) in sections {
        let section = Section::parse_qualified(section).unwrap();
        bodies.set_unread(section, TaskError::new(*code, "it cannot be read"));
    }
    bodies
}

#[test]
fn one_line_replaces_an_unreadable_section_and_the_rest_is_present() {
    for missing in Section::injected_sections() {
        let bodies = bodies_with_unread(&[(&missing.to_string(), TaskCode::InvalidUtf8)]);
        for (language, line) in [
            (
                Language::English,
                format!("[The text of `{}` is missing here: the file is not valid UTF-8.", missing.path()),
            ),
            (Language::Chinese, format!("[此处缺少 `{}` 的正文：文件不是有效的 UTF-8。", missing.path())),
        ] {
            // Also if the budget is exceeded by sections that must not be shortened.
            for budget in [DEFAULT_BUDGET, 0] {
                let text = effective_text(&bodies, language, budget).text;
                assert_eq!(text.lines().filter(|found| found.starts_with(&line)).count(), 1, "{text}");
                assert!(text.contains(&format!("{}\n[", missing.heading())), "{text}");
            }
            let text = effective_text(&bodies, language, DEFAULT_BUDGET).text;
            for section in Section::injected_sections().filter(|section| *section != missing) {
                assert!(text.contains(&format!("{}\ntext of {section}\n", section.heading())), "{text}");
            }
        }
        assert_eq!(bodies.unread().iter().map(|(path, _)| path).collect::<Vec<_>>(), [&missing.path()]);
    }
}

#[test]
fn an_unreadable_directory_is_reported_once() {
    let all: Vec<String> = BearInMind::ALL.iter().map(|bear| format!("bearinmind/{}", bear.name())).collect();
    let all: Vec<(&str, TaskCode)> = all.iter().map(|name| (name.as_str(), TaskCode::NotAFile)).collect();
    let bodies = bodies_with_unread(&all);
    let text = effective_text(&bodies, Language::English, DEFAULT_BUDGET).text;
    assert!(
        text.contains(
            "text of constraints\n\n\n## Bear In Mind\n[The text of `bearinmind/` is missing here: "
        ),
        "{text}"
    );
    assert_eq!(text.matches("is missing here").count(), 1, "{text}");
    assert!(text.ends_with("\n\n\n## Progress\ntext of progress\n"), "{text}");
    assert_eq!(bodies.unread().len(), 1);
    // If one section can be read, each unreadable one has its own line.
    let text = effective_text(&bodies_with_unread(&all[1..]), Language::English, DEFAULT_BUDGET).text;
    assert_eq!(
        (text.matches("is missing here").count(), text.matches("text of bearinmind/").count()),
        (5, 1),
        "{text}"
    );
}

#[test]
fn text_is_shortened_between_characters() {
    for most in 0..400 {
        let body = "差遣牒对话树".repeat(50);
        let (shorter, omitted_bytes) = shorten(&body, most, Language::English);
        let notice = omission_line(omitted_bytes, body.len(), Language::English);
        assert_eq!(shorter.len(), body.len() - omitted_bytes + notice.len());
        assert!(shorter.len() <= most.max(notice.len() + 2), "{most}");
    }
}
