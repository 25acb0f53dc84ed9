// fastmcp for TypeScript: node fastmcp.js [PORT]
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fast", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true },
  execute: async ({ a, b }) => String(a + b),
});
const port = Number(process.argv[2] ?? 0);
await server.start(port ? { transportType: "httpStream", httpStream: { port } } : { transportType: "stdio" });
