import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { newCycleMemory, runCycle } from "#server/control-loop/cycle.ts";
import { waitForecast } from "#server/db/schema/wait-forecast.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { FakeCluster } from "#server/providers/fake/fake-cluster.ts";
import { horizonOf } from "#server/scheduling/forecast/calibrate.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let folder: string;
let runs: string;
let waits: string;

/** All home slots are held for two hours by `runs`; `waits` requests their model and waits for them. */
beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-quotes-"));
	writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
	const whole = aJob({ name: "runs" });
	runs = (await world.post("/jobs", { ...whole, spec: { ...whole.spec, resources: { gpus: 4 }, duration: { estimate: "2h", max: "3h" } } }))
		.json.id;
	const cluster = new FakeCluster({ clock: world, poolId: "pool", accelerator: "L40S-48GB", slots: 4 });
	const ctx: LoopContext = {
		...{ db: world.database.db, clock: world, timing: timingSchema.parse({}) },
		...{ clusters: new Map([["home", cluster.driver("home")]]), clouds: new Map(), checkpointRoot: folder, artifactRoot: folder },
		...{ userDataFor: () => "", bootstrapHashFor: () => "", log: () => {}, probe: () => {} },
	};
	const memory = newCycleMemory();
	await runCycle(ctx, memory);
	waits = (
		await world.post("/jobs", {
			...aJob({ name: "waits" }),
			spec: { ...aJob({ name: "waits" }).spec, resources: { gpus: 1, accelerators: ["L40S-48GB"] } },
		})
	).json.id;
	await runCycle(ctx, memory);
});
afterAll(() => world.close());

function spillway(...args: string[]): Promise<Ran> {
	const env = { SPILLWAY_TOKEN: "", SPILLWAY_TEAM: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder };
	return runCommand(args, { cwd: folder, env });
}

