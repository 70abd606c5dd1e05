//! Neovim: `.nvim.lua`, which it reads where `exrc` is set.

use std::fmt::Write as _;

use super::{EditorSchema, Setting, for_yaml, quoted};

pub(super) const SETTINGS: &[Setting] = &[Setting { path: ".nvim.lua", merge: settings }];

/// A program cannot be merged: either it holds what is wanted, letter by letter, or somebody has to look at it.
fn settings(old: &str, schemas: &[EditorSchema]) -> Result<String, String> {
    let wanted = snippet(schemas);
    if old.is_empty() || old.replace("\r\n", "\n").contains(&wanted) {
        return Ok(if old.is_empty() { wanted } else { old.to_owned() });
    }
    Err("it is a program, and does not hold this part yet".to_owned())
}

/// Paths are made absolute, because a server that is started outside of a repository is told no directory.
fn snippet(schemas: &[EditorSchema]) -> String {
    let mut lines = String::new();
    for schema in for_yaml(schemas) {
        let (path, files) = (quoted(&schema.path()), quoted(&schema.files));
        let _ = writeln!(lines, "            [vim.uri_from_fname(vim.fs.joinpath(root, {path}))] = {files},");
    }
    format!(
        "\
-- Tells yaml-language-server which schemas the files in `.minds/` have; `minds init --editor nvim` wrote this.
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
