import { afterEach, beforeEach, describe } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import type { ClusterHarness, MakeClusterHarness } from "./cluster-harness.ts";
import { logCases } from "./cluster-log-cases.ts";
import { restartCases } from "./cluster-restart-cases.ts";
import { secretCases } from "./cluster-secret-cases.ts";
import { startCases } from "./cluster-start-cases.ts";
import { stopCases } from "./cluster-stop-cases.ts";
import { queueCases } from "./queue-cases.ts";

/**
 * Checks a cluster driver against the rules of its port (../driver.ts), and with `withQueue` against those of
 * ../foreign-queue.ts. Each case gets a fresh site. `npm run test:contract -- --driver NAME` picks the suite by its title.
 */
export function describeClusterDriverContract(name: string, makeHarness: MakeClusterHarness, { withQueue = false } = {}): void {
	describe(`contract: ${name} (cluster driver)`, () => {
		let harness: ClusterHarness | null = null;
		beforeEach(async () => {
			harness = await makeHarness();
		});
		afterEach(async () => {
			await harness?.cleanup();
			harness = null;
		});
		const site = () => defined(harness, "harness");
		describe("start and observe", () => startCases(site));
		describe("stop and close", () => stopCases(site));
		describe("logs", () => logCases(site));
		describe("secrets", () => secretCases(site));
		describe("a killed scheduler", () => restartCases(site));
		describe.runIf(withQueue)("the cluster's own queue", () => queueCases(site));
	});
}
