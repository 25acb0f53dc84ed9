// A client of the TypeScript SDK: node ts_client.mjs PATH_OF_SDK COMMAND ARGS... prints what it got, as JSON.
import { pathToFileURL } from "node:url";

const [sdk, command, ...args] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(`${sdk}/dist/esm/client/${name}.js`).href);
const { Client } = await from("index");
const { StdioClientTransport } = await from("stdio");

const calls = {
  echo: { message: "hello ☃" },
  "get-sum": { a: 2, b: 3 },
  list_allowed_directories: {},
  read_graph: {},
  calculate: { expression: "2*21" },
  list_tables: {},
  git_status: { repo_path: process.env.REPOSITORY ?? "" },
  open: {},
  check: {},
  sequentialthinking: { thought: "a", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
};
const client = new Client({ name: "made", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const found = { initialize: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()] };
found.tools = await client.listTools();
for (const tool of found.tools.tools) {
  if (tool.name in calls) found[tool.name] = await client.callTool({ name: tool.name, arguments: calls[tool.name] });
}
await client.close();
console.log(JSON.stringify(found));
