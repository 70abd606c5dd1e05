//! Strings and names use the words that `docs/contributing/language.md` asks for; `words.toml` lists those they do not use.

use regex::{Regex, RegexBuilder};
use toml::{Table, Value};
use xtask::files::{all, read};

/// Words to avoid in every string, phrases that contain them and are standard English, and words that are not names.
struct WordList {
    words: Vec<(Regex, String)>,
    allowed: Vec<Regex>,
    exceptions: Vec<(String, Regex)>,
    whole_names: Vec<String>,
    name_parts: Vec<String>,
    verbs: Vec<String>,
    openings: Vec<String>,
    code_span: Regex,
}

impl WordList {
    fn load() -> Self {
        let table: Table = read("crates/xtask/words.toml").parse().expect("the word list is valid TOML");
        let entries = |key: &str| table.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let field = |entry: &Value, key: &str| entry[key].as_str().expect("a string").to_owned();
        for entry in entries("allowed").iter().chain(&entries("exception")) {
            assert!(!field(entry, "reason").is_empty(), "{entry}: an exception has a reason");
        }
        let names = |key: &str| {
            let list = table["names"][key].as_array().expect("a list");
            list.iter().map(|name| name.as_str().expect("a string").to_owned()).collect()
        };
        Self {
            words: entries("word")
                .iter()
                .map(|entry| (pattern(&field(entry, "pattern")), field(entry, "instead")))
                .collect(),
            allowed: entries("allowed").iter().map(|entry| pattern(&field(entry, "phrase"))).collect(),
            exceptions: entries("exception")
                .iter()
                .map(|entry| (field(entry, "path"), pattern(&field(entry, "phrase"))))
                .collect(),
            whole_names: names("words"),
            name_parts: names("parts"),
            verbs: names("verbs"),
            openings: names("openings"),
            code_span: pattern("`[^`]*`"),
        }
    }

    /// Returns what is wrong with a string, one line for each word to avoid.
    fn check_text(&self, path: &str, text: &str) -> Vec<String> {
        let exceptions = self.exceptions.iter().filter(|(file, _)| file == path).map(|(_, phrase)| phrase);
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Code spans are names and samples.
        text = self.code_span.replace_all(&text, "`").into_owned();
        for phrase in self.allowed.iter().chain(exceptions) {
            text = phrase.replace_all(&text, " ").into_owned();
        }
        let mut findings = Vec::new();
        for (word, instead) in &self.words {
            for found in word.find_iter(&text) {
                let start = text[..found.start()].char_indices().rev().nth(40).map_or(0, |(at, _)| at);
                let end =
                    text[found.end()..].char_indices().nth(40).map_or(text.len(), |(at, _)| found.end() + at);
                let around = &text[start..end];
                findings.push(format!("{path}: `{}` in `{around}`: write {instead}", found.as_str()));
            }
        }
        findings
    }

    /// Returns what is wrong with a part of a name, if anything.
    fn check_parts(&self, path: &str, kind: &str, name: &str) -> Option<String> {
        let words = snake_case(name);
        let mut parts = words.split('_');
        let is_wrong = parts.any(|part| self.name_parts.iter().any(|wrong| wrong == part))
            || kind == "const" && (words.starts_with("most_") || words.starts_with("least_"));
        is_wrong.then(|| {
            format!("{path}: `{kind} {name}`: use the words of the field, and `MAX_` and `MIN_` for limits")
        })
    }

    /// Returns what is wrong with the name of a test, which is a sentence.
    fn check_sentence(&self, path: &str, name: &str) -> Vec<String> {
        let mut findings = self.check_text(path, &name.replace('_', " "));
        if self.openings.iter().any(|opening| name.starts_with(&format!("{opening}_"))) {
            findings.push(format!("{path}: `{name}`: begin with the subject of the test"));
        }
        findings
    }

    /// Returns what is wrong with a name, if anything.
    fn check_name(&self, path: &str, kind: &str, name: &str) -> Option<String> {
        let words = snake_case(name);
        let is_participle = kind == "fn"
            && !words.contains('_')
            && words.strip_suffix("ed").is_some()
            && !self.verbs.contains(&words);
        (is_participle || self.whole_names.contains(&words))
            .then(|| format!("{path}: `{kind} {name}`: use a verb for a function, a noun for anything else"))
            .or_else(|| self.check_parts(path, kind, name))
    }
}

fn pattern(text: &str) -> Regex {
    RegexBuilder::new(text).case_insensitive(true).build().expect("the pattern is valid")
}

fn snake_case(name: &str) -> String {
    let mut words = String::new();
    for (index, character) in name.char_indices() {
        let previous_is_lower = name[..index].chars().next_back().is_some_and(char::is_lowercase);
        if character.is_uppercase() && previous_is_lower {
            words.push('_');
        }
        words.extend(character.to_lowercase());
    }
    words
}

