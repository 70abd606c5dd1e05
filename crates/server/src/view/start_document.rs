//! The JSON document that announces a page.

use minds_diagnostics::JsonDocument;
use schemars::JsonSchema;
use serde::Serialize;

/// The URL of the page of a task package, printed as soon as the page is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskViewDocument<'a> {
    /// An HTML file that opens the page while it is served; `null` if the file could not be written.
    pub file: Option<&'a str>,
    /// A URL that opens the page once, within five minutes.
    pub url: &'a str,
}

impl JsonDocument for TaskViewDocument<'_> {
    const NAME: &'static str = "task-view";
}
