// mcp-use over HTTP: node mcp_use.js PORT
import { MCPServer, text } from "mcp-use";
import { z } from "zod";

const server = new MCPServer({ name: "mcp-use", version: "1.0.0" });
server.tool({ name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } }, async ({ a, b }) => text(String(a + b)));
server.prompt({ name: "review", description: "Reviews.", schema: z.object({ code: z.string() }) }, async ({ code }) => text(`Review ${code}`));
server.resource({ name: "readme", uri: "file:///readme.md", description: "A text." }, async () => text("# Read me"));
await server.listen(Number(process.argv[2]));
