import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { BacktestWorkers } from "#server/control-loop/backtest-workers.ts";
import { startBacktestProcess } from "#server/control-loop/spawn-worker.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { BackgroundTender } from "#server/services/decision/background/tend.ts";
import { RestWorld } from "../testing/rest-world.ts";

/** Real processes on a busy machine. */
const LONG = { timeout: 600_000, interval: 200 };
let world: RestWorld;
let draft: string;
let tender: BackgroundTender;
const workers = new BacktestWorkers(startBacktestProcess);
beforeAll(async () => {
	world = await RestWorld.open();
	const { json } = await world.get("/policies/default");
	draft = String(json.source).replace("forecastWait: 10s", "forecastWait: 4h");
	expect(draft).toContain("4h");
	vi.stubEnv("DATABASE_URL", world.database.url);
	tender = new BackgroundTender({
		kind: "backtest",
		db: world.database.db,
		clock: { nowMs: () => world.nowMs() },
		spawn: (term) => workers.spawn(term),
	});
});
afterEach(() => {
	tender.close();
	workers.close();
});
afterAll(async () => {
	vi.unstubAllEnvs();
	await world.close();
});

/** Three jobs that held their slots one after the other and ended. */
async function threeJobs(): Promise<string[]> {
	const ids: string[] = [];
	for (const name of ["a", "b", "c"]) {
		const id = await world.submit({ name });
		const attemptId = await world.start(id);
		world.shiftMs += 60_000;
		await world.end(attemptId, { code: 0 });
		ids.push(id);
	}
	return ids;
}

describe("backtests over REST", () => {
	it("are requested, processed by their own process, and read with their result", async () => {
		await threeJobs();
		const asked = await world.post("/policies/default/backtest", { source: draft, days: 7 });
		expect([asked.status, asked.json.state, asked.json.baseVersion]).toEqual([202, "queued", 1]);
		const one = `/backtests/${asked.json.id}`;
		await tender.tend();
		await expect.poll(async () => (await world.get(one)).json.state, LONG).toBe("done");
		const { json } = await world.get(one);
		expect(json).toMatchObject({ state: "done", progressPermille: 1000, error: null, source: draft });
		expect(json.result.published).toMatchObject({ jobs: 3, cloudCostMicroUsd: "0", waitingAtEnd: 0 });
		expect(json.result.published.ownedGpuHours).toBeCloseTo(3 / 60, 2);
		expect(json.result.movedCount).toBe(0);
		const { json: list } = await world.get("/policies/default/backtests");
		expect(list.items.map(({ id, result }: { id: string; result?: unknown }) => [id, result])).toEqual([[asked.json.id, undefined]]);
	});

	it("are limited to policy editors, drafts without errors, and 7, 30 or 90 days", async () => {
		for (const as of ["scientist", "finance"] as const) {
			expect((await world.post("/policies/default/backtest", { source: draft, days: 7 }, { as })).status).toBe(403);
			expect((await world.get("/backtests/btst_x", { as })).status).toBe(403);
		}
		expect((await world.post("/policies/default/backtest", { source: draft, days: 8 })).status).toBe(400);
		const wrong = await world.post("/policies/default/backtest", { source: draft.replace("4h", "4"), days: 7 });
		expect([wrong.status, wrong.json.fields[0]]).toMatchObject([
			400,
			{ path: "source", line: expect.any(Number), column: expect.any(Number) },
		]);
		expect((await world.post("/policies/none/backtest", { source: draft, days: 7 })).status).not.toBe(202);
		expect((await world.get("/backtests/btst_none")).status).toBe(404);
	});

	it("are cancelled once", async () => {
		const { json } = await world.post("/policies/default/backtest", { source: draft, days: 90 });
		expect((await world.post(`/backtests/${json.id}/cancel`, undefined)).json.state).toBe("cancelled");
		expect((await world.post(`/backtests/${json.id}/cancel`, undefined)).status).toBe(409);
		expect((await world.get(`/backtests/${json.id}`)).json.state).toBe("cancelled");
	});
});

describe("spillway policy backtest", () => {
	function spillway(...args: string[]): Promise<Ran> {
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-backtest-"));
		writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
		writeFileSync(path.join(folder, "draft.yaml"), draft);
		const env = { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder };
		return runCommand(["policy", "backtest", ...args], { cwd: folder, env });
	}

	it("waits for the result and prints what would have changed, and the limits of the record", async () => {
		await world.database.db.delete(backtest);
		const ran = spillway("draft.yaml", "--days", "7");
		await expect.poll(async () => (await world.get("/policies/default/backtests")).json.items.length, LONG).toBe(1);
		await tender.tend();
		const { code, out, err } = await ran;
		expect([code, err]).toEqual([0, ""]);
		expect(out).toContain("The draft compared with version 1 on 3 jobs");
		expect(out).toContain("No job would have been placed elsewhere.");
		expect(out).toContain("Not covered by the records:\n- ");
	});

	it("rejects other periods and a missing file, and cancels one by its id", async () => {
		expect(await spillway("draft.yaml", "--days", "8")).toMatchObject({ code: 2, out: "" });
		expect((await spillway("none.yaml")).err).toContain("none.yaml cannot be read");
		const { json } = await world.post("/policies/default/backtest", { source: draft, days: 90 });
		expect((await spillway("--cancel", json.id)).out).toBe(`The backtest ${json.id} was cancelled.\n`);
	});
});
