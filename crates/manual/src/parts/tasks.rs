//! Sections and tools of task packages.

use minds_taskdoc::{Language as Words, Section, guide};

use super::Context;
use crate::table::Table;

/// The toolset of the tools for task packages.
const TOOLSET: &str = "control";

pub(super) fn sections(context: &Context<'_>) -> String {
    let heads = context.pick(["file", "content", "in the context"], ["文件", "内容", "在上下文中"]);
    let mut table = Table::new(&heads);
    let (always, if_there) = (context.pick("always", "总是"), context.pick("if it exists", "存在时"));
    for section in Section::injected_sections() {
        let (about, when) = match &section {
            Section::Top(top) => (top.description(), always),
            Section::BearInMind(bear) => (bear.description(), if_there),
            Section::Extra { .. } => continue,
        };
        table.row([format!("`{}`", section.path()).as_str(), about, when]);
    }
    table.finish().0
}

pub(super) fn tools(context: &Context<'_>) -> String {
    let mut table = Table::new(&context.pick(["tool", "purpose"], ["工具", "用途"]));
    for tool in context.pages.tools_of(TOOLSET) {
        table.row([format!("`{}`", tool.name).as_str(), tool.purpose()]);
    }
    table.finish().0
}

pub(super) fn guidance(context: &Context<'_>) -> String {
    guide(context.pick(Words::English, Words::Chinese))
}
