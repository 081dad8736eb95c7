import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { artifact } from "#server/db/schema/artifact.ts";
import { pipeline, pipelineJob, pipelineRun } from "#server/db/schema/pipeline.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { type Timing, timingSchema } from "#server/services/core/timing.ts";
import { submitPipeline } from "#server/services/decision/pipeline/submit.ts";
import { artifactPlace } from "#server/services/work/artifact/store.ts";
import { listJobs } from "#server/services/work/job/list.ts";
import { listJobMetrics } from "#server/services/work/metric/list.ts";
import { cancelPipeline } from "#server/services/work/pipeline/cancel.ts";
import { getPipeline, listRuns } from "#server/services/work/pipeline/get.ts";
import { listPipelines } from "#server/services/work/pipeline/list.ts";
import { retryPipeline } from "#server/services/work/pipeline/retry.ts";
import { listTrials } from "#server/services/work/pipeline/trials.ts";
import type { ProbeStep } from "./context.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
let folder: string;
let driver: LocalDriver | null = null;

beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-pipelines-"));
});
afterEach(async () => {
	await driver?.close({ stopJobs: true, graceMs: 100 });
	driver = null;
	await world?.database.drop();
	world = null;
	await rm(folder, { recursive: true, force: true });
});

const STAY = `{ id: stay, when: 'job.team == "research"', deny: { sites: [cloud] } }`;

/** The control loop over a site that really runs commands, with a new driver for each scheduler, as after a crash. */
async function openReal(slots = 3): Promise<World> {
	const home = (): LocalDriver => {
		driver = new LocalDriver("home", { home: folder, slots, poolId: "home", accelerator: "A10G-24GB" });
		return driver;
	};
	world = await World.open({ slots, home, checkpointRoot: folder, rules: [STAY] });
	return world;
}

const ctxOf = (w: World): ServiceContext & { timing: Timing } => ({
	...systemContext(w.database.db, w.clock, "seed"),
	timing: timingSchema.parse(w.ctx.timing),
});
const head = "apiVersion: spillway/v1\nmetadata: { name: sums, team: research }\n";

/** Prepare writes a number, each variant multiplies it, evaluate adds the products up. */
const SUMS = `${head}kind: Pipeline
spec:
  parameters: { base: { type: number, default: 2 } }
  steps:
    - name: evaluate
      job:
        command: [sh, -c, "mkdir -p out && cat products/*/product | awk '{ s += $1 } END { print s }' > out/sum"]
        data: [{ from: train.product, mount: products }]
        outputs: [{ name: sum, path: out, kind: report }]
    - name: prepare
      job:
        command: [sh, -c, "mkdir -p out && echo \${{ parameters.base }} > out/base"]
        outputs: [{ name: base, path: out, kind: dataset }]
    - name: train
      foreach: [10, 100, 1000]
      job:
        command: [sh, -c, "mkdir -p out && echo $(( $(cat in/base) * \${{ item }} )) > out/product"]
        data: [{ from: prepare.base, mount: in }]
        outputs: [{ name: product, path: out, kind: model }]
`;

async function finish(w: World, id: string, ticks = 2_000): Promise<typeof pipeline.$inferSelect> {
	await w.until(async () => (await stateOf(w, id)) !== "running" && (await stateOf(w, id)) !== "cancelling", ticks);
	const [row] = await w.database.db.select().from(pipeline).where(eq(pipeline.id, id));
	if (!row) throw new Error("no pipeline");
	return row;
}

async function stateOf(w: World, id: string): Promise<string | undefined> {
	const [row] = await w.database.db.select({ state: pipeline.state }).from(pipeline).where(eq(pipeline.id, id));
	return row?.state;
}

async function sumOf(w: World): Promise<string> {
	const { db } = w.database;
	const [row] = await db
		.select({ id: artifact.id })
		.from(pipelineRun)
		.innerJoin(artifact, eq(artifact.jobId, pipelineRun.jobId))
		.where(eq(pipelineRun.name, "evaluate"));
	const place = artifactPlace(path.join(folder, "artifacts"), row?.id ?? "");
	return (await readFile(path.join(place.whole, "sum"), "utf8")).trim();
}

const runsOf = (w: World, id: string) =>
	w.database.db.select().from(pipelineRun).where(eq(pipelineRun.pipelineId, id)).orderBy(asc(pipelineRun.index));

