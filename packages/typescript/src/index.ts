/**
 * Auto mode for any coding agent: allow, ask or deny, with the ground of the answer.
 *
 *     const gate = new Gate(".")
 *     gate.check("Bash", { command: "rm -rf /" }).verdict // "deny"
 */
import { createRequire } from "node:module"

export type Verdict = "allow" | "ask" | "deny"
export type Mode = "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions"

/** The answer to one tool call. */
export interface Decision {
  readonly verdict: Verdict
  /** One line for the model and the person. */
  readonly reason: string
  /** What decided, as JSON. */
  readonly ground: string
  /** The run must end. */
  readonly stop: boolean
  /** What every stage said. */
  readonly trace: readonly string[]
  /** What the rules saw. */
  readonly findings: readonly string[]
  /** What the call would do, as far as it is known. */
  readonly effects: readonly string[]
}

interface NativeSession {
  hear(words: string): void
  probe(tool: string, result: string): string | null
}
interface NativeGate {
  readonly cwd: string
  check(tool: string, input: string, session: NativeSession, cwd?: string): Decision
  checkAsync(tool: string, input: string, session: NativeSession, cwd?: string): Promise<Decision>
}
const native = createRequire(import.meta.url)("./automode.node") as {
  NativeGate: new (cwd: string, config?: string) => NativeGate
  NativeSession: new (cwd: string, headless: boolean, mode: string) => NativeSession
}

export interface SessionOptions {
  /** Nobody is there to be asked: a question is a denial. */
  headless?: boolean
  mode?: Mode
}

/** A session so far: where it works, what the user said, what was called. */
export class Session {
  /** @internal */
  readonly native: NativeSession

  constructor(cwd: string, { headless = true, mode = "auto" }: SessionOptions = {}) {
    this.native = new native.NativeSession(cwd, headless, mode)
  }

  /** The user's own words: only these can authorise something. */
  hear(words: string): void {
    this.native.hear(words)
  }

  /**
   * Looks at what a tool brought in. Where it speaks to the agent, later answers of this session
   * are stricter, and the warning that the model should read comes back.
   */
  probe(tool: string, result: unknown): string | undefined {
    return this.native.probe(tool, words(result)) ?? undefined
  }
}

export interface GateOptions {
  /** A configuration file, beside those that are found. */
  config?: string
}

export interface CheckOptions {
  session?: Session
  cwd?: string
}

/** Decides tool calls under the settings of a directory. */
export class Gate {
  readonly #gate: NativeGate
  #session: Session | undefined

  constructor(cwd = ".", { config }: GateOptions = {}) {
    this.#gate = new native.NativeGate(cwd, config)
  }

  get cwd(): string {
    return this.#gate.cwd
  }

  /** A session that works in the gate's directory. */
  session(options: SessionOptions = {}): Session {
    return new Session(this.cwd, options)
  }

  /** Decides one call and records it in the session. A failure is a decision or an exception, never an allow. */
  check(tool: string, input: object, { session = this.#own(), cwd }: CheckOptions = {}): Decision {
    return this.#gate.check(tool, written(input), session.native, cwd)
  }

  /** The same, beside the event loop. */
  async checkAsync(tool: string, input: object, { session = this.#own(), cwd }: CheckOptions = {}): Promise<Decision> {
    return this.#gate.checkAsync(tool, written(input), session.native, cwd)
  }

  #own(): Session {
    return (this.#session ??= this.session())
  }
}

/** What would be answered to one shell command. */
export function check(command: string, cwd = "."): Decision {
  return new Gate(cwd).check("Bash", { command })
}

/** How the answer to one shell command comes about, stage by stage. */
export function explain(command: string, cwd = "."): string {
  const decision = check(command, cwd)
  const stages = decision.trace.map((entry) => `  ${entry}`)
  return [`${decision.verdict}  ${decision.reason}`, `ground: ${decision.ground}`, ...stages].join("\n")
}

/** An input as JSON. What JSON would leave out or change is not what was asked about. */
function written(input: object): string {
  const text = JSON.stringify(input, (key, value: unknown) => {
    if (value === undefined || typeof value === "function" || typeof value === "symbol") {
      throw new TypeError(`\`${key}\` of the input cannot be written as JSON`)
    }
    return value
  })
  return text
}

/** Every text in a result, in the order of its reading. */
function words(result: unknown): string {
  if (typeof result === "string") return result
  if (Array.isArray(result)) return result.map(words).join("\n")
  if (result !== null && typeof result === "object") return Object.values(result).map(words).join("\n")
  return ""
}
