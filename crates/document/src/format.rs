//! The formats of documents.

use minds_diagnostics::{Parsed, Problems, Rule, SourceFile, Span};

use crate::{Document, rules, toml, yaml};

/// A format that can be parsed into a [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, of which JSON is a subset.
    Yaml,
    /// TOML 1.1.
    Toml,
}

impl Format {
    /// Returns the format of a file by its extension; none if the extension belongs to no supported format.
    pub fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension {
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    /// Parses a document of this format; see [`yaml::parse`] and [`toml::parse`].
    pub fn parse(self, source: &SourceFile) -> Parsed<Option<Document>> {
        match self {
            Self::Yaml => yaml::parse(source),
            Self::Toml => toml::parse(source),
        }
    }

    /// Parses the document that is `part` of a source.
    pub(crate) fn read(self, source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
        match self {
            Self::Yaml => yaml::read(source, part, problems),
            Self::Toml => toml::read(source, part, problems),
        }
    }

    /// Returns the rule for documents that exceed a limit.
    pub(crate) fn limit(self) -> &'static Rule {
        match self {
            Self::Yaml => &rules::LIMIT,
            Self::Toml => &rules::TOML_LIMIT,
        }
    }

    /// Returns the rule for files that are not UTF-8.
    pub(crate) fn not_utf8(self) -> &'static Rule {
        match self {
            Self::Yaml => &rules::NOT_UTF8,
            Self::Toml => &rules::TOML_NOT_UTF8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_determines_the_format() {
        assert_eq!(Format::of(".minds/team.yaml"), Some(Format::Yaml));
        assert_eq!(Format::of("a.b.yml"), Some(Format::Yaml));
        assert_eq!(Format::of(".minds/minds.toml"), Some(Format::Toml));
        assert_eq!(Format::of("toml"), None);
        assert_eq!(Format::of("mind.toml.lock"), None);
    }
}
