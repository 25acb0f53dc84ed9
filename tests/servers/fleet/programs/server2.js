// The TypeScript SDK 2 over HTTP: node server2.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";

const app = new Hono();
app.all("/mcp", async (context) => {
  const server = new McpServer({ name: "sdk2", version: "1.0.0" });
  server.registerTool("add", { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  return transport.handleRequest(context.req.raw);
});
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
