// `npm run test:deep`: runs the Vitest tests with all cases and a new seed, which is printed. SPILLWAY_TEST_SEED repeats a run.
// Arguments go to Vitest: npm run test:deep -- server/policy
import { randomInt } from "node:crypto";
import process from "node:process";
import { main } from "./lib/test-main.mjs";

const seed = process.env.SPILLWAY_TEST_SEED ?? String(randomInt(1, 2 ** 31));
process.env.SPILLWAY_TEST_DEEP = "1";
process.env.SPILLWAY_TEST_SEED = seed;
const args = process.argv.slice(2);
console.log(`Seed ${seed}. Repeat this run: SPILLWAY_TEST_SEED=${seed} npm run test:deep${args.length > 0 ? ` -- ${args.join(" ")}` : ""}`);
await main(["unit", ...args]);
