// jsonv-ts: node jsonv.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { McpServer, mcp } from "jsonv-ts/mcp";
import { s } from "jsonv-ts";
const server = new McpServer({ name: "demo-server", version: "1.0.0" });
server.tool("add", { name: "add", description: "Add two numbers", inputSchema: s.object({ a: s.number(), b: s.number() }) }, ({ a, b }, c) => c.text(String(a + b)));
server.resource("greeting", "greeting://{name}", async (c, { name }) => c.text(`Hello, ${name}!`, { title: "Greeting Resource", description: "Dynamic greeting resource" }));
server.resource("readme", "file:///readme", async (c) => c.text(`Hello`));
const app = new Hono().use(mcp({ server }));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