describe("a pipeline over a site that really runs it", () => {
	it("passes the outputs of each step to the next and ends with one result", async () => {
		const w = await openReal();
		const { id } = await submitPipeline(ctxOf(w), { text: SUMS, parameters: { base: "3" } });
		const row = await finish(w, id);
		expect(row).toMatchObject({ state: "succeeded", counts: { succeeded: 5 } });
		expect(await sumOf(w)).toBe("3330");
		// The site has its own clock, so check the order of the submissions instead.
		const at = new Map((await w.jobs()).map((j) => [j.name, j.submittedAt.getTime()]));
		expect(at.get("sums-train-2")).toBeGreaterThan(at.get("sums-prepare") ?? Number.POSITIVE_INFINITY);
		expect(at.get("sums-evaluate")).toBeGreaterThan(at.get("sums-train-2") ?? Number.POSITIVE_INFINITY);
		const detail = await getPipeline(ctxOf(w), id);
		expect(detail.stepList.map((s) => [s.name, s.runs, s.counts.succeeded])).toEqual([
			["prepare", 1, 1],
			["train", 3, 3],
			["evaluate", 1, 1],
		]);
		const costs = detail.stepList.reduce((sum, s) => sum + BigInt(s.costMicroUsd), 0n);
		expect(detail.costMicroUsd).toBe(String(costs));
		expect((await listPipelines(ctxOf(w), {})).items).toMatchObject([{ id, runs: 5, costMicroUsd: detail.costMicroUsd }]);
		const { items } = await listRuns(ctxOf(w), { id, step: "train" });
		expect(items.map((run) => [run.name, run.values, run.job?.state])).toEqual([
			["train-1", { item: 10 }, "succeeded"],
			["train-2", { item: 100 }, "succeeded"],
			["train-3", { item: 1000 }, "succeeded"],
		]);
	});

	const KILLS: [ProbeStep, number][] = [
		...[1, 2, 3, 4].flatMap((pass): [ProbeStep, number][] => [
			["pipeline:deciding", pass],
			["pipeline:decided", pass],
		]),
		...(["home:intent_written", "home:handed_over", "home:exit_seen", "home:outputs_kept", "home:exit_written"] as const).map(
			(step): [ProbeStep, number] => [step, 2],
		),
	];
	it.each(KILLS)("creates each job once when the scheduler dies at %s, pass %i", async (step, pass) => {
		const w = await openReal();
		w.killAt = { step, pass };
		const { id } = await submitPipeline(ctxOf(w), { text: SUMS });
		const row = await finish(w, id);
		expect(w.deaths).toBe(1);
		expect(row.state).toBe("succeeded");
		expect(await sumOf(w)).toBe("2220");
		expect(await w.jobs()).toHaveLength(5);
		expect(await w.database.db.$count(pipelineJob)).toBe(5);
	});
});

