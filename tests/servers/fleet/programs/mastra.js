// @mastra/mcp over stdio or HTTP: node mastra.js [PORT]
import { createServer } from "node:http";
import { MCPServer } from "@mastra/mcp";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

const add = createTool({
  id: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});
const server = new MCPServer({ name: "mastra", version: "1.0.0", tools: { add } });
const port = process.argv[2];
if (port === undefined) await server.startStdio();
else createServer((req, res) => server.startHTTP({ url: new URL(req.url, `http://127.0.0.1:${port}`), httpPath: "/mcp", req, res })).listen(Number(port), "127.0.0.1");
