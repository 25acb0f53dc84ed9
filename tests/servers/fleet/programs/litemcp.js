// litemcp over stdio: node litemcp.js
import { LiteMCP } from "litemcp";
import { z } from "zod";

const server = new LiteMCP("lite", "1.0.0");
server.addTool({ name: "add", description: "Adds.", parameters: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b });
server.start();