describe("a pipeline", () => {
	it("is refused when a step can run only in a cloud that the budget cannot pay", async () => {
		const text = `${head}kind: Pipeline\nspec: { steps: [{ name: train, job: { command: ["true"] } }] }\n`;
		world = await World.open({ slots: 0, capUsd: 0.01, rules: [] });
		await expect(submitPipeline(ctxOf(world), { text })).rejects.toMatchObject({
			...{ code: "conflict", message: expect.stringMatching(/^The pipeline may spend up to \$[\d.]+, and budget .* has \$0\.01 left/) },
		});
	});

	const failing = (command: string) => `${head}kind: Pipeline
spec:
  steps:
    - { name: check, retry: 1, job: { command: [sh, -c, "${command}"] } }
    - { name: train, needs: [check], job: { command: ["true"] } }
    - { name: repair, needs: [check], when: 'needs.check.exit == 3', job: { command: ["true"] } }
`;

	it("retries a failed step, skips its dependents, follows its condition, and resumes", async () => {
		const w = await openReal();
		const flag = path.join(folder, "fixed");
		const { id } = await submitPipeline(ctxOf(w), { text: failing(`test -e ${flag} || exit 3`) });
		expect(await finish(w, id)).toMatchObject({ state: "failed", counts: { failed: 1, skipped: 1, succeeded: 1 } });
		expect((await runsOf(w, id)).map((r) => [r.name, r.state, r.tries, r.exitCode, r.why])).toEqual([
			["check", "failed", 2, 3, null],
			["train", "skipped", 0, null, "check failed"],
			["repair", "succeeded", 1, 0, null],
		]);
		await writeFile(flag, "");
		expect(await retryPipeline(ctxOf(w), id, {})).toMatchObject({ runs: 2 });
		expect(await finish(w, id)).toMatchObject({ state: "succeeded", counts: { succeeded: 3 } });
		await expect(retryPipeline(ctxOf(w), id, {})).rejects.toMatchObject({ code: "conflict" });
		// From a step on, all its dependents run again.
		expect(await retryPipeline(ctxOf(w), id, { from: "train" })).toMatchObject({ runs: 1 });
		expect(await finish(w, id)).toMatchObject({ state: "succeeded" });
		await expect(retryPipeline(ctxOf(w), id, { from: "trian" })).rejects.toMatchObject({ code: "invalid_input" });
	});

	it("lets conditions read the last metrics and the results of the needed runs", async () => {
		const w = await openReal();
		const text = `${head}kind: Pipeline
spec:
  steps:
    - name: train
      foreach: [1, 2]
      job:
        command: [sh, -c, "echo epoch 1 loss=9; echo epoch 2 loss=\${{ item }}; mkdir -p out; echo 12345 > out/model"]
        metrics: ["epoch {step} loss={loss}"]
        outputs: [{ name: model, path: out, kind: model }]
    - { name: low, needs: [train], when: "needs.train.min.loss == 1 && needs.train.max.loss == 2", job: { command: ["true"] } }
    - { name: high, needs: [train], when: "needs.train.max.loss > 2", job: { command: ["true"] } }
    - { name: written, needs: [train], when: "needs.train.results.model > 0", job: { command: ["true"] } }
    - { name: unknown, needs: [train], when: "needs.train.min.accuracy > 0", job: { command: ["true"] } }
`;
		const { id } = await submitPipeline(ctxOf(w), { text });
		expect(await finish(w, id)).toMatchObject({ state: "succeeded" });
		expect((await runsOf(w, id)).map((r) => [r.name, r.state, r.why])).toEqual([
			["train-1", "succeeded", null],
			["train-2", "succeeded", null],
			["low", "succeeded", null],
			["high", "skipped", "its condition does not hold"],
			["written", "succeeded", null],
			["unknown", "skipped", expect.stringMatching(/^its condition has no result: .*accuracy/)],
		]);
	});

	it("starts nothing more when cancelled, and its job is stopped", async () => {
		const w = await openReal();
		const { id } = await submitPipeline(ctxOf(w), { text: failing("sleep 600") });
		await w.until(async () => (await w.jobs()).some((j) => j.state === "running"), 500);
		expect(await cancelPipeline(ctxOf(w), id)).toEqual({ id, state: "cancelling" });
		expect(await finish(w, id)).toMatchObject({ state: "cancelled", counts: { cancelled: 3 } });
		expect((await w.jobs()).map((j) => j.state)).toEqual(["cancelled"]);
		await expect(cancelPipeline(ctxOf(w), id)).rejects.toMatchObject({ code: "conflict" });
	});

	it("runs a sweep with limited concurrency, as one row", async () => {
		const w = await openReal(4);
		const text = `${head}kind: Sweep
spec:
  parallel: 2
  grid: { rate: [1, 2, 3, 4, 5] }
  job: { command: [sh, -c, "sleep 0.2; test \${{ trial.rate }} -lt 9"] }
`;
		const { id } = await submitPipeline(ctxOf(w), { text });
		let [most, listed] = [0, 0];
		await w.until(async () => {
			most = Math.max(most, (await w.jobs()).filter((j) => j.finishedAt === null).length);
			listed = Math.max(listed, (await listJobs(ctxOf(w), { trials: "live" })).items.length);
			return (await stateOf(w, id)) !== "running";
		}, 2_000);
		expect([most, listed]).toEqual([2, 2]);
		expect((await listPipelines(ctxOf(w), {})).items).toMatchObject([{ kind: "Sweep", runs: 5, state: "succeeded" }]);
		expect((await listJobs(ctxOf(w), {})).items).toHaveLength(5);
		expect((await listJobs(ctxOf(w), { trials: "live" })).items).toEqual([]);
	});

	it("stops bad trials of a sweep by the metric that they print, and shows the best one", async () => {
		const w = await openReal(4);
		// Trials 1 to 3 end well with the same loss; 4 to 8 print a worse one at the same step and would sleep for ten minutes.
		const text = `${head}kind: Sweep
spec:
  parallel: 4
  grid: { rate: [1, 2, 3, 4, 5, 6, 7, 8] }
  stop: { metric: loss, goal: minimize }
  job:
    command: [sh, -c, "if [ \${{ trial.rate }} -le 3 ]; then echo epoch 1 loss=1; else echo epoch 1 loss=\${{ trial.rate }}; sleep 600; fi"]
    metrics: ["epoch {step} loss={loss}"]
`;
		const { id } = await submitPipeline(ctxOf(w), { text });
		expect(await finish(w, id, 4_000)).toMatchObject({ state: "succeeded", counts: { succeeded: 3, skipped: 5 } });
		const trials = await listTrials(ctxOf(w), { id });
		expect(trials).toMatchObject({ metric: "loss", goal: "minimize", metrics: ["loss"], best: 0 });
		expect(trials.items.map(({ best }) => best)).toEqual([1, 1, 1, 4, 5, 6, 7, 8]);
		expect(trials.items[7]?.why).toMatch(/^loss 8 at step 1 is worse than the median/);
		// A trial may end while it is being stopped.
		await w.database.db.update(pipelineRun).set({ stopWhy: "late" }).where(eq(pipelineRun.index, 0));
		expect((await listTrials(ctxOf(w), { id })).items[0]).toMatchObject({ state: "succeeded", why: null });
		const [series] = await listJobMetrics(ctxOf(w), trials.items[0]?.jobId ?? "");
		expect(series).toMatchObject({ key: "loss", count: 1, last: { step: 1, value: 1 } });
	});
});