/// Returns the comments and the string literals of a Rust file; neighbouring lines of comments are one string.
fn prose_of_rust(source: &str) -> Vec<String> {
    let token = Regex::new(
        r##"(?s)//[^\n]*|/\*.*?\*/|\bb?r#"(?:.*?)"#|\bb?r"[^"]*"|"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\[^\n]{1,8})'"##,
    )
    .expect("the pattern is valid");
    let mut texts: Vec<String> = Vec::new();
    let mut comment_end = None;
    for found in token.find_iter(source) {
        let text = found.as_str();
        if text.starts_with('\'') {
            continue;
        }
        let Some(comment) = text.strip_prefix("//") else {
            texts.push(text.replace("\\n", " ").replace("\\\n", " "));
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']);
        let continues = comment_end.is_some_and(|end: usize| source[end..found.start()].trim().is_empty());
        match texts.last_mut().filter(|_| continues) {
            Some(last) => {
                last.push(' ');
                last.push_str(comment);
            }
            None => texts.push(comment.to_owned()),
        }
        comment_end = Some(found.end());
    }
    texts
}

fn names_of_rust(source: &str) -> Vec<(String, String)> {
    let declaration =
        Regex::new(r"(?m)^[^/\n]*?\b(fn|mod|struct|enum|trait|const|static|type) ([A-Za-z_][A-Za-z_0-9]*)")
            .expect("the pattern is valid");
    declaration.captures_iter(source).map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

fn rust_files() -> Vec<String> {
    let mut paths = all("crates");
    paths.retain(|path| path.strip_suffix(".rs").is_some());
    paths
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

/// Files with text outside the code: documentation, the manual, templates, the page of the viewer, and the action.
fn documents() -> Vec<String> {
    let is_text = |path: &String| {
        path.strip_suffix(".md").is_some()
            || path.contains("/templates/")
            || path.contains("/page/") && !is_test(path)
    };
    let mut paths: Vec<String> = all("docs").into_iter().chain(all("crates")).filter(is_text).collect();
    paths.extend(
        [
            "README.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "action.yml",
            ".pre-commit-hooks.yaml",
        ]
        .map(str::to_owned),
    );
    // The guide shows the words that are to be avoided.
    paths.retain(|path| path != "docs/contributing/language.md");
    paths
}

fn expect_none(findings: &[String], words: usize) {
    let per_thousand = findings.len() as f64 * 1e3 / words.max(1) as f64;
    assert!(
        findings.is_empty(),
        "{} findings in {words} words, {per_thousand:.2} in 1,000:\n{}",
        findings.len(),
        findings.join("\n")
    );
}

#[test]
fn code_uses_plain_words() {
    let list = WordList::load();
    let (mut findings, mut words) = (Vec::new(), 0);
    for path in rust_files() {
        let source = read(&path);
        for text in prose_of_rust(&source) {
            // Tests hold samples of every kind in their strings; the strings that they expect are in the code.
            if is_test(&path) && text.starts_with(['"', 'r', 'b']) {
                continue;
            }
            words += text.split_whitespace().count();
            findings.extend(list.check_text(&path, &text));
        }
    }
    expect_none(&findings, words);
}

#[test]
fn documents_use_plain_words() {
    let list = WordList::load();
    let (mut findings, mut words) = (Vec::new(), 0);
    for path in documents() {
        let text = read(&path);
        words += text.split_whitespace().count();
        findings.extend(list.check_text(&path, &text));
    }
    expect_none(&findings, words);
}

#[test]
fn names_use_plain_words() {
    let list = WordList::load();
    let (mut findings, mut names) = (Vec::new(), 0);
    for path in rust_files() {
        let file = path.rsplit('/').next().unwrap().trim_end_matches(".rs");
        findings.extend(list.check_name(&path, "file", file));
        let source = read(&path);
        let (code, tests) = source.split_once("#[cfg(test)]\nmod tests").unwrap_or((&source, ""));
        let (code, tests) = if is_test(&path) { ("", &*source) } else { (code, tests) };
        for (kind, name) in names_of_rust(code) {
            names += 1;
            findings.extend(list.check_name(&path, &kind, &name));
        }
        for (kind, name) in names_of_rust(tests) {
            names += 1;
            findings.extend(list.check_parts(&path, &kind, &name));
            if kind == "fn" {
                findings.extend(list.check_sentence(&path, &name));
            }
        }
    }
    expect_none(&findings, names);
}

/// Each kind of finding is made, and what is allowed is not found.
#[test]
fn words_to_avoid_are_found() {
    let list = WordList::load();
    let found = |text: &str| list.check_text("a.md", text).len();
    for wrong in [
        "`x` is no directory",
        "until it is mended",
        "name it behind `--exec`",
        "it stands in the file",
        "is told",
    ] {
        assert_eq!(found(wrong), 1, "{wrong}");
    }
    for right in
        ["it is no longer valid", "there is no such file", "PID stands for process id", "a text file"]
    {
        assert_eq!(found(right), 0, "{right}");
    }
    let is_wrong = |kind: &str, name: &str| list.check_name("a.rs", kind, name).is_some();
    for (kind, name) in
        [("fn", "told"), ("fn", "resolved"), ("const", "MOST_BYTES"), ("trait", "Desk"), ("file", "meant")]
    {
        assert!(is_wrong(kind, name), "{kind} {name}");
    }
    for (kind, name) in [("fn", "resolve"), ("const", "MAX_BYTES"), ("struct", "Resolved"), ("fn", "embed")] {
        assert!(!is_wrong(kind, name), "{kind} {name}");
    }
    let source = "// one\n// two\nlet a = \"three \\\"four\"; 'x'; let b = r#\"five \"six\"\"#; // seven\n";
    assert_eq!(prose_of_rust(source), [" one  two", "\"three \\\"four\"", "r#\"five \"six\"\"#", " seven"]);
}
