// The official MCP client against one address: node mcp-client.mjs URL, with calls as JSON on stdin.
// Prints {"tools": […], "results": […]}.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

let text = ""
for await (const piece of process.stdin) text += piece
const { calls, headers = {} } = JSON.parse(text)
const client = new Client({ name: "test", version: "1" })
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), { requestInit: { headers } }))
const { tools } = await client.listTools()
const results = []
for (const { name, arguments: input } of calls) {
  try {
    results.push(await client.callTool({ name, arguments: input }))
  } catch (error) {
    results.push({ error: String(error) })
  }
}
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), results }))
await client.close()
