/**
 * Claude Agent SDK: `canUseTool`, and hooks that hold in every permission mode.
 *
 *     query({ prompt, options: { canUseTool: canUseTool(gate), hooks: hooks(gate) } })
 *
 * `canUseTool` is asked only where the SDK would ask; the hooks see every call and every result.
 */
import { type Decision, Gate, Session } from "./index.js"

export interface AdapterOptions {
  session?: Session
  /** Puts a question to a person. Without it a question is a denial. */
  ask?: (tool: string, input: Record<string, unknown>, reason: string) => Promise<boolean>
}

/** The SDK's own types by their shape: its package is not needed to build this one. */
export type CanUseTool = (
  tool: string,
  input: Record<string, unknown>,
) => Promise<{ behavior: "allow"; updatedInput: Record<string, unknown> } | { behavior: "deny"; message: string; interrupt: boolean }>
type Event = { hook_event_name: string; cwd: string; tool_name?: string; tool_input?: unknown; tool_response?: unknown; prompt?: string }
type Said =
  | { hookEventName: "PreToolUse"; permissionDecision: "allow" | "deny"; permissionDecisionReason: string }
  | { hookEventName: "PostToolUse"; additionalContext: string }
type Hook = (event: Event) => Promise<{ hookSpecificOutput?: Said }>
export type Hooks = Record<"PreToolUse" | "PostToolUse" | "UserPromptSubmit", { hooks: Hook[] }[]>

type Settled = { allowed: true } | { allowed: false; message: string; stop: boolean }

/** The gate as the SDK's permission callback. Whatever goes wrong, nothing runs. */
export function canUseTool(gate: Gate, options: AdapterOptions = {}): CanUseTool {
  const session = options.session ?? gate.session({ headless: options.ask === undefined })
  return async (tool, input) => {
    const settled = await settle(gate, session, tool, input, options.ask)
    return settled.allowed
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: settled.message, interrupt: settled.stop }
  }
}

/** The gate as hooks: every call is decided, the user's words are heard, every result is probed. */
export function hooks(gate: Gate, options: AdapterOptions = {}): Hooks {
  const session = options.session ?? gate.session({ headless: options.ask === undefined })
  const before: Hook = async (event) => {
    const input = event.tool_input as Record<string, unknown>
    const settled = await settle(gate, session, event.tool_name ?? "", input, options.ask, event.cwd)
    const permissionDecision = settled.allowed ? ("allow" as const) : ("deny" as const)
    const permissionDecisionReason = settled.allowed ? "allowed by automode" : settled.message
    return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } }
  }
  const after: Hook = async (event) => {
    const warning = session.probe(event.tool_name ?? "", event.tool_response)
    return warning === undefined ? {} : { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: warning } }
  }
  const prompt: Hook = async ({ prompt = "" }) => {
    // The client's own notifications come through the same door.
    if (prompt !== "" && !prompt.trimStart().startsWith("<")) session.hear(prompt)
    return {}
  }
  return { PreToolUse: [{ hooks: [before] }], PostToolUse: [{ hooks: [after] }], UserPromptSubmit: [{ hooks: [prompt] }] }
}

async function settle(
  gate: Gate,
  session: Session,
  tool: string,
  input: Record<string, unknown>,
  ask: AdapterOptions["ask"],
  cwd?: string,
): Promise<Settled> {
  try {
    const decision: Decision = await gate.checkAsync(tool, input, cwd === undefined ? { session } : { session, cwd })
    if (decision.verdict === "allow") return { allowed: true }
    if (decision.verdict === "ask" && ask !== undefined && (await ask(tool, input, decision.reason)) === true) {
      return { allowed: true }
    }
    return { allowed: false, message: `automode: ${decision.reason}`, stop: decision.stop }
  } catch (error) {
    return { allowed: false, message: `automode could not decide and denies: ${String(error)}`, stop: false }
  }
}
