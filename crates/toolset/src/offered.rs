//! The tools that are offered to a caller.

use std::sync::Arc;

use crate::{ForeignTool, Tool, ToolDescriptor};

/// The tools that a caller has and can use: first the built-in ones, then those of servers.
#[derive(Clone, Debug, Default)]
pub struct OfferedTools {
    /// Each with the toolset under which it is listed.
    pub(crate) built_in: Vec<(&'static Tool, &'static str)>,
    pub(crate) foreign: Arc<[ForeignTool]>,
    /// Whether the caller has the foreign tool with the same index.
    pub(crate) is_offered: Vec<bool>,
}

/// A tool that is offered to a caller.
#[derive(Clone, Copy, Debug)]
pub enum OfferedTool<'t> {
    /// A built-in tool, and the toolset under which it is listed.
    BuiltIn(&'static Tool, &'static str),
    /// A tool of a server.
    Foreign(&'t ForeignTool),
}

impl OfferedTools {
    /// Returns the tools in order.
    pub fn iter(&self) -> impl Iterator<Item = OfferedTool<'_>> {
        let built_in = self.built_in.iter().map(|(tool, toolset)| OfferedTool::BuiltIn(tool, toolset));
        let foreign = self.foreign.iter().zip(&self.is_offered).filter(|(_, is_offered)| **is_offered);
        built_in.chain(foreign.map(|(tool, _)| OfferedTool::Foreign(tool)))
    }

    /// Returns whether the foreign tools were selected from these, without comparing tools.
    pub fn are_selected_from(&self, foreign: &Arc<[ForeignTool]>) -> bool {
        Arc::ptr_eq(&self.foreign, foreign)
    }

    /// Returns whether the tools are the same ones, without comparing those of servers: `false` says nothing.
    pub fn is_same_selection(&self, other: &Self) -> bool {
        let name = |(tool, toolset): &(&'static Tool, &'static str)| (tool.name, *toolset);
        self.are_selected_from(&other.foreign)
            && self.is_offered == other.is_offered
            && self.built_in.iter().map(name).eq(other.built_in.iter().map(name))
    }

    /// Returns whether a tool is offered.
    pub fn has(&self, name: &str) -> bool {
        self.iter().any(|tool| tool.name() == name)
    }
}

/// Tools are equal if clients see the same.
impl PartialEq for OfferedTools {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'t> OfferedTool<'t> {
    /// Returns the name.
    pub fn name(self) -> &'t str {
        match self {
            Self::BuiltIn(tool, _) => tool.name,
            Self::Foreign(tool) => &tool.name,
        }
    }

    /// Returns the description for clients.
    pub fn descriptor(self) -> ToolDescriptor {
        match self {
            Self::BuiltIn(tool, toolset) => tool.descriptor(toolset),
            Self::Foreign(tool) => tool.descriptor(),
        }
    }
}

impl PartialEq for OfferedTool<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::BuiltIn(one, toolset), Self::BuiltIn(two, other)) => {
                one.name == two.name && toolset == other
            }
            (Self::Foreign(one), Self::Foreign(two)) => one == two,
            _ => false,
        }
    }
}
