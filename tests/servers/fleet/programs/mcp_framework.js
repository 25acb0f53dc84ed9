// mcp-framework: over stdio, or at a port over Streamable HTTP or, with "sse", HTTP+SSE.
import { MCPServer } from "mcp-framework";

const [port, kind] = process.argv.slice(2);
const transport = port ? { type: kind ?? "http-stream", options: { port: Number(port) } } : { type: "stdio" };
await new MCPServer({ name: "framework", version: "1.0.0", basePath: import.meta.dirname, transport }).start();
