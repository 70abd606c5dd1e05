//! The schema of model parameters.

use minds_document::schema::{Describe, Object, Schema};
use minds_document::{FiniteNumber, List};
use serde_json::json;

use crate::model::ModelParams;
use crate::params::{GENERAL, Kind, Param, SECTIONS, THINKING};

impl Describe for ModelParams {
    fn schema() -> Schema {
        let mut params = Object::<Self>::new("model parameters");
        for param in GENERAL {
            params = params.key(param.name, shape(param));
        }
        for section in SECTIONS {
            let mut group = Object::<()>::new(section.name);
            for param in section.params() {
                group = group.key(param.name, shape(param));
            }
            params = params.key(section.name, group.finish().describe(section.description));
        }
        params.finish().define("modelParams")
    }
}

fn shape(param: &Param) -> Schema {
    let shape = match param.kind {
        Kind::Bool => bool::schema(),
        Kind::Number => FiniteNumber::schema(),
        Kind::Text => String::schema(),
        Kind::TextList => List::<String>::schema(),
        Kind::TextOrList => Schema::either([String::schema(), List::<String>::schema()]),
        Kind::NumbersByName => Schema::mapping(FiniteNumber::schema()).user_keys(),
        Kind::Thinking => Schema::either([
            bool::schema(),
            Schema::words(THINKING.iter().copied()),
            Schema::any().with("type", json!("object")),
        ]),
        Kind::OneOf(words) => Schema::words(words.iter().copied()),
    };
    shape.describe(param.description)
}
