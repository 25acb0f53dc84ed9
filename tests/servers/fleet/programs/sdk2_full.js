// The TypeScript SDK 2 with tools, resources, prompts, completion and input requests:
// node sdk2_full.js stdio | node sdk2_full.js express|fastify|hono|node|strict PORT
import { createServer } from "node:http";
import { acceptedContent, completable, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";

const reads = { readOnlyHint: true };

function made() {
  const server = new McpServer({ name: "sdk2-full", version: "1.0.0", title: "All of it" }, { instructions: "Adds and shows.", capabilities: { logging: {} } });
  server.registerTool("add", { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }), annotations: reads }, ({ a, b }) => ({
    content: [{ type: "text", text: JSON.stringify({ sum: a + b }) }],
    structuredContent: { sum: a + b },
  }));
  server.registerTool("greet", { description: "Greets somebody by name.", inputSchema: z.object({ name: z.string().min(1), tone: z.enum(["kind", "short"]).default("kind") }), annotations: reads }, ({ name, tone }) => ({
    content: [{ type: "text", text: tone === "kind" ? `Dear ${name}` : `Hi ${name}` }],
  }));
  server.registerTool("ask", { description: "Asks for a colour first.", inputSchema: z.object({}), annotations: reads }, (_, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "colour");
    if (!given) {
      return inputRequired({
        inputRequests: { colour: inputRequired.elicit({ message: "Which colour?", requestedSchema: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] } }) },
      });
    }
    return { content: [{ type: "text", text: `It is ${given.colour}` }] };
  });
  server.registerResource("readme", "file:///readme.md", { description: "A text.", mimeType: "text/markdown" }, (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/markdown", text: "# Read me" }] }));
  server.registerResource("page", new ResourceTemplate("page://{number}", { list: undefined, complete: { number: () => ["1", "2"] } }), { description: "A page." }, (uri, { number }) => ({
    contents: [{ uri: uri.href, text: `Page ${number}` }],
  }));
  server.registerPrompt("review", { description: "Reviews code.", argsSchema: z.object({ code: z.string(), language: completable(z.string(), (value) => ["js", "py"].filter((each) => each.startsWith(value))) }) }, ({ code, language }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review this ${language}: ${code}` } }],
  }));
  return server;
}

const [mode, port] = process.argv.slice(2);
if (mode === "stdio") {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(made);
} else {
  const handler = createMcpHandler(made, { legacy: mode === "strict" ? "reject" : "stateless" });
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } = await import("@modelcontextprotocol/node");
  const handle = toNodeHandler(handler);
  if (mode === "express") {
    const { createMcpExpressApp } = await import("@modelcontextprotocol/express");
    const app = createMcpExpressApp();
    app.all("/mcp", (request, response) => handle(request, response, request.body));
    app.listen(Number(port), "127.0.0.1");
  } else if (mode === "fastify") {
    const { createMcpFastifyApp } = await import("@modelcontextprotocol/fastify");
    const app = createMcpFastifyApp();
    app.all("/mcp", (request, reply) => {
      reply.hijack();
      return handle(request.raw, reply.raw, request.body);
    });
    await app.listen({ port: Number(port), host: "127.0.0.1" });
  } else if (mode === "hono") {
    const { createMcpHonoApp } = await import("@modelcontextprotocol/hono");
    const { serve } = await import("@hono/node-server");
    const app = createMcpHonoApp();
    app.all("/mcp", (context) => handler.fetch(context.req.raw));
    serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
  } else {
    const [host, origin] = [localhostHostValidation(), localhostOriginValidation()];
    createServer((request, response) => {
      if (host(request, response) && origin(request, response)) handle(request, response);
    }).listen(Number(port), "127.0.0.1");
  }
}
