// A server over HTTPS that needs a header.
// usage: node secure.mjs CERTIFICATE KEY AUTHORIZATION
import { readFileSync } from "node:fs";
import https from "node:https";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const [cert, key, authorization] = process.argv.slice(2);
const listener = https.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
  if (request.headers.authorization !== authorization) return response.writeHead(401).end();
  const server = new McpServer({ name: "secure", version: "1" });
  server.registerTool("whoami", { description: "Says how it was reached" }, () => ({
    content: [{ type: "text", text: request.socket.getProtocol() }],
  }));
  // Without sessions, each request has a server of its own.
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => transport.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
});
listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
