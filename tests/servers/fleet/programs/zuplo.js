// @zuplo/mcp over HTTP: node zuplo.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { MCPServer } from "@zuplo/mcp/server";
import { ZodValidator } from "@zuplo/mcp/tools/zod";
import { HTTPStreamableTransport } from "@zuplo/mcp/transport/httpstreamable";
import { z } from "zod";

const server = new MCPServer({ name: "zuplo", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds.",
  validator: new ZodValidator(z.object({ a: z.number(), b: z.number() })),
  handler: async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], isError: false }),
});
const transport = new HTTPStreamableTransport();
await transport.connect();
server.withTransport(transport);
const app = new Hono();
app.all("/mcp", (context) => transport.handleRequest(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
