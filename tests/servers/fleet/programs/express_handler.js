// express-mcp-handler: node express_handler.js PORT [sse]
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { sseHandlers, statelessHandler } from 'express-mcp-handler';
import { z } from 'zod';
const make = () => { const m = new McpServer({ name: 'my-mcp-server', version: '1.0.0' });
m.registerTool('echo', { description: 'Echo a text', inputSchema: { text: z.string().describe('Text') }, annotations: { readOnlyHint: true } }, async ({ text }) => ({ content: [{ type: 'text', text }] }));
return m; };
const app = express(); app.use(express.json());
if (process.argv[3]) { const both = sseHandlers(make, {}); app.get('/sse', both.getHandler); app.post('/messages', both.postHandler); }
else app.post('/mcp', statelessHandler(make));
app.listen(Number(process.argv[2]), '127.0.0.1');
