// @mcp-ui/server with the TypeScript SDK 1 over HTTP: node mcp_ui.js PORT
import express from "express";
import { createUIResource } from "@mcp-ui/server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
const ui = () => createUIResource({ uri: "ui://greeting/1", content: { type: "rawHtml", htmlString: "<p>Hello</p>" }, encoding: "text" });
const app = express(); app.use(express.json());
function made() {
  const s = new McpServer({ name: "mcp-ui demo", version: "1.0.0" });
  s.registerResource("greeting", "ui://greeting/1", { mimeType: "text/html;profile=mcp-app" }, async () => ({ contents: [ui().resource] }));
  s.registerTool("show_ui", { title: "Show", description: "Shows a page.", inputSchema: {}, annotations: { readOnlyHint: true }, _meta: { ui: { resourceUri: "ui://greeting/1" } } }, async () => ({ content: [{ type: "text", text: "shown" }] }));
  s.registerTool("inline_ui", { description: "Returns a page.", inputSchema: { name: z.string().describe("Who") }, annotations: { readOnlyHint: true } }, async () => ({ content: [ui()] }));
  return s;
}
app.post("/mcp", async (req, res) => { const t = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }); res.on("close", () => t.close()); await made().connect(t); await t.handleRequest(req, res, req.body); });
app.get("/mcp", (_q, r) => r.status(405).end());
app.delete("/mcp", (_q, r) => r.status(405).end());
app.listen(Number(process.argv[2]), "127.0.0.1");
