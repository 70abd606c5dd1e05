//! Documents stay short, their links resolve, and the steps for contributors name the files that have to change.

use std::collections::BTreeSet;

use xtask::files::{all, read, root};

/// Documents outside of `docs/`.
const AT_THE_TOP: [&str; 4] = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

fn documents() -> Vec<String> {
    let is_readme = |path: &String| path.ends_with("/README.md") && path.split('/').count() == 3;
    let mut documents: Vec<String> = AT_THE_TOP.map(str::to_owned).into();
    documents.extend(all("docs").into_iter().filter(|path| path.rsplit('.').next() == Some("md")));
    documents.extend(all("crates").into_iter().filter(is_readme));
    documents
}

/// Returns a page without its blocks of code, in which brackets are not links and `#` is not a heading.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<&str>>().join("\n")
}

/// Returns the anchors of the headings of a page, as GitHub forms them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let characters = heading.trim_start_matches('#').trim().chars();
        let kept = characters.filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Returns the path of `link` in the repository, seen from `document`.
fn resolve(document: &str, link: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn links_resolve() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = prose(&read(&document));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let sources = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for link in links.chain(sources).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { document.clone() } else { resolve(&document, file) };
            let exists = root().join(&path).exists();
            if !exists || (!anchor.is_empty() && !anchors(&prose(&read(&path))).contains(anchor)) {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_crate_has_a_short_readme() {
    let manifests = all("crates").into_iter().filter(|path| path.ends_with("/Cargo.toml"));
    for manifest in manifests {
        let readme = manifest.replace("Cargo.toml", "README.md");
        assert!(root().join(&readme).exists(), "{readme} does not exist");
        let lines = read(&readme).lines().count();
        assert!(lines <= 60, "{readme} has {lines} lines, at most 60 are allowed");
    }
}

#[test]
fn pages_that_everyone_reads_are_short() {
    for (page, most) in [("README.md", 120), ("docs/architecture.md", 250)] {
        let lines = read(page).lines().count();
        assert!(lines <= most, "{page} has {lines} lines, at most {most} are allowed");
    }
}

#[test]
fn decisions_have_one_form_and_are_listed() {
    let index = read("docs/decisions/README.md");
    let decisions: Vec<String> =
        all("docs/decisions").into_iter().filter(|path| !path.ends_with("README.md")).collect();
    for (number, path) in (1..).zip(&decisions) {
        let name = path.rsplit('/').next().expect("a path has a name");
        assert!(name.starts_with(&format!("{number:04}-")), "{path} is not number {number}");
        let text = read(path);
        let lines = text.lines().count();
        assert!(lines <= 40, "{path} has {lines} lines, at most 40 are allowed");
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, ["## Context", "## Decision", "## Consequences"], "{path}");
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a title");
        let row = format!("| [{number:04}]({name}) | {title} |\n");
        assert!(index.contains(&row), "docs/decisions/README.md lacks the row {row}");
    }
    assert_eq!(index.matches("\n| [").count(), decisions.len());
}

/// A page that explains the code names files that exist.
#[test]
fn pages_about_the_code_name_existing_files() {
    let mut pages: Vec<String> = all("docs/decisions");
    pages.extend(all("docs/contributing"));
    pages.extend(["docs/architecture.md", "docs/performance.md", "CONTRIBUTING.md"].map(str::to_owned));
    for page in pages {
        for path in paths_in(&read(&page)) {
            assert!(root().join(&path).exists(), "{page} names `{path}`, which does not exist");
        }
    }
}

/// A page that explains the code uses the names that the code has.
#[test]
fn pages_about_the_code_use_existing_names() {
    let sources: Vec<String> = all("crates")
        .iter()
        .filter(|path| path.rsplit('.').next() == Some("rs"))
        .map(|path| read(path))
        .collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let known: BTreeSet<&str> = sources.iter().flat_map(|text| text.split(move |c| !is_part(c))).collect();
    let mut unknown = Vec::new();
    for page in all("docs/decisions").into_iter().chain(["docs/architecture.md".to_owned()]) {
        let text = read(&page);
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_name = quoted.chars().all(|c| is_part(c) || c == ':');
            let has_humps = quoted.chars().filter(char::is_ascii_uppercase).count() > 1
                && quoted.chars().any(|c| c.is_ascii_lowercase());
            if is_name && (has_humps || quoted.contains("::")) {
                let parts = quoted.split("::").filter(|part| !known.contains(part));
                unknown.extend(parts.map(|part| format!("{page}: {part} in `{quoted}`")));
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

/// Returns the files and directories of the repository in backticks, without patterns.
fn paths_in(text: &str) -> Vec<String> {
    const ROOTS: [&str; 4] = ["crates/", "docs/", "fixtures/", "schemas/"];
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |name: &&str| {
        ROOTS.iter().any(|root| name.starts_with(root)) && !name.contains(['*', '<', '{', ' ', '\n'])
    };
    quoted.filter(is_path).map(|path| path.trim_end_matches('/').to_owned()).collect()
}

/// The steps of a heading in CONTRIBUTING.md: the name that is the example, and the paths that the steps name.
fn steps(heading: &str) -> (String, BTreeSet<String>) {
    let page = read("CONTRIBUTING.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the heading exists");
    let section = section.split("\n## ").next().unwrap_or(section);
    let (_, example) = section.split_once("Example: `").expect("there is an example");
    let example = example.split('`').next().unwrap_or_default().to_owned();
    (example, paths_in(section).into_iter().collect())
}

/// Returns whether the path, or something in the file or directory, names the example.
fn mentions(path: &str, names: &[String]) -> bool {
    let has = |text: &str| names.iter().any(|name| text.to_lowercase().contains(name.as_str()));
    if root().join(path).is_dir() {
        return has(path) || all(path).iter().any(|file| has(file));
    }
    // Some fixtures are not valid UTF-8.
    let content = std::fs::read(root().join(path)).expect("the file can be read");
    has(path) || has(&String::from_utf8_lossy(&content))
}

#[test]
fn the_steps_name_files_that_contain_the_example() {
    // Places that are named for cases other than the example.
    let other_places = [
        "fixtures/minds-core/mcp/valid",
        "fixtures/operations",
        "crates/render/src/clients/client.rs",
        "docs/clients.md",
    ]
    .map(str::to_owned);
    for heading in ["Add a rule", "Add a key", "Add a tool", "Add a render target"] {
        let (example, paths) = steps(heading);
        let name = example.rsplit('/').next().expect("a name has a last part");
        let names = [name.to_owned(), name.replace('-', "_")];
        assert!(paths.len() > 4, "{heading}: the steps name few files");
        for path in paths.difference(&other_places.clone().into()) {
            assert!(mentions(path, &names), "{heading}: {path} has nothing about `{example}`");
        }
    }
}

/// The steps for a rule are complete: the example appears in the files that they name and nowhere else.
#[test]
fn the_steps_for_a_rule_name_every_place() {
    let (example, paths) = steps("Add a rule");
    let name = example.rsplit('/').next().expect("a code has a name").to_owned();
    let names = [name.replace('-', "_"), name];
    let is_text = |path: &String| {
        let ending = path.rsplit('.').next().unwrap_or_default();
        ["rs", "md", "snap", "yaml", "json", "toml"].contains(&ending)
    };
    let files = ["crates", "docs", "fixtures", "schemas"].iter().flat_map(|folder| all(folder));
    let is_own = |path: &String| path.as_str() == "crates/xtask/tests/xtask_tests/documents.rs";
    let places: Vec<String> =
        files.filter(|path| is_text(path) && !is_own(path) && mentions(path, &names)).collect();
    let is_named =
        |place: &&String| paths.iter().any(|path| *place == path || place.starts_with(&format!("{path}/")));
    let unnamed: Vec<&String> = places.iter().filter(|place| !is_named(place)).collect();
    assert!(places.len() > 6, "the example has few places: {places:?}");
    assert_eq!(unnamed, Vec::<&String>::new(), "CONTRIBUTING.md does not name these places of `{example}`");
}
