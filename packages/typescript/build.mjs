// Builds the native part with cargo and puts it beside the compiled TypeScript.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
// A debug build is for trying: AUTOMODE_PROFILE=dev npm run build
const profile = process.env.AUTOMODE_PROFILE ?? "release"
const built = execFileSync("cargo", ["build", "--locked", "--profile", profile, "--message-format", "json-render-diagnostics"], {
  cwd: here,
  encoding: "utf8",
  maxBuffer: 1 << 28,
  stdio: ["ignore", "pipe", "inherit"],
})
const library = built
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line))
  .filter((message) => message.reason === "compiler-artifact" && message.target.name === "automode_node")
  .flatMap((message) => message.filenames)
  .find((name) => /\.(so|dylib|dll)$/.test(name))
if (!library) throw new Error("cargo built no library")
mkdirSync(join(here, "dist"), { recursive: true })
copyFileSync(library, join(here, "dist", "automode.node"))
