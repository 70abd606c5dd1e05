//! The manual, with the tools and codes of this crate.

use minds_manual::{CodeEntry, ToolEntry};
pub use minds_manual::{Language, Manual, PageMatch, Pages, Topic, UnknownTopic};

use crate::{Code, ToolContext, tools};

/// Returns the pages, which describe the built-in tools.
pub fn pages() -> Pages {
    let tool = |tool: &&'static crate::Tool| ToolEntry {
        name: tool.name,
        toolsets: tool.toolsets,
        description: tool.description,
    };
    let code = |code: Code| CodeEntry { name: code.as_str(), description: code.description() };
    Pages { tools: tools::ALL.iter().map(tool).collect(), codes: Code::all().map(code).collect() }
}

/// Returns the manual for a workspace as it is now.
pub fn manual(context: &ToolContext) -> Manual {
    Manual::new(pages(), &context.root().snapshot(&Manual::scope()))
}
