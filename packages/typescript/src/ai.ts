/**
 * Vercel AI SDK: tools that are decided before they run.
 *
 *     const tools = guard({ Bash: tool({ … }) }, new Gate("."))
 *     await generateText({ model, tools, … })
 */
import { type CheckOptions, type Decision, Gate, Session } from "./index.js"

export interface GuardOptions {
  session?: Session
  /** The names that automode has for your tools, e.g. `{ shell: "Bash" }`. */
  names?: Readonly<Record<string, string>>
}

/** A call that was not allowed: the SDK hands its message to the model as the tool's error. */
export class Denied extends Error {
  override readonly name = "Denied"
  constructor(readonly decision: Pick<Decision, "verdict" | "reason">) {
    super(`automode: ${decision.reason}`)
  }
}

/**
 * The same tools, each behind the gate: a denial is an error that the model reads, and a question
 * needs approval, in the SDK's own way. What is approved there runs; nothing else that is a
 * question does.
 */
export function guard<TOOLS extends Record<string, object>>(tools: TOOLS, gate: Gate, options: GuardOptions = {}): TOOLS {
  const session = options.session ?? gate.session({ headless: false })
  const guarded = (Object.entries(tools) as [string, Guardable][]).map(([name, tool]) => {
    const run = tool.execute?.bind(tool)
    // A tool without `execute` runs elsewhere: what runs it has to ask.
    if (run === undefined) return [name, { ...tool, needsApproval: true }]
    const known = options.names?.[name] ?? name
    const decide = (input: unknown): Decision => {
      if (input === null || typeof input !== "object") {
        return { verdict: "deny", reason: "its input is no object", ground: "", stop: false, trace: [], findings: [], effects: [] }
      }
      const about: CheckOptions = { session }
      return gate.check(known, input, about)
    }
    const own = tool.needsApproval
    const needsApproval = async (input: unknown, about: Execution): Promise<boolean> => {
      const decision = decide(input)
      if (decision.verdict === "ask" || own === true) return true
      return typeof own === "function" ? await own(input, about) : false
    }
    const execute = async (input: unknown, about: Execution): Promise<unknown> => {
      const decision = decide(input)
      const approved = decision.verdict === "ask" && isApproved(about)
      if (decision.verdict !== "allow" && !approved) throw new Denied(decision)
      const result = await run(input, about)
      const warning = session.probe(known, result)
      return warning === undefined ? result : warned(result, warning)
    }
    return [name, { ...tool, needsApproval, execute }]
  })
  return Object.fromEntries(guarded) as TOOLS
}

/** What is used of the SDK's `Tool`; its package is not needed to build this one. */
interface Guardable {
  execute?: (input: unknown, options: Execution) => unknown
  needsApproval?: boolean | ((input: unknown, options: Execution) => boolean | PromiseLike<boolean>)
}

interface Execution {
  toolCallId: string
  messages?: readonly { role: string; content: unknown }[]
}

/** Whether this very call was put to a person, who said yes: the conversation tells. */
function isApproved({ toolCallId, messages = [] }: Execution): boolean {
  const parts = messages.flatMap((message) => (Array.isArray(message.content) ? message.content : [])) as {
    type?: string
    toolCallId?: string
    approvalId?: string
    approved?: boolean
  }[]
  const asked = parts.filter((part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId)
  const answers = parts.filter((part) => part.type === "tool-approval-response" && asked.some((one) => one.approvalId === part.approvalId))
  return answers.length > 0 && answers.every((answer) => answer.approved === true)
}

/** A result with the warning in front, in a form that the model reads. */
function warned(result: unknown, warning: string): unknown {
  return typeof result === "string" ? `${warning}\n\n${result}` : { warning, result }
}
