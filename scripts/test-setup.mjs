// Vitest's setup for each file. One seed for all property tests: `npm test` draws the same cases in each run, so that a failure is
// caused by a change; `npm run test:deep` uses a new seed. Real timers after each test: files share a worker, and fake ones that a
// failed test left behind would stop the next files.
import { readFileSync } from "node:fs";
import process from "node:process";
import { afterEach, expect, vi } from "vitest";

afterEach(() => void vi.useRealTimers());

const { testPath } = expect.getState();
if (!testPath || readFileSync(testPath, "utf8").includes("fast-check")) {
	const { default: fc } = await import("fast-check");
	fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SPILLWAY_TEST_SEED ?? 1) });
}
