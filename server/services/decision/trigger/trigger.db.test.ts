import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { site } from "#server/db/schema/site.ts";
import { triggerFiring } from "#server/db/schema/trigger.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { createTrigger } from "#server/services/work/trigger/create.ts";
import { deleteTrigger, listTriggers, setTriggerEnabled } from "#server/services/work/trigger/manage.ts";
import { checkTriggers } from "./check.ts";
import type { FoundObject } from "./check-location.ts";
import { receiveEvent } from "./receive.ts";

let world: World;
let objects: FoundObject[];
let ctx: Parameters<typeof receiveEvent>[0];

beforeEach(async () => {
	world = await World.open({ slots: 1, rules: [] });
	objects = [];
	ctx = {
		...systemContext(world.database.db, world.clock, "seed"),
		...{ timing: timingSchema.parse(world.ctx.timing), secret: "0123456789abcdef0123456789abcdef" },
	};
});
afterEach(() => world.database.drop());

const file = (source: string, more = "") => `apiVersion: spillway/v1
kind: Trigger
metadata: { name: nightly, team: research }
spec:
  ${source}
  parameters: { when: "\${{ firing.time }}" }
  pipeline:
    apiVersion: spillway/v1
    kind: Pipeline
    metadata: { name: retrain, team: research }
    spec:
      parameters: { when: { type: text } }
      ${more}steps: [{ name: train, job: { command: [echo, "\${{ parameters.when }}"] } }]
`;
const create = (source: string, more?: string) => createTrigger(ctx, { text: file(source, more) });
const check = () => checkTriggers(ctx, async () => objects);
const pipelines = () => world.database.db.select().from(pipeline);
const firings = () => world.database.db.select().from(triggerFiring);
const object = (name: string, bytes = 10, changedAtMs = 0): FoundObject => ({ path: name, bytes, changedAtMs });

/** An ended pipeline with the name "source". */
const anEnd = (id: string, at: Date): typeof pipeline.$inferInsert => ({
	...{ id, name: "source", team: "research", kind: "Pipeline", state: "succeeded", submittedAt: at, finishedAt: at },
	...{ labels: {}, parameters: {}, graph: [], quote: null, runs: 1, submittedBy: "x" },
	counts: { waiting: 0, submitted: 0, succeeded: 1, failed: 0, skipped: 0, cancelled: 0 },
});

describe("a schedule", () => {
	it("fires at its time once, shows the next time, and catches up on missed times once", async () => {
		const { nextAt } = await create("cron: { schedule: '0 * * * *' }");
		expect(nextAt).toMatch(/:00:00\.000Z$/);
		expect(await check()).toBe(0);
		const at = Date.parse(nextAt ?? "");
		world.clock.advance(at - world.clock.nowMs());
		expect([await check(), await check()]).toEqual([1, 0]);
		world.clock.advance(5 * HOUR_MS + 10 * MINUTE_MS);
		expect([await check(), await check()]).toEqual([1, 0]);
		const [first, second] = (await firings()).toSorted((a, b) => a.key.localeCompare(b.key));
		expect(first?.key).toBe(nextAt);
		expect(second?.saw).toMatchObject({ missed: 4, time: new Date(at + 5 * HOUR_MS).toISOString() });
		const rows = await pipelines();
		expect(rows.map(({ parameters }) => parameters["when"])).toContain(nextAt);
		const [view] = await listTriggers(ctx, {});
		expect(view).toMatchObject({ nextAt: new Date(at + 6 * HOUR_MS).toISOString(), firings: [{ pipelineState: "running" }, {}] });
	});

	it("does nothing while disabled, and stays deleted", async () => {
		const { id } = await create("cron: { schedule: '* * * * *' }");
		await setTriggerEnabled(ctx, id, { enabled: false });
		world.clock.advance(HOUR_MS);
		expect(await check()).toBe(0);
		await setTriggerEnabled(ctx, id, {});
		expect(await check()).toBe(0);
		await deleteTrigger(ctx, id);
		world.clock.advance(HOUR_MS);
		expect([await check(), await listTriggers(ctx, {})]).toEqual([0, []]);
		await expect(deleteTrigger(ctx, id)).rejects.toMatchObject({ code: "not_found" });
	});
});

