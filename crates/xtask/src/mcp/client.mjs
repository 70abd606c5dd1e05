// Runs a session with a server over pipes, with a third-party client.
// usage: node client.mjs '{"command": …, "args": […], "env": {…}}'
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const { command, args, env } = JSON.parse(process.argv[2]);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env }));
assert.equal(client.getServerVersion().name, "minds");
assert.match(client.getInstructions(), /member `lead`/);

// The client validates structured content with the schema of the server.
const { tools } = await client.listTools();
const everybodys = [
  "access_explain",
  "change_mind",
  "recall_taskdoc",
  "do_mind",
  "mind_more",
  "never_mind",
  "task_log",
  "task_migrate",
  "task_new",
  "task_undo",
];
assert.ok(tools.every((tool) => tool.name.startsWith("team_mgmt_") || everybodys.includes(tool.name)));
assert.ok(tools.every((tool) => tool.outputSchema));
const read = await client.callTool({ name: "team_mgmt_read_file", arguments: { path: ".minds/team.yaml" } });
assert.match(read.structuredContent.content, /^member_defaults:/);
const refused = await client.callTool({ name: "team_mgmt_read_file", arguments: { path: "/etc/passwd" } });
assert.equal(refused.isError, true);
assert.equal(refused.structuredContent.code, "INVALID_PATH");

const heard = [];
const all = new Promise((resolve) => {
  const hear = (what) => {
    heard.push(what);
    if (heard.includes("list") && heard.includes("minds://team")) resolve();
  };
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => hear("list"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));
});
await client.subscribeResource({ uri: "minds://team" });
const { resources } = await client.listResources();
assert.ok(resources.some(({ uri }) => uri === "minds://team/lead"));

// A minds file for a new member does not create the member: it is reported in the findings.
const created = await client.callTool({
  name: "team_mgmt_create_new_file",
  arguments: { path: ".minds/llm.yaml", content: "providers: {}\n" },
});
assert.equal(created.isError, false, JSON.stringify(created));
const { contents } = await client.readResource({ uri: "minds://problems" });
assert.ok(JSON.parse(contents[0].text).files.includes(".minds/llm.yaml"));

const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt({ name: prompts.at(-1).name });
assert.equal(prompt.messages[0].role, "user");
const completed = await client.complete({
  ref: { type: "ref/resource", uri: "minds://team/{member}" },
  argument: { name: "member", value: "le" },
});
assert.deepEqual(completed.completion.values, ["lead"]);
await client.close();
