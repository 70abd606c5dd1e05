//! Decodes access lists.

use minds_access_control::{Extension, Pattern};
use minds_document::{Context, Decode, Fields, MisspelledKeys, Node, Text, Value, decode_list};

use crate::model::{AccessList, AccessLists, ExtensionLists};
use crate::rules::{invalid_extension, invalid_pattern};

pub(super) fn access_lists(fields: &mut Fields<'_, '_>) -> AccessLists {
    AccessLists {
        read_dirs: fields.read_with("read_dirs", directories),
        write_dirs: fields.read_with("write_dirs", directories),
        no_read_dirs: fields.read_with("no_read_dirs", directories),
        no_write_dirs: fields.read_with("no_write_dirs", directories),
        extension_lists: extension_lists(fields),
    }
}

const EXTENSION_LISTS: [&str; 4] =
    ["read_file_ext_names", "write_file_ext_names", "no_read_file_ext_names", "no_write_file_ext_names"];

/// Decodes the extension lists. They are boxed because they are rarely used.
fn extension_lists(fields: &mut Fields<'_, '_>) -> Option<Box<ExtensionLists>> {
    let lists = ExtensionLists {
        read_file_ext_names: fields.read_with("read_file_ext_names", extensions),
        write_file_ext_names: fields.read_with("write_file_ext_names", extensions),
        no_read_file_ext_names: fields.read_with("no_read_file_ext_names", extensions),
        no_write_file_ext_names: fields.read_with("no_write_file_ext_names", extensions),
    };
    let is_empty = [
        &lists.read_file_ext_names,
        &lists.write_file_ext_names,
        &lists.no_read_file_ext_names,
        &lists.no_write_file_ext_names,
    ]
    .iter()
    .all(|list| list.is_absent());
    (!is_empty).then(|| Box::new(lists))
}

/// Makes lists with misspelled keys unreadable, so that nothing that they should deny is allowed.
pub(super) fn mark_misspelled(lists: &mut AccessLists, meant: &MisspelledKeys) {
    meant.mark_unreadable("read_dirs", &mut lists.read_dirs);
    meant.mark_unreadable("write_dirs", &mut lists.write_dirs);
    meant.mark_unreadable("no_read_dirs", &mut lists.no_read_dirs);
    meant.mark_unreadable("no_write_dirs", &mut lists.no_write_dirs);
    let is_meant = EXTENSION_LISTS.iter().any(|name| meant.contains(name));
    let extensions = match &mut lists.extension_lists {
        None if !is_meant => return,
        extensions => extensions.get_or_insert_default(),
    };
    meant.mark_unreadable("read_file_ext_names", &mut extensions.read_file_ext_names);
    meant.mark_unreadable("write_file_ext_names", &mut extensions.write_file_ext_names);
    meant.mark_unreadable("no_read_file_ext_names", &mut extensions.no_read_file_ext_names);
    meant.mark_unreadable("no_write_file_ext_names", &mut extensions.no_write_file_ext_names);
}

fn directories(node: Node<'_>, cx: &mut Context) -> Option<AccessList<Pattern>> {
    decode_list(node, cx, "a list of strings", |item, cx| {
        let Value::String(written) = item.value() else {
            // Reports the type error.
            Text::decode(item, cx);
            return None;
        };
        match Pattern::parse(written) {
            Ok(entry) => Some(entry),
            Err(error) => {
                invalid_pattern::report(item, written, &error, cx);
                None
            }
        }
    })
    .map(AccessList)
}

fn extensions(node: Node<'_>, cx: &mut Context) -> Option<AccessList<Extension>> {
    decode_list(node, cx, "a list of strings", |item, cx| {
        let Value::String(written) = item.value() else {
            // Reports the type error.
            Text::decode(item, cx);
            return None;
        };
        match Extension::parse(written) {
            Ok(entry) => Some(entry),
            Err(error) => {
                invalid_extension::report(item, written, error, cx);
                None
            }
        }
    })
    .map(AccessList)
}
