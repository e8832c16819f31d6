// The adapters fit the SDKs' own types. Checked by the compiler, never run.
import { query } from "@anthropic-ai/claude-agent-sdk"
import { generateText, tool, type LanguageModel } from "ai"
import { guard } from "automode/ai"
import { canUseTool, hooks } from "automode/claude-agent"
import { Gate, type Decision, type Verdict } from "automode"
import { z } from "zod"

const gate = new Gate(".")
export const verdict: Verdict = gate.check("Bash", { command: "ls" }).verdict
export const decision: Promise<Decision> = gate.checkAsync("Bash", { command: "ls" })
// @ts-expect-error a tool's input is an object
gate.check("Bash", "ls")
// @ts-expect-error no such mode
gate.session({ mode: "whatever" })

const tools = guard({ Bash: tool({ inputSchema: z.object({ command: z.string() }), execute: async ({ command }) => command }) }, gate)
export const text = (model: LanguageModel) => generateText({ model, tools, prompt: "go" })
export const conversation = () => query({ prompt: "go", options: { canUseTool: canUseTool(gate), hooks: hooks(gate) } })
