// automode stands before every tool call of Cline.
// Written by `automode install cline`; `automode uninstall cline` removes it.
// Cline gives a plugin three seconds and then ends the run, so automode gets less; whatever goes wrong skips the call.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const ARGUMENTS = ["hook", "cline", "--deadline", "2", "--mode", "@MODE@"]
const TIMEOUT_MS = 2500
const SHADOW = "@MODE@" === "shadow"
@RUN@
// The user's own words stand in a tag, in the conversation of the root agent.
function words(snapshot) {
  if (snapshot?.parentAgentId) return []
  const texts = (snapshot?.messages ?? []).filter((message) => message.role === "user").flatMap((message) => message.content ?? [])
  return texts
    .filter((part) => part.type === "text")
    .map((part) => /^<user_input[^>]*>([\s\S]*)<\/user_input>/.exec(part.text ?? "")?.[1])
    .filter(Boolean)
}

let told = 0

const place = (snapshot) => ({
  session_id: snapshot?.conversationId ?? "cline",
  agent_id: snapshot?.parentAgentId ? snapshot.agentId : undefined,
  cwd: process.cwd(),
})

async function beforeTool({ toolCall, input, snapshot }) {
  const about = place(snapshot)
  const said = words(snapshot)
  const fresh = said.slice(told)
  told = said.length
  if (fresh.length > 0) await run({ ...about, hook_event_name: "UserPromptSubmit", prompt: fresh.join("\n") })
  const result = await run({
    ...about,
    hook_event_name: "PreToolUse",
    tool_use_id: toolCall.toolCallId,
    tool_name: toolCall.toolName,
    tool_input: input ?? {},
  })
  if (SHADOW) return
  if (result.failure) return { skip: true, reason: `automode could not decide and denies: ${result.failure}` }
  if (result.verdict === "allow") return { policy: { autoApprove: true } }
  if (result.verdict === "ask") return { policy: { autoApprove: false } }
  return { skip: true, reason: result.reason || "denied by automode" }
}

async function afterTool({ toolCall, input, result, snapshot }) {
  const answer = await run({
    ...place(snapshot),
    hook_event_name: "PostToolUse",
    tool_use_id: toolCall.toolCallId,
    tool_name: toolCall.toolName,
    tool_input: input ?? {},
    tool_response: result?.output,
  })
  // What the model is to know of a result stands behind it.
  if (answer.remark) return { appendContext: answer.remark }
}

export default { name: "automode", manifest: { capabilities: ["hooks"] }, hooks: { beforeTool, afterTool } }
