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
        const output = JSON.parse(answer)
        const specific = output.hookSpecificOutput ?? {}
        finish({ verdict: specific.permissionDecision, reason: specific.permissionDecisionReason, input: specific.updatedInput, remark: specific.additionalContext, notice: output.systemMessage })
      } catch {
        finish({ failure: "its answer is not JSON" })
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}
