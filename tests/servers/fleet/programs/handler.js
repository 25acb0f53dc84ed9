// mcp-handler: node handler.js PORT
import { Hono } from "hono";
import { serve } from "@hono/node-server";
import { createMcpHandler } from "mcp-handler";
import { z } from "zod";

const handle = createMcpHandler(
  (server) => {
    server.registerTool("add", { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }));
  },
  {},
  { basePath: "" },
);
const app = new Hono();
app.all("*", (context) => handle(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
