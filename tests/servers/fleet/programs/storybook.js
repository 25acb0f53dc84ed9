// @storybook/mcp over HTTP: node storybook.js PORT
import { createStorybookMcpHandler } from '@storybook/mcp';
import { serve } from '@hono/node-server';
const components = JSON.stringify({ v: 1, components: { button: { id: 'button', name: 'Button', path: './Button.tsx', description: 'A button', import: "import { Button } from 'x'", stories: [{ id: 'button--primary', name: 'Primary', snippet: '<Button/>' }], jsDocTags: {} } } });
const handle = await createStorybookMcpHandler({ manifestProvider: async (_r, path) => { if (path.includes('components')) return components; throw new Error('404 no such manifest'); } });
serve({ fetch: async (r) => new URL(r.url).pathname === '/mcp' ? handle(r) : new Response('Not found', { status: 404 }), port: Number(process.argv[2]), hostname: '127.0.0.1' });
