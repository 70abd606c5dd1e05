// Rendered by minds: asks `minds hook` before each tool call.
import { spawnSync } from "node:child_process"

export const Minds = async ({ directory }) => {
  const agents = new Map()
  return {
    "chat.params": async (input) => {
      agents.set(input.sessionID, typeof input.agent === "string" ? input.agent : input.agent?.name)
    },
    "tool.execute.before": async (input, output) => {
      const event = {
        hook_event_name: "tool.execute.before",
        tool: input.tool,
        args: output.args,
        agent: agents.get(input.sessionID),
        directory,
      }
      const call = spawnSync("minds", ["-C", directory, "hook", "opencode", "--member", MEMBER], {
        input: JSON.stringify(event),
        encoding: "utf8",
        timeout: 60000,
      })
      const answer = call.stdout ? JSON.parse(call.stdout) : {}
      if (answer.decision !== "continue") throw new Error(answer.reason ?? "minds did not answer")
    },
  }
}
