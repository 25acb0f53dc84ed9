// @mcp-z/server: node mcpz.js [--port=PORT]
import express from 'express';
import { McpServer } from '@modelcontextprotocol/server';
import { parseConfig, connectStdio, connectHttp } from '@mcp-z/server';
const config = parseConfig(process.argv.slice(2), process.env);
const log = (...args) => console.error(...args);
const logger = { debug: log, info: log, warn: log, error: log };
const make = () => { const m = new McpServer({ name: 'my-server', version: '1.0.0' });
m.registerTool('hello', { description: 'Return a greeting', annotations: { readOnlyHint: true } }, async () => ({ content: [{ type: 'text', text: 'Hello' }] }));
return m; };
if (config.transport.type === 'stdio') await connectStdio(make, { logger });
else await connectHttp(make, { logger, app: express(), port: config.transport.port });
