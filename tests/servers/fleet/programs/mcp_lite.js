// mcp-lite: node mcp_lite.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";

const server = new McpServer({ name: "lite", version: "1.0.0", schemaAdapter: (schema) => z.toJSONSchema(schema) });
server.tool("add", {
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
});
const handle = new StreamableHttpTransport().bind(server);
const app = new Hono();
app.all("/mcp", (context) => handle(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
