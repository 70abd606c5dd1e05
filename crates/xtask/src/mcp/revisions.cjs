// A server that speaks one revision of the protocol.
// usage: node revisions.cjs 2024-11-05|2026-07-28
const revision = process.argv[2];
const isModern = revision === "2026-07-28";
const readline = require("node:readline");

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const schema = { type: "object", properties: { text: { type: "string" } } };
const tool = { name: `say_${revision.slice(0, 4)}`, description: "Says it again", inputSchema: schema };
const capabilities = { tools: {} };
const serverInfo = { name: "revisions", version: "1" };
const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

const methods = {
  "server/discover": () => isModern && { ...modern, supportedVersions: [revision], capabilities, serverInfo },
  initialize: ({ protocolVersion: wanted }) =>
    !isModern && wanted === revision && { protocolVersion: revision, capabilities, serverInfo },
  "tools/list": () => ({ ...(isModern ? modern : {}), tools: [tool] }),
  "tools/call": (params) => {
    const version = params._meta?.["io.modelcontextprotocol/protocolVersion"];
    // A request of this revision says which one it is, one of the other must not.
    if ((version === revision) !== isModern) return;
    const content = [{ type: "text", text: `${revision}: ${params.arguments.text}` }];
    return { ...(isModern ? { resultType: "complete" } : {}), content };
  },
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = methods[method]?.(params ?? {});
  if (result) return send({ id, result });
  const isKnown = method in methods && !(method === "initialize" && isModern);
  const error = isKnown
    ? { code: -32602, message: "unsupported", data: { supported: [revision] } }
    : { code: -32601, message: "method not found" };
  send({ id, error });
});
