// @hono/mcp: node hono.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { StreamableHTTPTransport } from "@hono/mcp";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const app = new Hono();
app.all("/mcp", async (context) => {
  const server = new McpServer({ name: "hono", version: "1.0.0" });
  server.registerTool("add", { description: "Adds.", inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  const transport = new StreamableHTTPTransport();
  await server.connect(transport);
  return transport.handleRequest(context);
});
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
