//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    /// The path after the token; empty for the page itself.
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! assets {
    ($($name:literal is $media_type:ident in $file:literal,)+) => {
        const ASSETS: &[Asset] =
            &[$(Asset { name: $name, media_type: $media_type, text: include_str!(concat!("../../page/", $file)) },)+];
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

assets! {
    "" is HTML in "index.html",
    "page.css" is CSS in "page.css",
    "icon.svg" is SVG in "icon.svg",
    "main.js" is SCRIPT in "main.js",
    "card.js" is SCRIPT in "card.js",
    "editor.js" is SCRIPT in "editor.js",
    "conflict.js" is SCRIPT in "conflict.js",
    "diff.js" is SCRIPT in "diff.js",
    "typeset.js" is SCRIPT in "typeset.js",
    "visible.js" is SCRIPT in "visible.js",
    "elements.js" is SCRIPT in "elements.js",
    "server.js" is SCRIPT in "server.js",
}

impl Asset {
    pub(crate) fn find(name: &str) -> Option<Self> {
        ASSETS.iter().copied().find(|asset| asset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The security policy of the page forbids these; a browser would report it only in its console.
    #[test]
    fn the_page_has_no_inline_code_and_no_external_resources() {
        for asset in ASSETS {
            let text = asset.text.replace("http://www.w3.org/2000/svg", "");
            for word in
                ["http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "@import"]
            {
                assert!(!text.contains(word), "{}: {word}", asset.name);
            }
        }
        let page = Asset::find("").unwrap().text;
        for word in ["style=", "<style", " onclick", "javascript:"] {
            assert!(!page.contains(word), "{word}");
        }
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=\"").count());
    }

    #[test]
    fn every_file_that_the_page_loads_exists() {
        for asset in ASSETS {
            for part in asset.text.split("from \"./").skip(1).chain(asset.text.split("src=\"").skip(1)) {
                let name = part.split('"').next().unwrap();
                assert!(Asset::find(name).is_some(), "{}: {name}", asset.name);
            }
        }
        assert_eq!(Asset::find("../Cargo.toml"), None);
    }
}
