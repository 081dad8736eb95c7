import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { job } from "#server/db/schema/job.ts";
import { mlflowForward } from "#server/db/schema/mlflow-forward.ts";
import { metricPoint, trackingExperiment, trackingRun, trackingValue } from "#server/db/schema/tracking.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { recordPoints } from "../metric/record.ts";
import type { MlflowServer } from "./client.ts";
import { forwardRuns } from "./forward.ts";
import { listForwardedRuns } from "./list.ts";
import { type MlflowReceiver, openMlflow } from "./testing/mlflow-receiver.ts";

let world: World;
let mlflow: MlflowReceiver;
let template: typeof job.$inferSelect;
let made = 0;
beforeAll(async () => {
	world = await World.open({ slots: 4 });
	await world.submit({ name: "train" });
	const [row] = await world.jobs();
	if (!row) throw new Error("no job");
	template = row;
});
beforeEach(async () => {
	// No run of an earlier test is due.
	for (const table of [mlflowForward, metricPoint, trackingRun]) await world.database.db.delete(table);
	mlflow = await openMlflow();
	return () => mlflow.close();
});
afterAll(() => world.database.drop());

const server = (more: Partial<MlflowServer> = {}): MlflowServer => ({
	...{ url: `${mlflow.url}/`, authorization: "Bearer token", allowance: parseAllowance(["127.0.0.1"]), ...more },
});
const forward = (more: Partial<MlflowServer> = {}): Promise<number> => forwardRuns(world.ctx, server(more));
const rowOf = async (runId: string) => (await world.database.db.select().from(mlflowForward).where(eq(mlflowForward.runId, runId)))[0];

/** A job that ended two hours ago. Its rows are the ones that a charged job has. */
async function endedJob(more: Partial<typeof job.$inferInsert> = {}): Promise<string> {
	const id = `job_${++made}`;
	const at = new Date(world.clock.nowMs() - 2 * HOUR_MS);
	await world.database.db.insert(job).values({
		...{ ...template, id, startedAt: at, finishedAt: at, submittedAt: at, state: "succeeded" as const, costMicroUsd: 1_250_000n },
		...{ emissionsMilligrams: 4_500n, ...more },
	});
	return id;
}

const record = (runId: string, count: number, values: readonly number[] = []): Promise<unknown> =>
	world.database.db.transaction((tx) =>
		recordPoints(
			tx,
			Array.from({ length: count }, (_, step) => ({ runId, key: "loss", step, atMs: 1_000 + step, value: values[step] ?? step / 2 })),
		),
	);

