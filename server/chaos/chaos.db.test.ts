import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "#server/db/testing/database.ts";
import { defined } from "#server/kernel/assert.ts";
import { buildAgent } from "#server/services/work/agent/testing/machine.ts";
import { drawPlan } from "./draw-plan.ts";
import { CloudPorts } from "./emulated-cloud.ts";
import type { Cloud, Kill, Plan } from "./plan.ts";
import { type RunOptions, runOnce } from "./run.ts";
import { SCENES } from "./scenes.ts";

/** Less than Vitest's limit: a late run reports what it waited for and closes its world before it is stopped and leaves machines behind. */
const LIMIT_MS = 600_000;
const JOBS = 20;
const ports = new CloudPorts();
let agent: RunOptions["agent"];
beforeAll(async () => {
	const file = await buildAgent();
	agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
});
afterAll(() => ports.close());

async function run(plan: Plan) {
	const database = await createTestDatabase();
	try {
		return await runOnce({ plan, databaseUrl: database.url, ports, agent, rate: 5, limitMs: LIMIT_MS, log: () => {} });
	} finally {
		await database.drop();
	}
}

const NO_VIOLATIONS = { orphans: [], doubles: [], lostJobs: [], late: [], lostLines: [], seconds: [], disks: [], promises: [] };
const quick = { name: "job-1", lines: 10, everyMs: 10, checkpoints: false, spot: false };
const planOf = (cloud: Cloud, ...kills: Kill[]): Plan => ({
	...{
		seed: 0,
		clouds: [cloud],
		jobs: [quick],
		kills,
		faults: [],
		interruptions: [],
		move: null,
		outage: null,
		cut: null,
		schedulerProcess: null,
		homeSlots: 0,
		machinesMax: null,
		patienceMs: 90_000,
	},
});

it.each<[string, Plan]>([
	[
		"a scheduler's process that SIGKILL ends while a launch is under way",
		{ ...planOf("aws", at("scheduler", "sent:launch", "killed")), schedulerProcess: { instants: [] } },
	],
	["an agent that dies before its command's end is reported", planOf("aws", at("agent", "before:exited", "killed"))],
	["a provider that dies while a termination is under way", planOf("azure", at("emulator", "sent:terminate", "killed"))],
	["a database that cuts all sessions at a launch", planOf("aws", at("connection", "launch:provider_answered", "database"))],
])("%s: nothing is lost, duplicated or left behind", async (_what, plan) => {
	const report = await run(plan);
	expect(report.struck).toHaveLength(1);
	expect({ ...report.violations, unrest: report.unrest }).toEqual({ ...NO_VIOLATIONS, unrest: [] });
});

function at(victim: Kill["victim"], step: string, how: Kill["how"]): Kill {
	return { victim, step, pass: 1, inMove: false, how, backAfterMs: 50 };
}

it("twenty jobs with home full burst to three clouds by policy, each once, and charges match bills", async () => {
	const report = await run(defined(SCENES["two-hundred"], "the scene").plan(JOBS));
	expect({ ...report.violations, unrest: report.unrest }).toEqual({ ...NO_VIOLATIONS, unrest: [] });
	expect(report.books.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(JOBS);
	for (const { succeeded, billedMs, chargedMs, slackMs, machines, diskBilledMicroUsd } of report.books) {
		expect(succeeded).toBeGreaterThan(0);
		expect(diskBilledMicroUsd).toBeGreaterThan(0);
		expect(Math.abs(chargedMs - billedMs)).toBeLessThanOrEqual(slackMs + machines * 1_000);
	}
});

it("draws the same plan from the same seed", () => {
	expect(drawPlan(7)).toEqual(drawPlan(7));
	expect(drawPlan(7)).not.toEqual(drawPlan(8));
});
