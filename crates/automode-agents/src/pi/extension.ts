// automode stands before every tool call of Pi.
// Written by `automode install pi`; `automode uninstall pi` removes it.
// Whatever goes wrong here blocks: a missing program, a crash, a timeout, an answer that is no verdict.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const ARGUMENTS = ["hook", "pi", "--deadline", "@DEADLINE@", "--mode", "@MODE@"]
const TIMEOUT_MS = Number("@TIMEOUT@") * 1000
const SHADOW = "@MODE@" === "shadow"
const MAX_ANSWER = 1 << 20

type Result = { verdict?: string; reason?: string; remark?: string; failure?: string }

function run(payload: object): Promise<Result> {
  return new Promise((resolve) => {
    let answer = ""
    let child: any
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      resolve({ failure: "no answer in time" })
    }, TIMEOUT_MS)
    const finish = (result: Result) => {
      clearTimeout(timer)
      resolve(result)
    }
    try {
      child = spawn(PROGRAM, ARGUMENTS, { stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return finish({ failure: String(error) })
    }
    child.on("error", (error: Error) => finish({ failure: error.message }))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk: Buffer) => {
      if (answer.length < MAX_ANSWER) answer += chunk
    })
    child.on("close", (code: number | null) => {
      if (code !== 0) return finish({ failure: `it ended with ${code}` })
      try {
        const specific = JSON.parse(answer).hookSpecificOutput ?? {}
        finish({ verdict: specific.permissionDecision, reason: specific.permissionDecisionReason, remark: specific.additionalContext })
      } catch {
        finish({ failure: "its answer is not JSON" })
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

export default function (pi: any) {
  const about = (event: string, ctx: any) => ({
    hook_event_name: event,
    session_id: ctx.sessionManager?.getSessionId?.() ?? "pi",
    transcript_path: ctx.sessionManager?.getSessionFile?.(),
    cwd: ctx.cwd,
    has_ui: ctx.hasUI === true,
  })
  pi.on("input", async (event: any, ctx: any) => {
    // What another extension says is not the user.
    if (event.source === "extension") return
    await run({ ...about("UserPromptSubmit", ctx), prompt: event.text ?? "" })
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    const result = await run({
      ...about("PreToolUse", ctx),
      tool_use_id: event.toolCallId,
      tool_name: event.toolName,
      tool_input: event.input ?? {},
    })
    if (SHADOW) return
    if (result.failure) return { block: true, reason: `automode could not decide and denies: ${result.failure}` }
    if (result.verdict === "allow") return
    const reason = result.reason || "denied by automode"
    if (result.verdict === "ask" && ctx.hasUI && (await ctx.ui.confirm(`automode: allow ${event.toolName}?`, reason))) return
    return { block: true, reason }
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const result = await run({
      ...about("PostToolUse", ctx),
      tool_use_id: event.toolCallId,
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_response: event.content,
    })
    // What the model is to know of a result stands behind it.
    if (result.remark && Array.isArray(event.content)) return { content: [...event.content, { type: "text", text: result.remark }] }
  })
}
