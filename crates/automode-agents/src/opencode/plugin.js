// automode stands before every tool call of opencode.
// Written by `automode install opencode`; `automode uninstall opencode` removes it.
// Whatever goes wrong here denies: a missing program, a crash, a timeout, an answer that is no verdict.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const ARGUMENTS = ["hook", "opencode", "--deadline", "@DEADLINE@", "--mode", "@MODE@"]
const TIMEOUT_MS = Number("@TIMEOUT@") * 1000
const SHADOW = "@MODE@" === "shadow"
@RUN@
export const Automode = async ({ client, directory }) => {
  // A child session is opened by the parent's model: what is said there is not the user.
  const parents = new Map()
  const parentOf = async (session) => {
    if (!parents.has(session)) {
      try {
        const found = await client.session.get({ path: { id: session } })
        parents.set(session, found.data ? (found.data.parentID ?? null) : undefined)
      } catch {
        parents.set(session, undefined)
      }
    }
    return parents.get(session)
  }
  const about = async (event, session) => ({
    hook_event_name: event,
    session_id: session,
    parent_session_id: (await parentOf(session)) ?? undefined,
    cwd: directory,
  })
  const show = async (message) => {
    try {
      await client.tui.showToast({ body: { title: "automode", message, variant: "warning" } })
    } catch {}
  }

  return {
    event: async ({ event }) => {
      if (event.type !== "session.created") return
      const info = event.properties?.info
      if (!info?.id) return
      parents.set(info.id, info.parentID ?? null)
      if (!info.parentID) await run(await about("SessionStart", info.id))
    },
    "chat.message": async (input, output) => {
      if ((await parentOf(input.sessionID)) !== null) return
      const words = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      await run({ ...(await about("UserPromptSubmit", input.sessionID)), prompt: words.join("\n") })
    },
    "tool.execute.before": async (input, output) => {
      const result = await run({
        ...(await about("PreToolUse", input.sessionID)),
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: output.args ?? {},
      })
      if (SHADOW) return
      if (result.failure) {
        await show(`the hook failed and denied a tool call: ${result.failure}`)
        throw new Error(`automode could not decide and denies: ${result.failure}`)
      }
      if (result.notice) await show(result.notice)
      if (result.verdict !== "allow") throw new Error(result.reason || "denied by automode")
      // What was promised for the call is part of this input: it runs, or nothing does.
      // opencode keeps the object it passed and runs that: another one in its place is not seen.
      if (result.input) Object.assign(output.args, result.input)
    },
    "tool.execute.after": async (input, output) => {
      const result = await run({
        ...(await about("PostToolUse", input.sessionID)),
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: input.args ?? output.args ?? {},
        tool_response: output.output,
      })
      // What the model is to know of a result stands behind it.
      if (result.remark && typeof output.output === "string") output.output += `\n\n${result.remark}`
    },
  }
}
