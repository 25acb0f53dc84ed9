// tmcp over HTTP: node tmcp_http.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { McpServer } from "tmcp";
import { HttpTransport } from "@tmcp/transport-http";
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import * as v from "valibot";

const server = new McpServer({ name: "tmcp", version: "1.0.0" }, { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } });
server.tool({ name: "add", description: "Adds.", schema: v.object({ a: v.number(), b: v.number() }) }, ({ a, b }) => ({
  content: [{ type: "text", text: String(a + b) }],
}));
const transport = new HttpTransport(server, { path: "/mcp" });
const app = new Hono();
app.all("/mcp", async (context) => (await transport.respond(context.req.raw)) ?? context.notFound());
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
