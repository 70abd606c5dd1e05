//! Decoding of nodes to typed values; every problem is reported with its place.
//!
//! ```
//! use minds_diagnostics::SourceFile;
//! use minds_document::{Context, Decode, Field, Node, Text, yaml};
//!
//! struct Member {
//!     name: Field<Text>,
//! }
//!
//! impl Decode for Member {
//!     fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
//!         let mut fields = cx.fields(node)?;
//!         let name = fields.read("name");
//!         let _ = fields.finish();
//!         Some(Self { name })
//!     }
//! }
//!
//! let source = SourceFile::new("member.yaml", "name: 5\nnmae: x\n");
//! let parsed = yaml::parse(&source);
//! let document = parsed.value.expect("the syntax is right");
//! let mut cx = Context::new();
//! let member = Member::decode(document.root(), &mut cx).expect("it is a mapping");
//! assert!(matches!(member.name, Field::Unreadable(_)));
//!
//! let found: Vec<String> = cx.into_problems().into_sorted().into_iter().map(|found| found.message).collect();
//! assert_eq!(found, ["`name` must be a string, not an integer", "unknown key `nmae`"]);
//! ```

mod context;
mod field;
mod fields;
mod limits;
mod values;

pub use context::Context;
pub use field::{Field, Spanned};
pub use fields::{Fields, MisspelledKeys};
pub use limits::{LimitedNumber, Limits};
pub use minds_document_derive::Decode;
pub use values::{FiniteNumber, List, ListItem, Text, decode_list};

use crate::Node;
use crate::yaml::KeyOrder;

/// A type that can be decoded from a node.
pub trait Decode: Sized {
    /// The canonical order of the keys in the value.
    const ORDER: KeyOrder = KeyOrder::Free;

    /// Decodes a value and reports every problem to `cx`.
    ///
    /// Returns nothing if there is no usable value; then something was reported.
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self>;
}
