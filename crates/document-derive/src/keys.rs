//! Expansion of `Keys`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, Type};

use crate::attributes::{Field, FieldKind, Key, Mapping, fields, value_type};
use crate::{partial, schema};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let mapping = Mapping::parse(input)?;
    let fields = fields(input)?;
    partial::require_name(&mapping, &fields)?;
    let keyed = mapping.partial.as_ref().unwrap_or(&input.ident);
    let keys = known_keys(&fields)?;
    let mut reads = Vec::new();
    let mut marks = Vec::new();
    let mut missing = Vec::new();
    let mut absent = Vec::new();
    for Field { ident, ty, kind } in &fields {
        match kind {
            FieldKind::Key(key) => {
                reads.push(read(ident, ty, key)?);
                let names = key.spellings();
                marks.push(quote!(#(self.#ident.mark_unreadable(|| place(#names));)*));
                absent.push(quote!(self.#ident.is_absent()));
                if key.is_required {
                    let name = &key.name;
                    missing.push(quote!(if self.#ident.is_absent() { keys.push(#name); }));
                }
            }
            FieldKind::Group => {
                reads.push(quote!(#ident: <#ty as ::minds_document::Keys>::read_keys(fields)));
                marks.push(quote!(::minds_document::Keys::mark_unreadable(&mut self.#ident, place);));
                absent.push(quote!(::minds_document::Keys::is_empty(&self.#ident)));
                missing.push(quote!(keys.extend(::minds_document::Keys::missing_keys(&self.#ident));));
            }
            FieldKind::Skipped => reads.push(quote!(#ident: ::core::default::Default::default())),
        }
    }
    let missing = if missing.is_empty() {
        quote!(::std::vec::Vec::new())
    } else {
        quote! {
            let mut keys = ::std::vec::Vec::new();
            #(#missing)*
            keys
        }
    };
    let partial = mapping.partial.as_ref().map(|name| partial::expand(name, input, &fields)).transpose()?;
    let describe = schema::describe_keys(&fields)?;
    let schema = schema::expand(&input.ident, keyed, &mapping);
    let item = mapping.list.as_ref().map(|list| {
        let ident = &input.ident;
        quote! {
            #[automatically_derived]
            impl ::minds_document::ListItem for #ident {
                const LIST: &'static str = #list;
            }
        }
    });
    Ok(quote! {
        #partial

        #[automatically_derived]
        impl ::minds_document::Keys for #keyed {
            const KEYS: &'static [::minds_document::Key] = #keys;

            fn read_keys(fields: &mut ::minds_document::Fields<'_, '_>) -> Self {
                Self { #(#reads,)* }
            }

            fn mark_unreadable(
                &mut self,
                place: &dyn Fn(&str) -> ::core::option::Option<::minds_document::Spanned<()>>,
            ) {
                #(#marks)*
            }

            fn missing_keys(&self) -> ::std::vec::Vec<&'static str> {
                #missing
            }

            fn is_empty(&self) -> bool {
                #(#absent)&&*
            }

            #describe
        }

        #schema

        #item
    })
}

impl Key {
    /// Returns the key and its other spelling.
    fn spellings(&self) -> Vec<String> {
        let also = self.also.as_ref().map(syn::LitStr::value);
        std::iter::once(self.name.clone()).chain(also).collect()
    }
}

/// Returns the slice of all keys.
fn known_keys(fields: &[Field]) -> Result<TokenStream> {
    let mut parts = Vec::new();
    for Field { ty, kind, .. } in fields {
        match kind {
            FieldKind::Key(key) => {
                let order = match (&key.order, key.decode.as_ref().or(key.range.as_ref())) {
                    (Some(order), _) => order.clone(),
                    (None, Some(_)) => quote!(::minds_document::yaml::KeyOrder::Free),
                    (None, None) => {
                        let ty = value_type(ty)?;
                        quote!(<#ty as ::minds_document::Decode>::ORDER)
                    }
                };
                let (field, names) = (&key.name, key.spellings());
                parts.push(quote! {
                    &[#(::minds_document::Key { name: #names, field: #field, order: #order }),*]
                });
            }
            FieldKind::Group => parts.push(quote!(<#ty as ::minds_document::Keys>::KEYS)),
            FieldKind::Skipped => {}
        }
    }
    Ok(quote! {{
        const PARTS: &[&[::minds_document::Key]] = &[#(#parts),*];
        const ALL: [::minds_document::Key; ::minds_document::Key::count(PARTS)] =
            ::minds_document::Key::join(PARTS);
        &ALL
    }})
}

/// Returns the initializer of a field.
fn read(ident: &syn::Ident, ty: &Type, key: &Key) -> Result<TokenStream> {
    let name = &key.name;
    let decode = match (&key.decode, &key.range) {
        (Some(decode), _) => Some(decode.clone()),
        (None, Some(range)) => {
            let ty = value_type(ty)?;
            Some(quote! {
                |node, cx| <#ty as ::minds_document::LimitedNumber>::decode_within((#range).into(), node, cx)
            })
        }
        (None, None) => None,
    };
    Ok(match (&key.also, &key.absent, decode) {
        (Some(also), _, _) => quote!(#ident: fields.read_either(#name, #also)),
        (None, Some(absent), Some(decode)) => quote!(#ident: fields.read_unless(#name, #absent, #decode)),
        (None, Some(absent), None) => {
            let ty = value_type(ty)?;
            quote!(#ident: fields.read_unless(#name, #absent, <#ty as ::minds_document::Decode>::decode))
        }
        (None, None, Some(decode)) => quote!(#ident: fields.read_with(#name, #decode)),
        (None, None, None) => quote!(#ident: fields.read(#name)),
    })
}
