import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { spawnStudy } from "#server/control-loop/spawn-worker.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { upload } from "#server/db/schema/upload.ts";
import { BackgroundTender } from "#server/services/decision/background/tend.ts";
import { RestWorld } from "../testing/rest-world.ts";

/** Real processes on a busy machine. */
const LONG = { timeout: 600_000, interval: 200 };
const TRACE = readFileSync(path.resolve(import.meta.dirname, "../../../examples/simulate/trace.csv"));

let world: RestWorld;
let tender: BackgroundTender;
beforeAll(async () => {
	world = await RestWorld.open();
	vi.stubEnv("DATABASE_URL", world.database.url);
	tender = new BackgroundTender({ kind: "study", db: world.database.db, clock: { nowMs: () => world.nowMs() }, spawn: spawnStudy });
});
afterEach(async () => {
	tender.close();
	await world.database.db.delete(planStudy);
});
afterAll(async () => {
	vi.unstubAllEnvs();
	await world.close();
});

async function studied(body: Record<string, unknown>) {
	const asked = await world.post("/plan/studies", body);
	expect([asked.status, asked.json.state]).toEqual([202, "queued"]);
	await tender.tend();
	const one = `/plan/studies/${asked.json.id}`;
	await expect.poll(async () => (await world.get(one)).json.state, LONG).toMatch(/done|failed/);
	return (await world.get(one)).json;
}

