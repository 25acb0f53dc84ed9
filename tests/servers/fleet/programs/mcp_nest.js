// @rekog/mcp-nest, with its decorators applied by hand: over stdio, or over Streamable HTTP at a port.
import "reflect-metadata";
import * as microservices from "@nestjs/microservices";
import * as common from "@nestjs/common";
import * as core from "@nestjs/core";
import nest from "@rekog/mcp-nest";
import { z } from "zod";

const port = process.argv[2];
class Sums {
  add({ a, b }) {
    return { content: [{ type: "text", text: String(a + b) }] };
  }
}
const parameters = z.object({ a: z.number().describe("First"), b: z.number().describe("Second") });
const own = Object.getOwnPropertyDescriptor(Sums.prototype, "add");
nest.Tool({ name: "add", description: "Adds two numbers.", parameters })(Sums.prototype, "add", own);
microservices.Payload()(Sums.prototype, "add", 0);
nest.McpController()(Sums);
const transports = [port ? new nest.StreamableHttpTransport() : new nest.StdioTransport()];
const strategy = new nest.McpStrategy({ name: "nest", version: "1.0.0", transports });
class App {}
common.Module({ controllers: [Sums] })(App);
if (port) {
  const app = await core.NestFactory.create(App, { logger: false });
  strategy.setHttpAdapter(app.getHttpAdapter());
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(Number(port), "127.0.0.1");
} else {
  const app = await core.NestFactory.createMicroservice(App, { strategy, logger: false });
  await app.listen();
}
