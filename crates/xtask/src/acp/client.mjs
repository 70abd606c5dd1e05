// Runs a session with an agent over pipes, with the client library of the protocol, and prints what happened.
// usage: node client.mjs '{"command": …, "args": […], "cwd": …, "load": …, "steps": [{"prompt": …, "answer": …, "probe": …, "cancel": …}]}'
// A step is a prompt; `answer` is the kind of the option that a question is answered with, `probe` a file that is looked for
// before, and `cancel` a string after which the prompt is cancelled.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const { command, args, cwd, load, steps } = JSON.parse(process.argv[2]);
const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

let turn = { updates: [], questions: [] };
let step = {};
let session;
const found = { turns: [] };
const app = client({ name: "test" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    turn.questions.push({ ...params, probed: step.probe === undefined ? null : existsSync(step.probe) });
    const option = params.options.find(({ kind }) => kind === step.answer);
    const outcome = option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" };
    return { outcome };
  })
  .onNotification(methods.client.session.update, async ({ params, agent }) => {
    turn.updates.push(params.update);
    const text = params.update.content?.text ?? "";
    if (step.cancel && text.includes(step.cancel)) {
      await agent.notify(methods.agent.session.cancel, { sessionId: session });
    }
  });

try {
  await app.connectWith(stream, async (agent) => {
    found.initialized = await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    if (load) {
      session = load;
      await agent.request(methods.agent.session.load, { sessionId: load, cwd, mcpServers: [] });
      found.loaded = turn.updates;
    } else if (steps) {
      ({ sessionId: session } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] }));
    }
    found.session = session;
    for (step of steps ?? []) {
      turn = { updates: [], questions: [] };
      const prompt = [{ type: "text", text: step.prompt }];
      const { stopReason } = await agent.request(methods.agent.session.prompt, { sessionId: session, prompt });
      found.turns.push({ ...turn, stopReason });
    }
  });
} catch (error) {
  found.error = { message: error.message, code: error.code, data: error.data };
}
child.stdin.end();
// A program that does not end with its input is ended.
const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
found.exit = await ended;
clearTimeout(timer);
console.log(JSON.stringify(found));
