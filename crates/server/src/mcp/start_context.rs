//! What the server sends at the start of a session, by source.

use minds_toolset::OfferedTool;
use minds_workspace::context::{ContextPart, ContextSource};

use crate::mcp::instructions::blocks;
use crate::mcp::protocol;
use crate::mcp::server::Server;

impl Server {
    /// Returns what the server sends at the start of a session: the instructions, and the tools as they are listed, by toolset
    /// or server.
    pub fn start_context(&self) -> Vec<ContextPart> {
        let mut parts: Vec<ContextPart> = Vec::new();
        for block in blocks(self) {
            let bytes = Some(block.visible_text().len());
            let part = ContextPart::new(block.source, block.place, bytes);
            parts.push(match block.note {
                Some(note) => part.with_note(note),
                None => part,
            });
        }
        parts.extend(self.tool_parts());
        parts
    }

    fn tool_parts(&self) -> Vec<ContextPart> {
        let mut sizes: Vec<(ContextSource, String, usize, usize)> = Vec::new();
        for tool in self.tools().iter() {
            let source = match tool {
                OfferedTool::BuiltIn(..) => ContextSource::Tools,
                OfferedTool::Foreign(_) => ContextSource::Server,
            };
            let descriptor = tool.descriptor();
            let place = descriptor.toolset.clone().into_owned();
            let bytes = protocol::listed_bytes(descriptor);
            match sizes.iter_mut().find(|(known, name, ..)| *known == source && *name == place) {
                Some((.., count, total)) => {
                    *count += 1;
                    *total += bytes;
                }
                None => sizes.push((source, place, 1, bytes)),
            }
        }
        let part = |(source, place, count, bytes)| {
            ContextPart::new(source, Some(place), Some(bytes)).with_tools(count)
        };
        sizes.into_iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test writes the workspace that it serves")]

    use std::fs;

    use minds_toolset::{Caller, Clock, ToolContext};

    use super::*;
    use crate::mcp::instructions::instructions;

    const FILES: [(&str, &str); 6] = [
        (
            ".minds/team.yaml",
            "members:\n  coder: {toolsets: [ws_read, ws_mod]}\n  lead: {toolsets: [team-mgmt]}\n  bare: {}\n",
        ),
        (".minds/team/coder/persona.md", "You write \u{200b}code.\n\n"),
        (".minds/team/coder/knowledge.md", "The code is in `src`."),
        ("tasks/ship-it.tsk/goals.md", "Ship it.\n"),
        ("tasks/ship-it.tsk/constraints.md", ""),
        ("tasks/ship-it.tsk/progress.md", ""),
    ];

    #[test]
    fn parts_are_all_that_is_sent() {
        let folder = tempfile::tempdir().expect("a directory can be created");
        let root = folder.path().join("workspace");
        for (path, text) in FILES {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a file has a directory")).expect("it can be created");
            fs::write(path, text).expect("a file can be written");
        }
        for id in ["coder", "lead", "bare", "missing"] {
            for task in [None, Some("ship-it"), Some("nope")] {
                let context = ToolContext::open(&root, &folder.path().join("state"), Clock::At(0));
                let context = context.expect("the workspace exists").for_task(task.map(str::to_owned));
                let server = Server::new(context, "demo", Caller::member(id));
                let parts = server.start_context();
                let is_tool = |part: &&ContextPart| part.source == ContextSource::Tools;
                let sum = |parts: &mut dyn Iterator<Item = &ContextPart>| -> usize {
                    parts.filter_map(|part| part.bytes).sum()
                };
                let sent = sum(&mut parts.iter().filter(|part| !is_tool(part)));
                assert_eq!(sent, instructions(&server).len(), "{id} {task:?}");
                let tools = server.tools();
                let listed: usize = tools.iter().map(|tool| protocol::listed_bytes(tool.descriptor())).sum();
                assert_eq!(sum(&mut parts.iter().filter(is_tool)), listed, "{id} {task:?}");
            }
        }
    }
}
