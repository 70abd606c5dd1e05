use super::*;

#[track_caller]
fn refuses(name: &str, problem: NameProblem) {
    assert_eq!(check(name), Err(problem), "{name:?}");
}

#[test]
fn ordinary_names_pass() {
    for name in ["team.yaml", "a b", ".hidden", "..foo", "日本", "👩‍💻", "console", "COM10", "é"] {
        assert_eq!(check(name), Ok(()), "{name:?}");
    }
}

#[test]
fn names_that_some_system_refuses_are_rejected() {
    refuses("", NameProblem::Empty);
    refuses("..", NameProblem::Dots);
    refuses("a/b", NameProblem::Separator('/'));
    refuses("a\\b", NameProblem::Separator('\\'));
    refuses("a:b", NameProblem::Forbidden(':'));
    refuses("a?", NameProblem::Forbidden('?'));
    refuses("a\tb", NameProblem::Control);
    refuses("a\u{7f}", NameProblem::Control);
    refuses("a\u{202e}b", NameProblem::Hidden);
    refuses("a\u{200b}b", NameProblem::Hidden);
    refuses("a.", NameProblem::TrailingDotOrSpace);
    refuses("a ", NameProblem::TrailingDotOrSpace);
    for name in ["nul", "AUX", "Prn", "conin$"] {
        refuses(name, NameProblem::Device);
    }
    refuses("Con.txt", NameProblem::Device);
    refuses("com1", NameProblem::Device);
    refuses("LPT³", NameProblem::Device);
    refuses("e\u{301}", NameProblem::NotNormal);
    refuses(&"x".repeat(256), NameProblem::TooLong);
}

#[test]
fn names_with_hidden_characters_are_rejected() {
    for c in [
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{180e}',
        '\u{200b}',
        '\u{200e}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{2060}',
        '\u{2065}',
        '\u{2066}',
        '\u{206f}',
        '\u{3164}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{fffb}',
        '\u{13430}',
        '\u{1bca0}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e0fff}',
    ] {
        for name in [format!("a{c}b"), format!("日{c}本"), format!("{c}"), format!("a{c}"), format!("{c}a")]
        {
            refuses(&name, NameProblem::Hidden);
        }
    }
    // NEXT LINE is a control character.
    refuses("a\u{85}b", NameProblem::Control);
    // Joiners and selectors belong to characters outside of ASCII.
    for name in [
        "a\u{200d}b",
        "a\u{200c}",
        "\u{200d}日",
        "日\u{200d}",
        "日\u{200d}\u{200d}本",
        "a\u{fe0f}",
        "\u{fe0f}",
        "a\u{e0100}",
        "\u{180b}",
    ] {
        refuses(name, NameProblem::Hidden);
    }
    for name in ["\u{3000}", "\u{a0}\u{2003}", "\u{2800}\u{2800}"] {
        refuses(name, NameProblem::Hidden);
    }
    for name in [
        "❤\u{fe0f}",
        "👩\u{200d}❤\u{fe0f}\u{200d}👨",
        "نمی\u{200c}خواهم",
        "葛\u{e0100}飾",
        "1\u{fe0f}\u{20e3}",
        "a\u{a0}b",
        "日 本",
    ] {
        assert_eq!(check(name), Ok(()), "{name:?}");
    }
}

#[test]
fn names_that_some_system_confuses_fold_to_the_same() {
    assert_eq!(fold("Coder"), fold("coder"));
    assert_eq!(fold("\u{212a}ai"), fold("kai")); // KELVIN SIGN
    assert_eq!(fold("e\u{301}"), fold("É"));
    assert_eq!(fold("straße"), fold("STRASSE"));
    assert_ne!(fold("a_b"), fold("a-b"));
    // ext4 with case folding ignores characters that are not displayed.
    assert_eq!(fold("sec\u{200d}r\u{fe0f}et\u{feff}"), "secret");
    assert_eq!(fold("e\u{200d}\u{301}"), "é");
    assert_eq!(fold("\u{200d}"), "\u{200d}");
}

/// Folding is idempotent, and keeps the separators of names and patterns.
#[test]
fn folding_each_character_is_stable_and_adds_no_separator() {
    for c in (char::MIN..=char::MAX).filter(|c| !is_control(*c)) {
        let folded = fold(&format!("a{c}b"));
        assert_eq!(fold(&folded), folded, "{c:?}");
        for separator in ['/', '\\', '*', '.'] {
            assert_eq!(folded.contains(separator), c == separator, "{c:?}");
        }
    }
}

#[test]
fn names_that_look_alike_have_the_same_skeleton() {
    assert_eq!(skeleton("paypal"), skeleton("p\u{430}ypal"));
    assert_ne!(skeleton("src"), skeleton("docs"));
}

#[test]
fn names_of_the_git_directory_are_recognized() {
    for name in [
        ".git",
        ".GIT",
        ".Git",
        ".git.",
        ".git ",
        ".git . .",
        "git~1",
        "GIT~1",
        "git~1 ",
        ".git::$INDEX_ALLOCATION",
        ".git:x",
        ".g\u{200c}it",
        "\u{feff}.GIT",
        ".gi\u{206f}t",
    ] {
        assert!(is_git(name), "{name:?}");
    }
    for name in
        ["", "git", ".gitignore", ".github", "x.git", ".git~1", "git~2", ". git", ".g it", ".gît", "g.it"]
    {
        assert!(!is_git(name), "{name:?}");
    }
}

#[test]
fn packages_are_recognized_in_any_letter_case() {
    for segment in ["x.tsk", ".tsk", "X.TSK", "x.t\u{17f}k", "x.ts\u{212a}", "é.tsk"] {
        assert!(is_encapsulated(segment), "{segment:?}");
    }
    for segment in ["tsk", "x.tsk.md", "x.tskx", ""] {
        assert!(!is_encapsulated(segment), "{segment:?}");
    }
}

/// Each character that folds to one of these letters, at each place of the ending.
#[test]
fn every_character_that_folds_to_the_ending_is_recognized() {
    let concerned = (char::MIN..=char::MAX)
        .filter(|c| c.is_ascii() || fold(c.encode_utf8(&mut [0; 4])).contains(['.', 't', 's', 'k']));
    for c in concerned {
        let longer = [format!("x{c}tsk"), format!("x.{c}sk"), format!("x.t{c}k"), format!("x.ts{c}")];
        let shorter = [format!("x{c}sk"), format!("x.{c}k"), format!("x.t{c}"), format!("x.tsk{c}")];
        for segment in longer.into_iter().chain(shorter) {
            assert_eq!(
                is_encapsulated(&segment),
                fold(&segment).strip_suffix(".tsk").is_some(),
                "{segment:?}"
            );
        }
    }
}
