#![doc = include_str!("../README.md")]

mod attributes;
mod completeness;
mod decode;
mod keys;
mod partial;
mod schema;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `Keys`, and `JsonSchema` except for a group.
#[proc_macro_derive(Keys, attributes(keys, key))]
pub fn derive_keys(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    keys::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `Decode` for a type with `Keys`.
#[proc_macro_derive(Decode, attributes(keys, key))]
pub fn derive_decode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    decode::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `Completeness` for a type with `Keys`.
#[proc_macro_derive(Completeness, attributes(keys, key))]
pub fn derive_completeness(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    completeness::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
