import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { buildAgent } from "#server/services/work/agent/testing/machine.ts";
import { drawPlan } from "./draw-plan.ts";
import { runAll } from "./fleet.ts";
import { processesOf } from "./guest-processes.ts";

/** Distinguishes this test's processes from all others. */
const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-fleet-"));
beforeAll(() => vi.stubEnv("TMPDIR", folder));
afterAll(() => {
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true, force: true });
});

const isAgent = (pid: number): boolean => {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("agent.mjs");
	} catch {
		return false;
	}
};

it("ends active runs and everything on their machines when aborted", async () => {
	const file = await buildAgent();
	const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
	const endless = { name: "job-1", lines: 100_000, everyMs: 20, checkpoints: false, spot: false };
	const plan = {
		...drawPlan(1),
		clouds: ["aws" as const],
		jobs: [endless],
		kills: [],
		faults: [],
		interruptions: [],
		move: null,
		outage: null,
		cut: null,
	};
	const end = new AbortController();
	const seen = { reports: 0, failures: [] as string[] };
	const over = runAll([plan, plan], {
		...{ workers: 1, serverUrl: inject("postgresUrl"), rate: 5, agent, limitMs: 600_000, verbose: false, signal: end.signal },
		onReport: () => void seen.reports++,
		onFailure: (_seed, why) => void seen.failures.push(why),
	});
	await vi.waitUntil(() => processesOf(folder).some(isAgent), { timeout: 600_000, interval: 100 });
	expect(processesOf(folder).length).toBeGreaterThan(1);
	end.abort();
	await over;
	await sleep(300);
	expect(processesOf(folder)).toEqual([]);
	expect(seen).toEqual({ reports: 0, failures: [] });
});
