import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTestDatabase } from "#server/db/testing/database.ts";
import { whyNoSlurm } from "#server/providers/slurm/testing/slurm-programs.ts";
import { buildAgent } from "#server/services/work/agent/testing/machine.ts";
import { CloudPorts } from "../emulated-cloud.ts";
import { runQueue } from "./run-queue.ts";

const missing = whyNoSlurm();

describe.skipIf(missing !== null)(`a queue on a real Slurm${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	it("ends each job once and charges what sacct counts while schedulers are killed", async () => {
		const file = await buildAgent();
		const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
		const database = await createTestDatabase();
		const ports = new CloudPorts();
		try {
			const run = { seed: 1, jobs: 8, longest: 6, deaths: 3, nodes: 1, gpusPerNode: 8, limitMs: 600_000 };
			const report = await runQueue({ ...run, databaseUrl: database.url, ports, agent, log: () => {} });
			expect(report.violations).toEqual({ notOnce: [], outcomes: [], output: [], seconds: [] });
			expect(report.deaths).toHaveLength(3);
			expect(report.theirs.cloud).toBeGreaterThan(0);
		} finally {
			await ports.close();
			await database.drop();
		}
	});
});