describe("plan studies", () => {
	it("compare options over an uploaded trace, list its bad rows, and delete it", async () => {
		const bytes = Buffer.concat([TRACE, Buffer.from("broken,row\n")]);
		const headers = { "content-type": "text/csv" };
		const { status, json: file } = await world.post("/plan/uploads?name=trace.csv", bytes.toString(), { headers });
		expect([status, file.bytes]).toEqual([201, bytes.length]);
		const study = await studied({ source: "upload", name: "trace.csv", upload: file.id, gpus: 32 });
		expect(study).toMatchObject({ state: "done", progressPermille: 1000, error: null, name: "trace.csv" });
		const { assessment, comparison, headline } = study.result;
		expect(headline.results.map((r: { basis: string }) => r.basis)).toEqual(Array(5).fill("replayed"));
		expect(headline.results[0].command).toBe("spillway plan headline --trace=trace.csv --gpus=32 --json");
		expect(assessment.capacity).toEqual({ gpus: 32, basis: "given" });
		expect(assessment.history.badRows.count).toBe(1);
		const waits = Object.fromEntries(comparison.options.map((o: { id: string; meanWaitS: number }) => [o.id, o.meanWaitS]));
		expect(waits["burst"]).toBeLessThan(waits["as_is"]);
		// The worker deletes it after the end.
		await expect.poll(() => world.database.db.$count(upload), LONG).toBe(0);
		const all = (await world.get(`/plan/studies/${study.id}/demand`)).json;
		expect(all.demand).toMatchObject({ ...assessment.demand, hourOfWeek: expect.anything() });
		expect(all.jobs).toBe(assessment.history.jobs);
		const parts = await Promise.all(all.teams.map((team: string) => world.get(`/plan/studies/${study.id}/demand?team=${team}`)));
		expect(parts.reduce((jobs, part) => jobs + part.json.jobs, 0)).toBe(all.jobs);
		for (const [i, { json }] of parts.entries()) {
			const { waits, candidates } = json.profile;
			expect(waits.bySize.reduce((jobs: number, size: { jobs: number }) => jobs + size.jobs, 0)).toBe(json.jobs);
			expect(candidates.every(({ team }: { team: string }) => team === all.teams[i])).toBe(true);
		}
		const byModel = await Promise.all(
			all.gpus.map((gpu: string) => world.get(`/plan/studies/${study.id}/demand?gpu=${encodeURIComponent(gpu)}`)),
		);
		expect(byModel.reduce((jobs, part) => jobs + part.json.jobs, 0)).toBe(all.jobs);
		expect((await world.get(`/plan/studies/${study.id}/demand?team=none`)).json).toMatchObject({ jobs: 0, demand: { peakGpus: 0 } });
		expect((await world.get(`/plan/studies/${study.id}/decision`)).json.outcome).toBeNull();
	});
	it("replay the installation's own records with its pools and its policy", async () => {
		for (const name of ["a", "b"]) {
			const id = await world.submit({ name });
			const attemptId = await world.start(id);
			world.shiftMs += 600_000;
			await world.end(attemptId, { code: 0 });
		}
		const study = await studied({ source: "records", days: 30 });
		expect(study.error).toBeNull();
		const { assessment, comparison } = study.result;
		expect([assessment.history.jobs, assessment.history.format, assessment.waits.basis]).toEqual([2, "records", "recorded"]);
		expect(comparison.options.find((o: { id: string }) => o.id === "burst").policy).toBe("active");
		expect(comparison.ownedGpus).toBe(assessment.capacity.gpus);
		const page = `/plan/studies/${study.id}/decision`;
		const frozen = (await world.get(page)).json;
		expect(frozen).toMatchObject({ verdict: comparison.decision.verdict, headline: comparison.decision.headline });
		expect(frozen.options).toHaveLength(comparison.options.length);
		// Another job a month later: the frozen part stays, and the month appears next to its expectation.
		const later = await world.submit({ name: "c" });
		const attemptId = await world.start(later);
		world.shiftMs += 40 * 86_400_000;
		await world.end(attemptId, { code: 0 });
		const { outcome, ...rest } = (await world.get(page)).json;
		expect(rest).toEqual({ ...frozen, outcome: undefined });
		expect(outcome.expected.cloudUsd).toBe(
			comparison.options.find((o: { id: string }) => o.id === comparison.recommended).perMonth.cloudUsd,
		);
		expect(outcome.months.at(-1)).toMatchObject({ models: 1, isPart: true });
		const pdf = await world.get(`${page}?format=pdf`);
		expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, "%PDF-"]);
	});
	it("report a history without jobs in words", async () => {
		const study = await studied({
			source: "upload",
			name: "empty.csv",
			trace: Buffer.from("job_id,submit_s,duration_s,gpus\n").toString("base64"),
		});
		expect(study.state).toBe("failed");
		expect(study.error).toContain("empty.csv");
	});
	it("are canceled, and are closed to data scientists", async () => {
		const { json } = await world.post("/plan/studies", { source: "records", days: 90 });
		expect((await world.get(`/plan/studies/${json.id}/decision`)).status).toBe(412);
		expect((await world.get(`/plan/studies/${json.id}/demand`)).status).toBe(412);
		expect((await world.post(`/plan/studies/${json.id}/cancel`, undefined)).json.state).toBe("cancelled");
		expect((await world.post(`/plan/studies/${json.id}/cancel`, undefined)).status).toBe(409);
		expect((await world.post("/plan/studies", { source: "records", days: 31 })).status).toBe(400);
		expect((await world.post("/plan/studies", { source: "open", trace: "philly" })).status).toBe(400);
		const named = { source: "upload", name: "t.csv" };
		expect((await world.post("/plan/studies", named)).json.fields).toMatchObject([{ message: "needs either trace or upload" }]);
		expect((await world.post("/plan/studies", { ...named, upload: "upl_none" })).status).toBe(404);
		const form = { headers: { "content-type": "text/csv" }, as: "scientist" } as const;
		expect((await world.post("/plan/uploads?name=t.csv", "a", form)).status).toBe(403);
		expect((await world.get("/plan/studies/plan_none")).status).toBe(404);
		expect((await world.get("/plan/studies", { as: "finance" })).json.items).toHaveLength(1);
		for (const call of [
			world.get("/plan/studies", { as: "scientist" }),
			world.post("/plan/studies", { source: "records", days: 90 }, { as: "scientist" }),
		])
			expect((await call).status).toBe(403);
	});
});
