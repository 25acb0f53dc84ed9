// hono-mcp-server-sse-transport: node hono_sse.js PORT
import { Hono } from 'hono';
import { serve } from '@hono/node-server';
import { streamSSE } from 'hono/streaming';
import { SSETransport } from 'hono-mcp-server-sse-transport';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
const make = () => { const m = new McpServer({ name: 'your-mcp-server-name', version: '1.0.0' }, { capabilities: { tools: {} } });
m.registerTool('echo', { description: 'Echo a text', inputSchema: { text: z.string().describe('Text') }, annotations: { readOnlyHint: true } }, async ({ text }) => ({ content: [{ type: 'text', text }] }));
return m; };
const app = new Hono(); const transports = {};
app.get('/sse', (c) => streamSSE(c, async (stream) => {
    const transport = new SSETransport('/messages', stream);
    transports[transport.sessionId] = transport;
    stream.onAbort(() => { delete transports[transport.sessionId]; });
    await make().connect(transport);
    while (true) await stream.sleep(60_000);
}));
app.post('/messages', async (c) => {
  const transport = transports[c.req.query('sessionId')];
  if (transport == null) return c.text('No transport found for sessionId', 400);
  return await transport.handlePostMessage(c);
});
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
