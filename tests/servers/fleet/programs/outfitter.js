// @outfitter/mcp: node outfitter.js
import { connectStdio, createMcpServer, defineTool } from '@outfitter/mcp';
import { Result } from '@outfitter/contracts';
import { z } from 'zod';
const server = createMcpServer({ name: 'calculator', version: '1.0.0' });
server.registerTool(defineTool({ name: 'add', description: 'Add two numbers together', inputSchema: z.object({ a: z.number(), b: z.number() }), handler: async (input) => Result.ok({ sum: input.a + input.b }) }));
await connectStdio(server);
