// Writes the generated sources of the client packages: `npm run clients`. A test compares them with the contract.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { generate } from "./generate.ts";

const clients = path.resolve(import.meta.dirname, "..");
for (const [file, text] of Object.entries(generate())) writeFileSync(path.join(clients, file), text);
