//! Ids of problems.

use minds_vfs::ContentHash;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters of a segment that are encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');
/// The maximum length of an encoded segment; servers choose a part of them.
const MAX_SEGMENT: usize = 200;
/// The number of hexadecimal digits by which segments that were cut are distinguished.
const DIGITS: usize = 16;

/// Returns the id of a problem of a gateway from its segments, such as `mcp`, `server` and the id of a server.
///
/// Characters of segments outside of `[A-Za-z0-9._-]` are percent-encoded, so different segments give different ids. The
/// end of a very long segment is replaced by `~` and a part of its hash.
///
/// ```
/// use minds_state::problems::problem_id;
///
/// assert_eq!(problem_id(&["mcp", "server", "my files", "server_error"]), "mcp/server/my%20files/server_error");
/// ```
pub fn problem_id(segments: &[&str]) -> String {
    let segments: Vec<String> = segments.iter().map(|segment| encode_segment(segment)).collect();
    segments.join("/")
}

/// Returns a string as one segment.
pub(super) fn encode_segment(segment: &str) -> String {
    let mut encoded = String::new();
    for part in utf8_percent_encode(segment, ENCODED) {
        encoded += part;
        if encoded.len() > MAX_SEGMENT {
            return cut(&encoded, segment);
        }
    }
    encoded
}

fn cut(encoded: &str, segment: &str) -> String {
    let end = MAX_SEGMENT - DIGITS - "~".len();
    // Not within an encoded byte.
    let end = encoded.get(end - 2..end).and_then(|last| last.find('%')).map_or(end, |at| end - 2 + at);
    let hash = ContentHash::of(segment.as_bytes()).to_string();
    let digits: String = hash.chars().skip_while(|c| *c != ':').skip(1).take(DIGITS).collect();
    format!("{}~{digits}", encoded.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn segments_are_encoded() {
        for (segment, encoded) in [
            ("files", "files"),
            ("My.server_1-x", "My.server_1-x"),
            ("a/b", "a%2Fb"),
            ("a b~%", "a%20b%7E%25"),
            ("\u{e9}\n", "%C3%A9%0A"),
            ("..", ".."),
            ("", ""),
        ] {
            assert_eq!(problem_id(&["mcp", "server", segment]), format!("mcp/server/{encoded}"));
        }
        assert_eq!(problem_id(&["mcp", "workspace_config_error"]), "mcp/workspace_config_error");
    }

    #[test]
    fn long_segments_are_cut_and_stay_different() {
        let mut ids = BTreeSet::new();
        for length in 0..400 {
            for character in ["a", "/", "\u{e9}", "a/"] {
                let id = problem_id(&[&character.repeat(length)]);
                assert!(id.len() <= MAX_SEGMENT, "{id}");
                let kept = id.split('~').next().unwrap();
                assert!(
                    !kept.ends_with('%') && kept.rfind('%').is_none_or(|at| at + 3 <= kept.len()),
                    "{id}"
                );
                ids.insert(id);
            }
        }
        // All but the four empty ones differ.
        assert_eq!(ids.len(), 4 * 399 + 1);
    }

    proptest! {
        #[test]
        fn different_segments_give_different_ids(
            one in prop::collection::vec(".{0,6}", 0..4), other in prop::collection::vec(".{0,6}", 0..4)
        ) {
            let id = |segments: &[String]| {
                let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
                problem_id(&segments)
            };
            // A segment that is empty differs from none only where there are several.
            prop_assume!(one.concat() != "" && other.concat() != "");
            prop_assert_eq!(id(&one) == id(&other), one == other);
        }
    }
}