describe("data", () => {
	it("fires once for a complete drop: not before changes have stopped, and not again until new objects arrive", async () => {
		await create("data: { uri: 's3://acme/in', files: 2, quiet: 1m, every: 10s }");
		const step = async (ms: number): Promise<number> => {
			world.clock.advance(ms);
			return check();
		};
		expect(await step(0)).toBe(0);
		objects = [object("a")];
		expect(await step(10 * SECOND_MS)).toBe(0);
		expect((await listTriggers(ctx, {}))[0]?.status).toBe("Waiting for more: 1 of 2 objects.");
		objects = [object("a"), object("b")];
		expect(await step(50 * SECOND_MS)).toBe(0);
		expect((await listTriggers(ctx, {}))[0]?.status).toContain("Waiting until nothing changes");
		// A file that is still growing keeps the trigger waiting.
		objects = [object("a"), object("b", 20)];
		expect(await step(50 * SECOND_MS)).toBe(0);
		expect(await step(MINUTE_MS)).toBe(1);
		expect((await firings())[0]?.saw).toMatchObject({ files: 2, bytes: 30, objects: ["a", "b"], uri: "s3://acme/in" });
		expect(await step(10 * MINUTE_MS)).toBe(0);
		objects = [object("a"), object("b", 21), object("c")];
		expect(await step(10 * MINUTE_MS)).toBe(0);
		expect(await step(10 * MINUTE_MS)).toBe(1);
		expect((await firings()).map(({ saw }) => saw.objects).sort()).toEqual([
			["a", "b"],
			["b", "c"],
		]);
		expect(await pipelines()).toHaveLength(2);
	});

	it("does not use objects again when the trigger changes, and starts again at another location", async () => {
		const { id } = await create("data: { uri: 's3://acme/in', files: 1, quiet: 1m, every: 10s }");
		objects = [object("a")];
		const settled = async (): Promise<number> => {
			world.clock.advance(MINUTE_MS);
			await check();
			world.clock.advance(2 * MINUTE_MS);
			return check();
		};
		expect(await settled()).toBe(1);
		await setTriggerEnabled(ctx, id, { enabled: false });
		expect(await create("data: { uri: 's3://acme/in', files: 1, quiet: 30s, every: 20s }")).toMatchObject({ id });
		expect(await listTriggers(ctx, {})).toMatchObject([{ id, enabled: false, source: { quietMs: 30 * SECOND_MS }, firings: [{}] }]);
		await setTriggerEnabled(ctx, id, { enabled: true });
		expect(await settled()).toBe(0);
		objects = [object("a"), object("b")];
		expect(await settled()).toBe(1);
		await create("data: { uri: 's3://acme/other', files: 1, quiet: 1m, existing: false }");
		expect(await settled()).toBe(0);
		await create("data: { uri: 's3://acme/third', files: 1, quiet: 1m }");
		expect(await settled()).toBe(1);
		expect((await firings()).map(({ saw }) => saw.objects).sort()).toEqual([["a"], ["a", "b"], ["b"]]);
	});

	it("reports a location that cannot be listed, and lists host folders only with a local site", async () => {
		await create("data: { uri: 's3://acme/in', files: 1 }");
		await checkTriggers(ctx, () => Promise.reject(new Error("access denied")));
		expect((await listTriggers(ctx, {}))[0]).toMatchObject({ failed: true, status: "The check failed: access denied" });
		await world.database.db.update(site).set({ provider: "slurm" });
		await expect(create("data: { uri: 'file:/tmp', files: 1 }")).rejects.toMatchObject({ code: "invalid_input" });
	});
});

