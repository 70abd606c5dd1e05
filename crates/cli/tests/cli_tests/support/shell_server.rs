//! An MCP server that is a script for the shell.

/// Returns the entry of a server with one tool for `mcp.yaml`, as a constant.
macro_rules! shell_server {
    ($id:literal, $tool:literal) => {
        concat!(
            "  ",
            $id,
            r#":
    transport: stdio
    command: sh
    args:
      - -c
      - |
        while read -r line; do
          id=${line#*\"id\":}
          id=${id%%[,\}]*}
          case "$line" in
            *'"tools/call"'*) result='{"content":[]}' ;;
            *'"tools/list"'*) result='{"tools":[{"name":""#,
            $tool,
            r#"","inputSchema":{"type":"object"}}]}' ;;
            *'"initialize"'*)
              result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":""#,
            $id,
            r#"","version":"1"}}' ;;
            *'"notifications/'*) continue ;;
            *) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"unknown"}}'; continue ;;
          esac
          echo '{"jsonrpc":"2.0","id":'"$id"',"result":'"$result"'}'
        done
"#
        )
    };
}

pub(crate) use shell_server;
