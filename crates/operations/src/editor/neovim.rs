//! Neovim: `.nvim.lua`, which it reads if `exrc` is set.

use std::fmt::Write as _;

use super::{EditorSchema, Setting, for_yaml, quote};

pub(super) const SETTINGS: &[Setting] = &[Setting { path: ".nvim.lua", merge: settings }];

/// A program cannot be merged: if it does not already contain the snippet, the user has to add it.
fn settings(old: &str, schemas: &[EditorSchema]) -> Result<String, String> {
    let wanted = snippet(schemas);
    if old.is_empty() || old.replace("\r\n", "\n").contains(&wanted) {
        return Ok(if old.is_empty() { wanted } else { old.to_owned() });
    }
    Err("it is a Lua program that does not contain this part yet".to_owned())
}

/// Paths are absolute, because a server that is started outside of a repository does not get a root
/// directory.
fn snippet(schemas: &[EditorSchema]) -> String {
    let mut lines = String::new();
    for schema in for_yaml(schemas) {
        let (path, files) = (quote(&schema.path()), quote(&schema.files));
        let _ = writeln!(lines, "            [vim.uri_from_fname(vim.fs.joinpath(root, {path}))] = {files},");
    }
    format!(
        "\
-- Configures yaml-language-server with the schemas of the files in `.minds/`; written by `minds init --editor nvim`.
-- Neovim 0.11 or later reads it if `vim.o.exrc` is set, and once the file is trusted.
do
  local root = vim.fs.root(vim.fn.getcwd(), \".minds\")
  if root then
    vim.lsp.config(\"yamlls\", {{
      settings = {{
        yaml = {{
          schemas = {{
{lines}          }},
        }},
      }},
    }})
  end
end
"
    )
}
