// @voltagent/mcp-server over stdio or HTTP: node voltagent.js [PORT]
import { MCPServer } from "@voltagent/mcp-server";
import { createTool } from "@voltagent/core";
import { z } from "zod";
import http from "node:http";
const add = createTool({ name: "add", description: "Adds two numbers", parameters: z.object({ a: z.number().describe("One"), b: z.number().describe("Two") }), execute: async ({ a, b }) => ({ sum: a + b }) });
const server = new MCPServer({ name: "volt", version: "1.0.0", description: "A", tools: { add }, protocols: { stdio: true, http: true, sse: false } });
server.initialize?.({ agentRegistry: { getAllAgents: () => [], getAgent: () => undefined }, workflowRegistry: { getAllWorkflows: () => [], getWorkflow: () => undefined }, getParentAgentIds: () => [] });
const port = process.argv[2];
if (port) http.createServer((req, res) => server.startHTTP({ url: new URL(req.url, "http://localhost"), httpPath: "/mcp", req, res })).listen(Number(port), "127.0.0.1");
else await server.startTransport("stdio");
