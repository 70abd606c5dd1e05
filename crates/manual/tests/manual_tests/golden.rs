//! Pages whose tables depend on the tools and codes of the program, and on the files of the workspace.

use minds_manual::{CodeEntry, Manual, Pages, ToolEntry};

use crate::{LANGUAGES, snapshot};

fn pages() -> Pages {
    let tool = |name, toolsets, description| ToolEntry { name, toolsets, description };
    Pages {
        tools: vec![
            tool("note_add", &["notes"], "Add a note; it is dated. NOTE_EXISTS: choose another title."),
            tool("note_list", &["notes", "control"], "List all notes. `truncated`: there are more."),
        ],
        codes: vec![CodeEntry { name: "NOTE_EXISTS", description: "There is a note with this title." }],
    }
}

#[test]
fn pages_with_tables() {
    let mcp = "version: 1\nservers: {browser: {transport: stdio, command: browser-mcp}}\n";
    let llm = "providers: {local: {apiType: openai, baseUrl: 'http://localhost', models: {small: {}}}}\n";
    let files = snapshot(&[(".minds/mcp.yaml", mcp), (".minds/llm.yaml", llm)]);
    let manual = Manual::new(pages(), &files);
    for path in [&["toolsets", "notes"][..], &["toolsets"], &["tasks"], &["files"]] {
        let topic = pages().find(path.iter().copied()).expect("the page exists").topic;
        for language in LANGUAGES {
            let name = format!("{}-{}", path.join("-"), language.as_str());
            insta::assert_snapshot!(name, manual.page(&topic, language));
        }
    }
}
