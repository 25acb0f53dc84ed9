// tmcp with tools, resources and prompts, over stdio or HTTP+SSE: node tmcp_full.js [PORT]
import { McpServer } from "tmcp";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { z } from "zod";

const server = new McpServer(
  { name: "tmcp-full", version: "1.0.0" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } } },
);
server.tool({ name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } }, ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
server.prompt({ name: "review", description: "Reviews.", schema: z.object({ code: z.string() }) }, ({ code }) => ({ messages: [{ role: "user", content: { type: "text", text: code } }] }));
server.resource({ name: "readme", description: "A text.", uri: "file:///readme.md" }, (uri) => ({ contents: [{ uri, mimeType: "text/plain", text: "Read me" }] }));
const port = process.argv[2];
if (port === undefined) {
  const { StdioTransport } = await import("@tmcp/transport-stdio");
  new StdioTransport(server).listen();
} else {
  const { SseTransport } = await import("@tmcp/transport-sse");
  const { serve } = await import("@hono/node-server");
  const transport = new SseTransport(server);
  serve({ fetch: async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 }), port: Number(port), hostname: "127.0.0.1" });
}
