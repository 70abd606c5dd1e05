//! URLs of servers.

use minds_document::{Context, Decode, Node, UrlKind, inline_schema};

/// An absolute `http` or `https` URL with a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// Returns the URL, without white space around it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for ServerUrl {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        UrlKind::HTTP.decode(node, cx).map(Self)
    }
}

inline_schema!(ServerUrl, |_| UrlKind::HTTP.json_schema());
