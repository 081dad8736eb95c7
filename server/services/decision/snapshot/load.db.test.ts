import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { job } from "#server/db/schema/job.ts";
import { offer } from "#server/db/schema/offer.ts";
import { setting } from "#server/db/schema/setting.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { loadSnapshot, SnapshotCache } from "./load.ts";

let world: World | null = null;
afterEach(() => world?.database.drop());

const byId = <T extends { jobId: string }>(list: readonly T[]): T[] => list.toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1));

it("a snapshot is dated after every fact in it, however long loading history took", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	const db = new Proxy(w.ctx.db, {
		get(target, key) {
			if (key !== "transaction") return Reflect.get(target, key);
			return async (...args: Parameters<typeof target.transaction>) => {
				w.clock.advance(5_000);
				await w.submit({ name: "late" });
				return target.transaction(...args);
			};
		},
	});
	const { snapshot } = await loadSnapshot({ ...w.ctx, db }, new SnapshotCache());
	expect(snapshot.pending).toHaveLength(1);
	expect(snapshot.nowMs).toBe(w.clock.nowMs());
	expect(snapshot.noSites).toBeUndefined();
	expect(snapshot).not.toHaveProperty("mounts");
	const mounts = ["imagenet", "scratch"].map((name) => ({ name, type: "local", source: `/data/${name}` }));
	await w.ctx.db.update(site).set({ settings: { mounts } }).where(eq(site.provider, "local"));
	const [home] = await w.ctx.db.select({ id: site.id }).from(site).where(eq(site.provider, "local"));
	expect((await loadSnapshot(w.ctx, new SnapshotCache())).snapshot.mounts).toEqual(new Map([[home?.id, ["imagenet", "scratch"]]]));
	await w.ctx.db.update(site).set({ enabled: false });
	expect((await loadSnapshot(w.ctx, new SnapshotCache())).snapshot).toMatchObject({ pools: [], offers: [], noSites: true });
});

describe("a snapshot read with a previous one's cache", () => {
	it("equals a fresh read, whatever changed", async () => {
		const w = await World.open({ slots: 1, rules: ["{ id: ask, when: quote.costUsd > 500.0, require: { approval: platform } }"] });
		world = w;
		const { db } = w.database;
		const cache = new SnapshotCache();
		const same = async () => {
			// Both cache history for a minute.
			const fresh = new SnapshotCache();
			fresh.history = cache.history;
			const { snapshot: kept } = await loadSnapshot(w.ctx, cache);
			const { snapshot: anew } = await loadSnapshot(w.ctx, fresh);
			expect({ ...kept, pending: byId(kept.pending), offers: kept.offers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }).toEqual({
				...{ ...anew, pending: byId(anew.pending), offers: anew.offers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
				durations: kept.durations,
			});
			return kept;
		};
		const jobs = await w.submit(...["a", "b", "c", "d"].map((name) => ({ name, estimate: "1h", max: "2h" })), {
			name: "saves",
			checkpointEvery: "1m",
		});
		const [first = "", second = "", third = ""] = jobs;
		const before = await same();
		const again = await same();
		expect(again.offers).toEqual(before.offers);
		expect(byId(again.pending).map((p, i) => p === byId(before.pending)[i])).toEqual([true, true, true, true, true]);

		await db
			.update(job)
			.set({ approvedMicroUsd: 5_000_000n, pendingSince: new Date(w.clock.nowMs() + 1) })
			.where(eq(job.id, first));
		expect((await same()).pending.find((p) => p.jobId === first)?.approvedMicroUsd).toBe(5_000_000n);
		await db.update(job).set({ completedMs: 60_000n, state: "held" }).where(eq(job.id, second));
		expect((await same()).pending.find((p) => p.jobId === second)).toMatchObject({ completedMs: 60_000, state: "held" });
		await db
			.update(job)
			.set({ state: "cancelled", finishedAt: new Date(w.clock.nowMs()) })
			.where(eq(job.id, third));
		expect((await same()).pending).toHaveLength(4);

		await db.update(offer).set({ microUsdPerHour: 7_000_000n });
		expect((await same()).offers[0]?.microUsdPerHour).toBe(7_000_000n);
		await db.update(offer).set({ backoffUntil: new Date(w.clock.nowMs() + 60_000), backoffReason: "quota_exceeded" });
		expect((await same()).offers[0]?.backoffReason).toBe("quota_exceeded");
		await db.update(site).set({ healthy: false }).where(eq(site.id, "aws"));
		expect((await same()).offers).toEqual([]);
		await db.update(site).set({ healthy: true }).where(eq(site.id, "aws"));
		expect((await same()).offers).toHaveLength(1);

		await db.update(pool).set({ nodes: 2 });
		expect((await same()).pools.map(({ freeSlots }) => freeSlots)).toEqual([[0, 1]]);
		await db.update(pool).set({ nodes: 1 });
		await same();
		await db.insert(budgetPeriod).values({ budgetId: "cloud-month", periodKey: "2026-11-01", postedMicroUsd: 3n });
		expect((await same()).budgets.map(({ postedMicroUsd }) => postedMicroUsd)).toEqual([3n]);

		// A policy without approval rules, and attempts that end and start again.
		const source = `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n  rules:\n    - id: burst\n      burst: { always: true }\n`;
		await publishPolicy(systemContext(db, w.clock, "seed"), { name: "default", message: "no one is asked", source });
		expect((await same()).pending.every((p) => p.approvals === undefined)).toBe(true);
		await db.update(offer).set({ backoffUntil: null, backoffReason: null });
		for (let tick = 0; tick < 12; tick++) {
			await w.tick();
			if (tick === 6) for (const { providerInstanceId } of w.cloud.instances()) w.cloud.interrupt(providerInstanceId, 0);
			await same();
		}
		expect((await w.attempts()).length).toBeGreaterThan(1);

		// December has begun in UTC, but not in New York.
		const posted = async () => (await same()).budgets.map(({ postedMicroUsd }) => postedMicroUsd);
		await publishPolicy(systemContext(db, w.clock, "seed"), {
			name: "default",
			message: "a budget",
			source: `${source}  budgets: [{ id: cloud-month, scope: "true", period: month, capUsd: 9, atCap: hold }]\n`,
		});
		w.clock.advance(Date.UTC(2026, 11, 1, 2) - w.clock.nowMs());
		expect(await posted()).toEqual([0n]);
		await db.update(setting).set({ value: "America/New_York" }).where(eq(setting.key, "ledger_zone"));
		expect((await posted())[0]).toBeGreaterThanOrEqual(3n);
	});
});
