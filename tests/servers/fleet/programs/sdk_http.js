// The TypeScript SDK 1 over HTTP: node sdk_http.js PORT [sessions]
import express from "express";
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const [port, sessions] = process.argv.slice(2);
const make = () => {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  const annotations = { readOnlyHint: true };
  server.registerTool(
    "add",
    { description: "Adds two numbers.", inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() }, annotations },
    ({ a, b }) => ({ content: [{ type: "text", text: JSON.stringify({ sum: a + b }) }], structuredContent: { sum: a + b } }),
  );
  server.registerResource("note", "note://one", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, text: "one" }] }));
  server.registerPrompt("greet", { description: "Greets.", argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello ${name}` } }],
  }));
  return server;
};
const open = {};
const app = express();
app.use(express.json());
app.all("/mcp", async (request, response) => {
  let transport = open[request.headers["mcp-session-id"]];
  if (!transport) {
    if (request.headers["mcp-session-id"]) return response.status(404).json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null });
    if (sessions && !isInitializeRequest(request.body)) return response.status(400).json({ jsonrpc: "2.0", error: { code: -32000, message: "No session ID" }, id: null });
    if (!sessions && request.method !== "POST") return response.status(405).set("Allow", "POST").end();
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: sessions ? () => randomUUID() : undefined,
      onsessioninitialized: (id) => { open[id] = transport; },
    });
    await make().connect(transport);
  }
  await transport.handleRequest(request, response, request.body);
});
app.listen(Number(port), "127.0.0.1");