describe("events and pipelines", () => {
	const sign = (key: string, body: string, atMs: number): string => {
		const t = Math.floor(atMs / 1_000);
		return `t=${t},v1=${createHmac("sha256", key).update(`${t}.${body}`).digest("hex")}`;
	};

	it("fires once for a signed event, and rejects other signatures", async () => {
		const { id, secret } = await create("webhook: { types: [data.ready] }");
		const body = JSON.stringify({ specversion: "1.0", id: "7", source: "/sales", type: "data.ready" });
		const send = (text = body, key = secret ?? "") =>
			receiveEvent(ctx, { triggerId: id, body: text, signature: sign(key, text, world.clock.nowMs()) });
		expect(await send()).toEqual({ fired: true, why: null });
		expect(await send()).toMatchObject({ fired: false });
		expect(await send(body.replace("data.ready", "other"))).toMatchObject({ fired: false });
		await expect(send(body, "wrong")).rejects.toMatchObject({ code: "unauthenticated" });
		await expect(send("{}")).rejects.toMatchObject({ code: "invalid_input" });
		const old = sign(secret ?? "", body, world.clock.nowMs() - HOUR_MS);
		await expect(receiveEvent(ctx, { triggerId: id, body, signature: old })).rejects.toMatchObject({ code: "unauthenticated" });
		expect(await pipelines()).toHaveLength(1);
	});

	it("keeps the address and the key of a webhook when its pipeline changes, and no event fires twice", async () => {
		const { id, secret } = await create("webhook: {}");
		const body = JSON.stringify({ specversion: "1.0", id: "7", source: "/sales", type: "data.ready" });
		const send = () => receiveEvent(ctx, { triggerId: id, body, signature: sign(secret ?? "", body, world.clock.nowMs()) });
		expect(await send()).toMatchObject({ fired: true });
		expect(await create("webhook: { types: [data.ready] }", "parallel: 2\n      ")).toMatchObject({ id, secret: null });
		expect(await send()).toMatchObject({ fired: false });
		expect(await createTrigger(ctx, { text: file("webhook: {}") }, "k".repeat(32))).toMatchObject({ id, secret: "k".repeat(32) });
		await expect(send()).rejects.toMatchObject({ code: "unauthenticated" });
	});

	it("ignores ends before the trigger watched the pipeline", async () => {
		await create("after: { pipeline: other }");
		const at = new Date(world.clock.nowMs() + 1_000);
		await world.database.db.insert(pipeline).values(anEnd("pipe_1", at));
		world.clock.advance(3_000);
		await create("after: { pipeline: source }");
		world.clock.advance(3_000);
		expect(await check()).toBe(0);
		await world.database.db.insert(pipeline).values(anEnd("pipe_2", new Date(world.clock.nowMs())));
		await create("after: { pipeline: source }", "parallel: 2\n      ");
		world.clock.advance(3_000);
		expect(await check()).toBe(1);
	});

	it("fires once after each end of the pipeline, and records why a pipeline was rejected", async () => {
		await create("after: { pipeline: source }", "budgetUsd: 5\n      ");
		await world.database.db.insert(pipeline).values(anEnd("pipe_1", new Date(world.clock.nowMs() + 1_000)));
		world.clock.advance(3_000);
		expect(await check()).toBe(1);
		world.clock.advance(3_000);
		expect(await check()).toBe(0);
		expect((await firings())[0]).toMatchObject({ saw: { pipeline: { id: "pipe_1", state: "succeeded" } }, error: null });
	});

	it.each([
		["cron: { schedule: 'x' }", "spec.cron.schedule"],
		["cron: { schedule: '0 0 * * *', zone: Mars }", "spec.cron.zone"],
		["data: { uri: 's3://a/b' }", "spec.data.files"],
		["data: { uri: 'file:./drop', files: 1 }", "spec.data.uri"],
		["webhook: {}\n  after: { pipeline: a }", "spec"],
		["color: red", "spec.color"],
	])("rejects %s with a line", async (source, path) => {
		await expect(create(source)).rejects.toMatchObject({
			code: "invalid_input",
			fields: expect.arrayContaining([expect.objectContaining({ path, line: expect.any(Number) })]),
		});
	});
});
