// Drivers of the clients that are JavaScript libraries: as drivers.py, run in the folder of their installation.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [name, path, folder] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const load = (module) => import(pathToFileURL(require.resolve(module)).href);
const input = { a: 'x' };

async function sdk(client, { argv, call }, report, transport) {
  await client.connect(new transport({ command: argv[0], args: argv.slice(1) }));
  report.instructions = client.getInstructions() ?? '';
  for (const tool of (await client.listTools()).tools) {
    report.tools.push({ name: tool.name, description: tool.description, schema: tool.inputSchema });
  }
  if (call) report.results.push(JSON.stringify(await client.callTool({ name: call, arguments: input })));
  await client.close();
}

const drivers = {
  'typescript-sdk-1': async (server, report) => {
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
    await sdk(new Client({ name: 'driver', version: '1.0.0' }), server, report, StdioClientTransport);
  },
  'typescript-sdk-2': async (server, report) => {
    const { Client } = await load('@modelcontextprotocol/client');
    const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
    await sdk(new Client({ name: 'driver', version: '1.0.0' }), server, report, StdioClientTransport);
  },
  'ai-sdk': async ({ argv, call }, report) => {
    const module = await load('@ai-sdk/mcp');
    const create = module.createMCPClient ?? module.experimental_createMCPClient;
    const stdio = await load('@ai-sdk/mcp/mcp-stdio');
    const Transport = stdio.StdioMCPTransport ?? stdio.Experimental_StdioMCPTransport;
    const client = await create({ transport: new Transport({ command: argv[0], args: argv.slice(1) }) });
    try {
      for (const [called, tool] of Object.entries(await client.tools())) {
        report.tools.push({ name: called, description: tool.description, schema: await tool.inputSchema.jsonSchema });
        if (call && called === call) {
          report.results.push(JSON.stringify(await tool.execute(input, { toolCallId: '1', messages: [] })));
        }
      }
    } finally {
      await client.close();
    }
  },
  'langchain-js': async ({ argv, call }, report) => {
    const { MultiServerMCPClient } = await load('@langchain/mcp-adapters');
    const { convertToOpenAITool } = await load('@langchain/core/utils/function_calling');
    const client = new MultiServerMCPClient({ mcpServers: { s: { transport: 'stdio', command: argv[0], args: argv.slice(1) } } });
    try {
      for (const tool of await client.getTools()) {
        const { name: called, description, parameters } = convertToOpenAITool(tool).function;
        report.tools.push({ name: called, description, schema: parameters });
        if (call && called.replaceAll('-', '_').endsWith(call)) {
          report.results.push(JSON.stringify(await tool.invoke({ type: 'tool_call', id: '1', name: called, args: input })));
        }
      }
    } finally {
      await client.close();
    }
  },
  'openai-agents-js': async ({ argv, call }, report) => {
    const { Agent, getAllMcpTools, MCPServerStdio, RunContext } = await load('@openai/agents');
    const server = new MCPServerStdio({ name: 's', command: argv[0], args: argv.slice(1) });
    await server.connect();
    try {
      const agent = new Agent({ name: 'a', mcpServers: [server] });
      const runContext = new RunContext({});
      for (const tool of await getAllMcpTools({ mcpServers: [server], runContext, agent })) {
        report.tools.push({ name: tool.name, description: tool.description, schema: tool.parameters });
        if (call && tool.name.replaceAll('-', '_').endsWith(call)) {
          report.results.push(JSON.stringify(await tool.invoke(runContext, JSON.stringify(input))));
        }
      }
    } finally {
      await server.close();
    }
  },
  mastra: async ({ argv, call }, report) => {
    const { MCPClient } = await load('@mastra/mcp');
    const client = new MCPClient({ id: argv.at(-1), servers: { s: { command: argv[0], args: argv.slice(1) } } });
    try {
      for (const tool of Object.values(await client.listTools())) {
        const schema = tool.inputSchema?.['~standard']?.jsonSchema?.input({ target: 'draft-07' }) ?? tool.inputSchema;
        report.tools.push({ name: tool.id, description: tool.description, schema });
        if (call && tool.id.replaceAll('-', '_').endsWith(call)) {
          report.results.push(JSON.stringify(await tool.execute(input, {})));
        }
      }
    } finally {
      await client.disconnect();
    }
  },
};

const out = {};
for (const [server, each] of Object.entries(JSON.parse(readFileSync(path, 'utf8')))) {
  const report = { tools: [], results: [], instructions: '', error: '' };
  const late = new Promise((_, refuse) => setTimeout(refuse, 30_000, new Error('no answer in 30 s')).unref());
  try {
    await Promise.race([drivers[name](each, report), late]);
  } catch (error) {
    report.error = `${error.name}: ${error.message}`.slice(0, 500);
  }
  out[server] = report;
}
process.stdout.write(JSON.stringify(out) + '\n', () => process.exit(0));
