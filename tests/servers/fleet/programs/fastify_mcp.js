// fastify-mcp with sessions, over Streamable HTTP or HTTP+SSE: node fastify_mcp.js PORT [sse]
import { fastify } from "fastify";
import { fastifyMCPSSE, Sessions, streamableHttp } from "fastify-mcp";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

function createServer() {
  const server = new McpServer({ name: "fastify-mcp", version: "1.0.0" });
  server.registerTool("add", { description: "Adds.", inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server.server;
}
const app = fastify();
if (process.argv[3] === "sse") app.register(fastifyMCPSSE, { server: createServer(), sseEndpoint: "/sse", messagesEndpoint: "/messages" });
else app.register(streamableHttp, { stateful: true, mcpEndpoint: "/mcp", sessions: new Sessions(), createServer });
await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