describe("POST /quotes", () => {
	it("shows the chance of a missed deadline, and what would be sooner or cheaper", async () => {
		const job = aJob({ name: "asked" });
		const deadline = new Date(world.nowMs() + HOUR_MS).toISOString();
		const spec = { ...job.spec, deadline, duration: { estimate: "50m" }, resources: { gpus: 1, accelerators: ["L40S-48GB"] } };
		const { status, json } = await world.post("/quotes", { ...job, spec });
		expect(status).toBe(200);
		expect(json.expected).toMatchObject({ placement: { capacityType: "owned" }, cashMicroUsd: "0", deadlineRisk: 1 });
		expect(json.candidates[0].deadlineRisk).toBe(1);
		expect(json.approval).toBeNull();
		for (const { sentence, fields, change } of json.suggestions) {
			expect(sentence).toMatch(/^[A-Z].*\.$/);
			expect(fields.length, change.kind).toBeGreaterThan(0);
		}
	});

	it("prints it on the command line", async () => {
		const deadline = new Date(world.nowMs() + HOUR_MS).toISOString();
		const flags = ["--team", "research", "--gpus", "1", "--estimate", "5m", "--deadline", deadline];
		const { code, out } = await spillway("quote", ...flags, "--", "true");
		expect(code).toBe(0);
		expect(out).toMatch(/missed deadline\s+<?\d+%; by waiting at home >99%/);
		expect(out).toMatch(/LATE/);
		expect(out).toMatch(/waiting jobs?, \d+ GPUs?; as of 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
	});
});

describe("the score of forecasts", () => {
	it("is shown with a quote for such a wait, in the API and on /metrics, by horizon: two of about two hours, one of them a job's first", async () => {
		const scored = {
			attemptNo: 1,
			at: new Date(0),
			endedAt: new Date(HOUR_MS),
			outcome: "started",
			horizon: horizonOf(2 * HOUR_MS),
		} as const;
		const forecastRow = (p50Ms: number, p90Ms: number) => ({
			replayP50Ms: p50Ms,
			replayP90Ms: p90Ms,
			forecastP50Ms: p50Ms,
			forecastP90Ms: p90Ms,
		});
		await world.database.db.insert(waitForecast).values([
			{ ...scored, jobId: "job_early", first: true, ...forecastRow(2 * HOUR_MS, 3 * HOUR_MS) },
			{ ...scored, jobId: "job_late", first: false, ...forecastRow(HOUR_MS / 2, 2 * HOUR_MS) },
		]);
		const job = aJob({ name: "asked" });
		const spec = { ...job.spec, duration: { estimate: "50m" }, resources: { gpus: 1, accelerators: ["L40S-48GB"] } };
		const { json } = await world.post("/quotes", { ...job, spec });
		expect(json.forecastScore).toEqual({ count: 2, p50Covered: 1, p90Covered: 2 });
		expect(json.quoteScore).toEqual({ count: 1, p50Covered: 1, p90Covered: 1 });
		const score = (await world.get("/forecasts/score")).json;
		expect(score).toMatchObject({ count: 2, p50Covered: 1, p90Covered: 2, quotes: { count: 1 } });
		expect(score.horizons.filter((h: { count: number }) => h.count > 0)).toMatchObject([{ horizon: "3h", count: 2 }]);
		const { text } = await world.call("GET", "/metrics", { as: null });
		expect(text).toContain('spillway_forecasts_scored_total{horizon="3h"} 2\n');
		expect(text).toContain('spillway_forecast_covered_total{horizon="3h",probability="0.5"} 1\n');
		expect(text).toContain('spillway_forecast_covered_total{horizon="3h",probability="0.9"} 2\n');
	});
});

describe("a waiting job", () => {
	it("shows one reason, and what would change it", async () => {
		const { json } = await world.get(`/jobs/${waits}/waiting`);
		expect(json).toMatchObject({ waits: true, state: "queued", reason: { code: expect.stringMatching(/^waiting_/) } });
		expect(json.changes.length).toBeGreaterThan(0);
		const { code, out } = await spillway("explain", waits);
		expect(code).toBe(0);
		expect(out).toContain("What would let it start");
		expect(out).toContain(json.changes.at(-1).sentence);
		expect((await world.get(`/jobs/${runs}/waiting`)).json).toMatchObject({ waits: false, changes: [], suggestions: [] });
		expect((await world.get(`/jobs/${waits}/waiting`, { as: "stranger" })).status).toBe(404);
	});
});

describe("GET /jobs/{id}/replay", () => {
	it("returns the recorded bytes, on the command line too, until the record changes", async () => {
		const { status, json } = await world.get(`/jobs/${runs}/replay`);
		expect([status, json]).toMatchObject([200, { same: true, difference: null, input: { pending: 1, running: 0, offers: 1 } }]);
		const forecastRow = await spillway("explain", runs, "--replay");
		expect(forecastRow.code).toBe(0);
		expect(forecastRow.out).toContain("identical");
		expect(forecastRow.out).toContain(json.recorded.sha256);
		const { db } = world.database;
		await db.execute(sql`alter table decision disable trigger decision_insert_only`);
		await db.execute(sql`update decision set explanation = jsonb_set(explanation, '{outcome}', '"launch"') where job_id = ${runs}`);
		const changed = await spillway("explain", runs, "--replay", "--decision", json.decisionId);
		expect(changed.code).toBe(5);
		expect(changed.out).toMatch(/difference\s+outcome: recorded "launch", now "place_home"/);
	});

	it("rejects strangers, unknown decisions and unknown parameters, each with a fix", async () => {
		expect((await world.get(`/jobs/${runs}/replay`, { as: "stranger" })).status).toBe(404);
		expect((await world.get(`/jobs/${runs}/replay?decision=dec_none`)).json).toMatchObject({
			status: 404,
			fix: expect.stringContaining("spillway explain"),
		});
		expect((await world.get(`/jobs/${runs}/replay?which=1`)).status).toBe(400);
		const alone = await spillway("explain", runs, "--decision", "dec_none");
		expect(alone).toMatchObject({ code: 2, out: "" });
		expect(alone.err).toContain("add --replay");
	});
});
