//! Pagination of lists.

use crate::mcp::hex::{bytes, hex};

/// The number of items of a page. Few clients request a second page, so nearly all lists fit on one.
const PAGE: usize = 500;

/// A page of a list, with the cursor of the next one.
#[derive(Debug, PartialEq)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

/// A cursor that does not belong to this list.
#[derive(Debug, PartialEq)]
pub(crate) struct BadCursor;

/// Returns the page of a list that begins after `cursor`.
///
/// A cursor contains the last item: added or removed items neither repeat an item nor skip one. If the item itself was
/// removed, its position is used.
///
/// # Errors
///
/// Fails if `cursor` does not come from the list with this name.
pub(crate) fn page<T>(
    list: &'static str,
    items: Vec<T>,
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
) -> Result<Page<T>, BadCursor> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let (number, known) = open(list, cursor).ok_or(BadCursor)?;
            let found = items.iter().position(|item| key(item) == known);
            found.map_or(number, |at| at + 1).min(items.len())
        }
    };
    let end = (start + PAGE).min(items.len());
    let end_item = end.checked_sub(1).filter(|_| end < items.len());
    let next = end_item.and_then(|at| Some(seal(list, at, key(items.get(at)?))));
    let items = items.into_iter().skip(start).take(end - start).collect();
    Ok(Page { items, next })
}

/// Returns a cursor. It is encoded, so that clients do not interpret it.
fn seal(list: &str, number: usize, key: &str) -> String {
    hex(format!(
        "{list}
{number}
{key}"
    )
    .as_bytes())
}

fn open(list: &str, cursor: &str) -> Option<(usize, String)> {
    let text = String::from_utf8(bytes(cursor)?).ok()?;
    let (named, rest) = text.split_once('\n')?;
    let (number, key) = rest.split_once('\n')?;
    (named == list).then_some((number.parse().ok()?, key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(numbers: impl Iterator<Item = usize>) -> Vec<String> {
        numbers.map(|number| format!("n{number}")).collect()
    }

    fn ask(items: Vec<String>, cursor: Option<&str>) -> Result<Page<String>, BadCursor> {
        page("tools", items, String::as_str, cursor)
    }

    #[test]
    fn pages_give_every_item_once_in_order() {
        for length in [0, 1, PAGE, PAGE + 1, 3 * PAGE, 3 * PAGE + 7] {
            let (mut given, mut cursor, mut pages) = (Vec::new(), None, 0);
            loop {
                let page = ask(names(0..length), cursor.as_deref()).unwrap();
                given.extend(page.items);
                pages += 1;
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(given, names(0..length));
            assert_eq!(pages, length.div_ceil(PAGE).max(1), "{length}");
        }
    }

    #[test]
    fn a_list_that_changes_between_pages_repeats_nothing_and_leaves_nothing_out() {
        let first = ask(names(0..PAGE + 50), None).unwrap();
        let grown: Vec<String> = ["new".to_owned()].into_iter().chain(names(0..PAGE + 50)).collect();
        assert_eq!(ask(grown, first.next.as_deref()).unwrap().items, names(PAGE..PAGE + 50));
        let shrunk = names((0..PAGE + 50).filter(|number| *number != 3));
        assert_eq!(ask(shrunk, first.next.as_deref()).unwrap().items, names(PAGE..PAGE + 50));
        let without_last = names((0..PAGE + 50).filter(|number| *number != PAGE - 1));
        assert_eq!(ask(without_last, first.next.as_deref()).unwrap().items, names(PAGE..PAGE + 50));
        assert_eq!(ask(Vec::new(), first.next.as_deref()).unwrap().items, names(0..0));
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let other = page("prompts", names(0..PAGE + 50), String::as_str, None).unwrap().next;
        assert_eq!(ask(names(0..PAGE + 50), other.as_deref()), Err(BadCursor));
        for cursor in ["", "x", "zz", "0", "ff", "-1", "746f6f6c730a", "746f6f6c730a780a79", "é"] {
            assert_eq!(ask(names(0..PAGE + 50), Some(cursor)), Err(BadCursor), "{cursor:?}");
        }
    }
}