it("forwards parameters, metrics and tags with cost, CO2 and place, once, in the shapes of MLflow's API", async () => {
	const { db } = world.database;
	const placement = {
		...{ siteId: "aws", provider: "aws" as const, region: "us-east-1", zone: null, capacityType: "spot" as const },
		...{ instanceType: "p4d.24xlarge", poolId: null, accelerator: null },
	};
	const jobId = await endedJob({ placement });
	const [experiment] = await db
		.insert(trackingExperiment)
		.values({ team: template.team, name: "fraud", createdAt: new Date(world.clock.nowMs()) })
		.returning();
	await db.insert(trackingRun).values({
		...{ id: "run_1", experimentId: experiment?.id ?? 0, team: template.team, jobId, name: "first", userName: "ann", startMs: 5_000 },
	});
	const values = [
		...Array.from({ length: 150 }, (_, i) => ({ kind: "param" as const, key: `p${i}`, value: String(i) })),
		{ kind: "tag" as const, key: "note", value: "warm" },
	];
	await db.insert(trackingValue).values(values.map((one) => ({ ...one, runId: "run_1" })));
	await record("run_1", 2_500, [Number.NaN, Number.POSITIVE_INFINITY]);
	await record(jobId, 2);
	expect(await forward()).toBe(2);
	expect([...mlflow.experiments.keys()]).toEqual([`${template.team}/jobs`, `${template.team}/fraud`]);
	const runs = new Map([...mlflow.runs.values()].map((run) => [run.tags.get("spillway.run_id"), run]));
	const [logged, own] = [runs.get("run_1"), runs.get(jobId)];
	expect(logged).toMatchObject({ name: "first", startMs: 5_000, status: "FINISHED" });
	expect([logged?.params.size, logged?.metrics.length, logged?.tags.get("note")]).toEqual([150, 2_500, "warm"]);
	expect(logged?.metrics.slice(0, 3).map(({ value }) => value)).toEqual(["NaN", "Infinity", 1]);
	expect(own?.metrics).toEqual([
		{ key: "loss", value: 0, timestamp: 1_000, step: 0 },
		{ key: "loss", value: 0.5, timestamp: 1_001, step: 1 },
	]);
	expect(Object.fromEntries(own?.tags ?? [])).toMatchObject({
		...{ "spillway.job_id": jobId, "spillway.cost_usd": "1.250000", "spillway.emissions_grams": "4.5" },
		...{ "spillway.place": "aws:us-east-1", "spillway.instance_type": "p4d.24xlarge", "spillway.capacity_type": "spot" },
	});
	expect(new Set(mlflow.requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer token"]));
	const requests = mlflow.requests.length;
	expect([await forward(), mlflow.requests.length]).toEqual([0, requests]);
});

it("continues where it stopped, and creates one run when an answer is lost", async () => {
	const jobId = await endedJob({ state: "failed" });
	await record(jobId, 3_000);
	// get-by-name, create, search, and the run's creation without an answer.
	mlflow.answers.push("ok", "ok", "ok", "lost");
	await expect(forwardRuns(world.ctx, server())).rejects.toThrow("Could not reach MLflow");
	expect(await rowOf(jobId)).toMatchObject({ failures: 1, remoteRunId: null, error: expect.stringContaining("Could not reach MLflow") });
	expect(await forward()).toBe(0);
	world.clock.advance(MINUTE_MS);
	expect(await forward()).toBe(1);
	expect(mlflow.runs.size).toBe(1);
	const [run] = mlflow.runs.values();
	expect([run?.metrics.length, run?.status]).toEqual([3_000, "FAILED"]);
	expect(await listForwardedRuns(systemContext(world.database.db, world.clock), jobId)).toMatchObject([
		{ runId: jobId, remoteRunId: "remote1", state: "forwarded", error: null },
	]);
	expect(await rowOf(jobId)).toMatchObject({ points: 3_000, failures: 0, error: null, sentAt: expect.any(Date) });
});

it("repeats only the batch with a lost answer, and MLflow keeps each point once", async () => {
	const jobId = await endedJob();
	await record(jobId, 2_500);
	// Experiment, its creation, search, run, tags, and the second of three batches.
	mlflow.answers.push(...Array.from({ length: 6 }, () => "ok" as const), "lost");
	await expect(forward()).rejects.toThrow("Could not reach MLflow");
	expect(await rowOf(jobId)).toMatchObject({ points: 1_000, remoteRunId: "remote1" });
	expect(await listForwardedRuns(systemContext(world.database.db, world.clock), jobId)).toMatchObject([
		{ state: "failed", error: expect.stringContaining("Could not reach MLflow"), retryAt: expect.any(String) },
	]);
	world.clock.advance(MINUTE_MS);
	expect(await forward()).toBe(1);
	expect([...mlflow.runs.values()].map(({ metrics }) => metrics.length)).toEqual([2_500]);
});

it("waits longer after each failure, keeps what the server answered to itself, and stops after a week", async () => {
	const jobId = await endedJob();
	await record(jobId, 1);
	const pauses: number[] = [];
	for (const _ of [1, 2, 3]) {
		mlflow.answers.push(503);
		await expect(forward()).rejects.toThrow("MLflow answered 503.");
		const retryAt = (await rowOf(jobId))?.retryAt?.getTime() ?? 0;
		pauses.push(retryAt - world.clock.nowMs());
		world.clock.advance(retryAt - world.clock.nowMs());
	}
	expect(pauses).toEqual([10_000, 20_000, 40_000]);
	world.clock.advance(8 * DAY_MS);
	const requests = mlflow.requests.length;
	expect([await forward(), mlflow.requests.length]).toEqual([0, requests]);
});

it("forwards other runs when MLflow refuses one, and shows only the code of its error", async () => {
	const refused = await endedJob();
	const accepted = await endedJob();
	await record(refused, 1);
	await record(accepted, 1);
	await world.database.db.insert(mlflowForward).values({
		...{ runId: refused, jobId: refused, remoteRunId: "deleted", changedAt: new Date(world.clock.nowMs()) },
	});
	await expect(forward()).rejects.toThrow("MLflow answered 404 (RESOURCE_DOES_NOT_EXIST).");
	expect((await rowOf(accepted))?.sentAt).not.toBeNull();
	expect((await rowOf(refused))?.error).toBe("MLflow answered 404 (RESOURCE_DOES_NOT_EXIST).");
});

it("connects to internal hosts only if they are allowed, and leaves running jobs alone", async () => {
	await endedJob({ state: "running", finishedAt: null });
	const jobId = await endedJob();
	await record(jobId, 1);
	await expect(forward({ allowance: parseAllowance([]) })).rejects.toThrow("Could not reach MLflow");
	expect(mlflow.requests).toEqual([]);
	world.clock.advance(MINUTE_MS);
	expect(await forward()).toBe(1);
});
