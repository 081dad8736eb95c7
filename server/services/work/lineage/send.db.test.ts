import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { specOf, World } from "#server/control-loop/testing/world.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { jobLineage } from "#server/db/schema/job-lineage.ts";
import { lineageFacetsSchema } from "#server/domain/lineage.ts";
import { artifactUri } from "#server/domain/output.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { openReceiver, type Receiver } from "#server/services/notification/delivery/testing/receivers.ts";
import { submitJob } from "../job/submit-one.ts";
import { type LineageReceiver, sendLineage } from "./send.ts";

interface Dataset {
	namespace: string;
	name: string;
}
interface Event {
	eventType: string;
	run: { runId: string; facets: Record<string, Record<string, unknown>> };
	job: Dataset;
	inputs: Dataset[];
	outputs: Dataset[];
}

const FOLDER = path.join(import.meta.dirname, "testing/openlineage");
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".json")))
	ajv.addSchema(JSON.parse(readFileSync(path.join(FOLDER, file), "utf8")));

let world: World;
let hook: Receiver;
beforeAll(async () => {
	[world, hook] = await Promise.all([World.open({ slots: 0, tickMs: 5_000 }), openReceiver()]);
});
afterAll(async () => {
	await hook.close();
	await world.database.drop();
});

const receiver = (more: Partial<LineageReceiver> = {}): LineageReceiver => ({
	...{ url: hook.url, apiKey: "key", namespace: "acme", publicUrl: "https://spillway.acme.test", timeoutMs: 2_000 },
	...{ allowance: parseAllowance(["127.0.0.1"]), ...more },
});
const events = (): Event[] => hook.received.map(({ body }) => JSON.parse(body));

/** Validates each event by OpenLineage's own schema, and each facet by the schema it names. */
function validate(event: Event): void {
	const of = (id: string) => ajv.getSchema(id) ?? ajv.compile({ $ref: id });
	const isRunEvent = of("https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent");
	expect(isRunEvent(event), JSON.stringify(isRunEvent.errors)).toBe(true);
	for (const [name, facet] of Object.entries({ ...event.run.facets, ...(event.job as { facets?: object }).facets })) {
		const url = String((facet as Record<string, unknown>)["_schemaURL"]);
		const own = lineageFacetsSchema.shape[name as keyof typeof lineageFacetsSchema.shape];
		if (own) expect(own.safeParse(facet).success, name).toBe(true);
		else expect(of(url)(facet), url).toBe(true);
	}
}

it("sends START and COMPLETE for a run with data, results, cost, CO2 and policy version, valid by OpenLineage's schemas", async () => {
	const { db } = world.database;
	const id = await submitJob(systemContext(db, world.clock, "seed"), specOf({ name: "train" }));
	expect(await sendLineage(world.ctx, receiver())).toBe(0);
	await world.until(async () => (await world.jobs())[0]?.state === "running");
	expect(await sendLineage(world.ctx, receiver())).toBe(1);
	expect(await sendLineage(world.ctx, receiver())).toBe(0);
	const [row] = await db.select().from(job);
	if (!row) throw new Error("no job");
	const data = [artifactUri("art_0"), "s3://acme/claims/2026", "sftp://ada@files.acme.test/x"].map((uri) => ({
		uri,
		sizeGiB: 1,
		mount: "/d",
		residency: [],
	}));
	await db.update(job).set({ spec: { ...row.spec, data } });
	await db.insert(artifact).values({
		...{ id: "art_1", jobId: id, attemptId: "att_1", team: row.team, name: "model", kind: "model", files: 1, bytes: 10n },
		...{ digest: "d".repeat(64), createdAt: new Date(world.clock.nowMs()) },
	});
	await world.until(() => world.quiet());
	await meterAll(world.ctx);
	hook.answers.push(500);
	await expect(sendLineage(world.ctx, receiver())).rejects.toThrow("answered 500");
	expect(await sendLineage(world.ctx, receiver())).toBe(1);
	expect(await sendLineage(world.ctx, receiver())).toBe(0);
	const sent = events();
	for (const event of sent) validate(event);
	expect(sent.map(({ eventType }) => eventType)).toEqual(["START", "COMPLETE", "COMPLETE"]);
	expect(new Set(sent.map(({ run }) => run.runId)).size).toBe(1);
	expect(hook.received[0]?.headers["authorization"]).toBe("Bearer key");
	const [done] = await db.select().from(job);
	const [{ run, inputs, outputs, job: named }] = sent.slice(-1) as [Event];
	expect(named).toMatchObject({ namespace: "acme", name: `${row.team}.train` });
	expect(inputs).toEqual([
		{ namespace: "acme", name: "artifacts/art_0" },
		{ namespace: "s3://acme", name: "claims/2026" },
		{ namespace: "sftp://files.acme.test", name: "x" },
	]);
	expect(outputs).toMatchObject([{ namespace: "acme", name: "artifacts/art_1" }]);
	expect(done?.costMicroUsd).toBeGreaterThan(0n);
	expect(run.facets).toMatchObject({
		spillway_cost: { microUsd: done?.costMicroUsd.toString(), isComplete: true },
		spillway_carbon: { emissionsGrams: Number(done?.emissionsMilligrams) / 1_000 },
		spillway_policy: { name: expect.any(String), version: expect.any(Number) },
		spillway_placement: { provider: "aws", capacityType: "on_demand" },
		spillway_job: { id, attempts: 1 },
	});
	world.clock.advance(3 * DAY_MS);
	await sendLineage(world.ctx, receiver());
	expect(await db.$count(jobLineage)).toBe(0);
	expect(events()).toHaveLength(3);
});

it("sends FAIL with its reason for a failed run and ABORT for a cancelled one, and requires a receiver inside the network to be allowed", async () => {
	const { db } = world.database;
	const at = new Date(world.clock.nowMs());
	const [row] = await db.select().from(job);
	if (!row) throw new Error("no job");
	const ended = { startedAt: at, finishedAt: at, submittedAt: at };
	await db.insert(job).values([
		{ ...row, ...ended, id: "job_failed", state: "failed", reason: { code: "exit_nonzero", facts: { exitCode: 3 } } },
		{ ...row, ...ended, id: "job_cancelled", state: "cancelled" },
	]);
	await expect(sendLineage(world.ctx, receiver({ allowance: parseAllowance([]) }))).rejects.toThrow("not a public address");
	const before = events().length;
	world.clock.advance(HOUR_MS + 1);
	expect(await sendLineage(world.ctx, receiver())).toBe(4);
	const sent = events().slice(before);
	for (const event of sent) validate(event);
	const typeOf = (id: string) => sent.filter(({ run }) => run.facets["spillway_job"]?.["id"] === id).map(({ eventType }) => eventType);
	expect([typeOf("job_failed"), typeOf("job_cancelled")]).toEqual([
		["START", "FAIL"],
		["START", "ABORT"],
	]);
	expect(sent.find(({ eventType }) => eventType === "FAIL")?.run.facets["errorMessage"]).toMatchObject({
		message: expect.stringContaining("3"),
	});
	await db.delete(jobLineage).where(eq(jobLineage.jobId, "job_failed"));
});
