import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { decision } from "#server/db/schema/decision.ts";
import { decisionPart } from "#server/db/schema/decision-part.ts";
import { job } from "#server/db/schema/job.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import { systemContext } from "#server/services/core/context.ts";
import { readInput } from "#server/services/decision/explain/read-input.ts";
import { newInputMemory, recordInput } from "#server/services/decision/explain/record-input.ts";
import { replayDecision } from "#server/services/decision/explain/replay.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { World } from "./testing/world.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function open(): Promise<World> {
	const observed = { priceObservedAtMs: Date.UTC(2026, 10, 2, 8) };
	const offers = [fakeOffer(observed), fakeOffer({ ...observed, instanceType: "g5.2xlarge", microUsdPerHour: 900_000n })];
	const world = await World.open({ slots: 2, cloud: { offers }, runMs: 20_000, hasQueue: true });
	opened.push(world);
	return world;
}

/** Home, cloud and waiting, through to the end of all jobs. */
async function lived(w: World): Promise<{ id: string; jobId: string; attemptNumber: number | null }[]> {
	w.cluster.theirs.submit({ gpus: 1, runMs: 20_000 });
	w.cluster.theirs.submit({ gpus: 2, runMs: 20_000 });
	for (let i = 0; i < 2; i++) await w.tick();
	expect((await loadSnapshot(w.ctx, new SnapshotCache())).snapshot.foreign).toMatchObject([
		{ id: "home/1", poolId: "home", slots: [0], limitMs: 20_000 },
		{ id: "home/2", startedAtMs: null, gpusPerNode: 2 },
	]);
	await w.submit({ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" });
	for (let i = 0; i < 10; i++) await w.tick();
	await w.submit({ name: "late", gpus: 2 });
	await w.until(() => w.quiet());
	return w.database.db.select({ id: decision.id, jobId: decision.jobId, attemptNumber: decision.attemptNumber }).from(decision);
}

/** One job, placed. */
async function placed(w: World): Promise<{ id: string; jobId: string } | undefined> {
	await w.submit({ name: "a" });
	await w.tick();
	return (await w.database.db.select({ id: decision.id, jobId: decision.jobId }).from(decision))[0];
}

const contextOf = (w: World) => systemContext(w.database.db, w.clock, "seed");

describe("a recorded decision, decided again", () => {
	it("gives the same bytes, in a new process and after new versions of the policy", async () => {
		const w = await open();
		const made = await lived(w);
		expect(made.length).toBeGreaterThanOrEqual(5);
		const before = await replayDecision(contextOf(w), made[0]?.jobId ?? "");
		// Everything a decision reads has changed since: the policy, the prices and the clock, and the process's cache is not used.
		await publishPolicy(contextOf(w), {
			name: "default",
			message: "no one leaves any more",
			source:
				"apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n  rules:\n    - { id: stay, deny: { sites: [cloud] } }\n  budgets: []\n  weights: { delayUsdPerHour: 1, carbonUsdPerTonne: 0 }\n",
		});
		await w.database.db.execute(sql`update offer set micro_usd_per_hour = micro_usd_per_hour * 3`);
		w.clock.advance(90 * MINUTE_MS);
		await w.submit({ name: "new" });
		await w.tick();
		for (const { id, jobId } of made) {
			const replayed = await replayDecision(contextOf(w), jobId, id);
			expect(replayed.difference).toBeNull();
			expect(replayed).toMatchObject({ decisionId: id, same: true, recorded: replayed.replayed, policy: { version: 1 } });
		}
		expect(await replayDecision(contextOf(w), made[0]?.jobId ?? "")).toEqual(before);
		const [newest] = await w.database.db.select().from(job).where(eq(job.name, "new"));
		expect(await replayDecision(contextOf(w), newest?.id ?? "")).toMatchObject({ same: true, policy: { version: 2 } });
	});

	it("reports the first difference when the record does not match the decision", async () => {
		const w = await open();
		const first = await placed(w);
		const { db } = w.database;
		const parts = await db.$count(decisionPart);
		await w.tick();
		// It made no decision, so nothing is recorded.
		expect([parts > 0, await db.$count(decisionPart)]).toEqual([true, parts]);
		await db.execute(sql`alter table decision disable trigger decision_insert_only`);
		await db.execute(sql`update decision set explanation = jsonb_set(explanation, '{consideredCount}', '99') where id = ${first?.id}`);
		const replayed = await replayDecision(contextOf(w), first?.jobId ?? "", first?.id);
		expect(replayed.same).toBe(false);
		expect(replayed.difference).toEqual({ path: "consideredCount", recorded: "99", replayed: "3" });
	});

	it("explains why it cannot be replayed when its inputs were not kept, no longer exist, or were changed", async () => {
		const w = await open();
		const first = await placed(w);
		const { db } = w.database;
		const again = () => replayDecision(contextOf(w), first?.jobId ?? "", first?.id);
		await expect(replayDecision(contextOf(w), first?.jobId ?? "", "dec_none")).rejects.toThrow("has no decision dec_none");
		const parts = await db.select().from(decisionPart);
		await db.execute(sql`update decision_part set body = (select body from decision_part where hash = ${parts[0]?.hash})`);
		await expect(again()).rejects.toThrow("is not what was written");
		await db.delete(decisionPart);
		await expect(again()).rejects.toThrow("not on record any more");
		await db.execute(sql`alter table decision disable trigger decision_insert_only`);
		await db.execute(sql`update decision set input_hash = null`);
		await expect(again()).rejects.toThrow("before Spillway recorded");
	});

	it("is restored with all forecasts, data and other schedulers' jobs; another cycle writes none of them again", async () => {
		const w = await open();
		await w.submit({ name: "a" });
		const { db } = w.database;
		const loaded = (await loadSnapshot(w.ctx, new SnapshotCache())).snapshot;
		const hours = Array.from({ length: 48 }, (_, hour) => 200 + hour / 7);
		const regions = Array.from({ length: 90 }, (_, i) => `aws:region-${i}`);
		const by = { source: "recorded", published: null, pattern: { days: 28, untilMs: loaded.nowMs } };
		const foreignJob = { poolId: loaded.pools[0]?.id ?? "", nodes: 1, gpusPerNode: 1, startedAtMs: null, slots: [], limitMs: MINUTE_MS };
		const expected: Snapshot = {
			...loaded,
			// Parts are ordered by their keys.
			offers: loaded.offers.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
			gridForecast: new Map(regions.map((region) => [region, hours])),
			priceForecast: new Map(loaded.offers.map(({ id }) => [id, hours])),
			foretoldBy: new Map(regions.map((region) => [region, by])),
			data: { replicas: new Map([["s3://acme/claims", ["aws:region-1"]]]), inboundMiBPerS: new Map(), outGiB: 2 },
			foreign: Array.from({ length: 300 }, (_, position) => ({ ...foreignJob, id: `${1000 + position}`, position })),
		};
		const memory = newInputMemory();
		const hash = await recordInput(db, expected, memory);
		expect(await readInput(db, hash, async () => expected.policy)).toEqual(expected);
		const before = await db.$count(decisionPart);
		const later = await recordInput(db, { ...expected, nowMs: expected.nowMs + 1 }, memory);
		expect(await db.$count(decisionPart)).toBe(before + 1);
		const [root] = await db.select().from(decisionPart).where(eq(decisionPart.hash, later));
		const [plain] = await db
			.select()
			.from(decisionPart)
			.where(eq(decisionPart.hash, await recordInput(db, loaded, memory)));
		// The root names six or seven more parts, and contains none of them.
		expect((root?.body.length ?? Number.POSITIVE_INFINITY) - (plain?.body.length ?? 0)).toBeLessThan(600);
	});

	it("shares unchanged parts: a cycle writes only new ones, and parts unused for long are deleted", async () => {
		const w = await open();
		await w.submit({ name: "a" }, { name: "b" });
		const { db } = w.database;
		const count = async () => (await db.select({ hash: decisionPart.hash }).from(decisionPart)).length;
		const cache = new SnapshotCache();
		const memory = newInputMemory();
		const first = await recordInput(db, (await loadSnapshot(w.ctx, cache)).snapshot, memory);
		const whole = await count();
		expect(whole).toBeGreaterThanOrEqual(5);
		w.clock.advance(1_000);
		const second = await recordInput(db, (await loadSnapshot(w.ctx, cache)).snapshot, memory);
		expect(second).not.toBe(first);
		// Only the time differs, so only the root is new, whichever process writes it.
		expect(await count()).toBe(whole + 1);
		expect(await recordInput(db, (await loadSnapshot(w.ctx, new SnapshotCache())).snapshot, newInputMemory())).toBe(second);
		expect(await count()).toBe(whole + 1);
		w.clock.advance(100 * 24 * 60 * MINUTE_MS);
		const last = await recordInput(db, (await loadSnapshot(w.ctx, cache)).snapshot, memory);
		const hashes = (await db.select({ hash: decisionPart.hash }).from(decisionPart)).map(({ hash }) => hash);
		expect(hashes).toContain(last);
		expect(hashes).not.toContain(first);
	});
});
