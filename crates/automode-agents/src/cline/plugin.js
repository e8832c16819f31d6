// automode stands before every tool call of Cline.
// Written by `automode install cline`; `automode uninstall cline` removes it.
// Cline gives a plugin three seconds and then ends the run, so automode gets less; whatever goes wrong skips the call.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const ARGUMENTS = ["hook", "cline", "--deadline", "2", "--mode", "@MODE@"]
const TIMEOUT_MS = 2500
const SHADOW = "@MODE@" === "shadow"
const MAX_ANSWER = 1 << 20

function run(payload) {
  return new Promise((resolve) => {
    let answer = ""
    let child
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      resolve({ failure: "no answer in time" })
    }, TIMEOUT_MS)
    const finish = (result) => {
      clearTimeout(timer)
      resolve(result)
    }
    try {
      child = spawn(PROGRAM, ARGUMENTS, { stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return finish({ failure: String(error) })
    }
    child.on("error", (error) => finish({ failure: error.message }))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => {
      if (answer.length < MAX_ANSWER) answer += chunk
    })
    child.on("close", (code) => {
      if (code !== 0) return finish({ failure: `it ended with ${code}` })
      try {
        const specific = JSON.parse(answer).hookSpecificOutput ?? {}
        finish({ verdict: specific.permissionDecision, reason: specific.permissionDecisionReason })
      } catch {
        finish({ failure: "its answer is not JSON" })
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

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

async function beforeTool({ toolCall, input, snapshot }) {
  const about = {
    session_id: snapshot?.conversationId ?? "cline",
    agent_id: snapshot?.parentAgentId ? snapshot.agentId : undefined,
    cwd: process.cwd(),
  }
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

export default { name: "automode", manifest: { capabilities: ["hooks"] }, hooks: { beforeTool } }
