import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { budgetPeriod, hold } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { offer } from "#server/db/schema/offer.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { burnOfDay } from "#server/services/overview/burn.ts";
import { type CommitmentsInput, listCommitments, setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { countTakenSeats } from "#server/services/pricing/commitment/seats.ts";
import { listOffers } from "#server/services/pricing/offer/list.ts";
import { viewOffers } from "#server/services/pricing/offer/view.ts";
import { World } from "./testing/world.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
const commitment = (more: Partial<CommitmentsInput["items"][number]> = {}): CommitmentsInput["items"][number] => ({
	...{ id: "cr-1", siteId: "aws", kind: "reservation" as const, region: "us-east-1", instanceType: "g5.xlarge", accelerator: "A10G-24GB" },
	...{ instances: 2, upfrontMicroUsd: "0", hourlyMicroUsd: "1200000", reservation: "cr-0123456789abcdef0" },
	...{ from: new Date(START_MS - 10 * HOUR_MS).toISOString(), to: new Date(START_MS + 100 * HOUR_MS).toISOString() },
	...more,
});

/** $1 an hour on demand; two machines are reserved for $0.60 each, used or not. */
describe("reserved capacity, which is used first", () => {
	let w: World;
	const seed = () => systemContext(w.database.db, w.clock, "seed");
	const reservedNow = async () => (await listOffers(w.database.db, w.clock.nowMs())).filter((o) => o.capacityType === "reserved");

	beforeAll(async () => {
		w = await World.open({ slots: 0, runMs: 10_000, tickMs: 2_000, cloud: { offers: [fakeOffer({ priceObservedAtMs: START_MS })] } });
		await setCommitments(seed(), {
			items: [commitment(), commitment({ id: "later", from: new Date(START_MS + 50 * HOUR_MS).toISOString() })],
		});
	});
	afterAll(() => w.database.drop());

	it("is offered at the marginal price of an already paid commitment, from its start to 5 min before its end", async () => {
		const [only, ...others] = await reservedNow();
		expect(others).toEqual([]);
		expect(only).toMatchObject({
			id: "aws:us-east-1:*:g5.xlarge:reserved:cr-1",
			...{ microUsdPerHour: 0n, onDemandMicroUsdPerHour: 1_000_000n, reservedFree: 2, commitmentId: "cr-1" },
			...{ reservation: "cr-0123456789abcdef0", availableUntilMs: START_MS + 100 * HOUR_MS - 5 * 60_000 },
		});
		const ctx = { ...seed(), timing: { ...w.ctx.timing } };
		const { items } = await viewOffers(ctx, { capacity: "reserved" });
		expect(items).toMatchObject([{ microUsdPerHour: "0", reservedFree: 2, commitmentId: "cr-1", priceStale: false }]);
		const at = async (ms: number) =>
			(await listOffers(w.database.db, ms)).filter((o) => o.capacityType === "reserved").map((o) => o.commitmentId);
		expect(await at(START_MS + 60 * HOUR_MS)).toEqual(["cr-1", "later"]);
		expect(await at(START_MS + 100 * HOUR_MS - 5 * 60_000)).toEqual([]);
	});

	it("covers the first two of three jobs, which hold and post nothing; the third pays its own price", async () => {
		await w.submit({ name: "a", max: "30m" }, { name: "b", max: "30m" }, { name: "c", max: "30m" });
		await w.until(async () => (await w.instances()).filter((i) => i.state === "ready").length === 3);
		const machines = await w.instances();
		expect(machines.map((i) => [i.capacityType, i.microUsdPerHour, i.offer.microUsdPerHour]).sort()).toEqual([
			["on_demand", 1_000_000n, "1000000"],
			["reserved", 1_000_000n, "0"],
			["reserved", 1_000_000n, "0"],
		]);
		expect(await reservedNow()).toMatchObject([{ reservedFree: 0 }]);
		const amounts = await w.database.db.select({ amount: hold.amountMicroUsd }).from(hold).orderBy(hold.amountMicroUsd);
		expect(amounts.slice(0, 2)).toEqual([{ amount: 0n }, { amount: 0n }]);
		expect(amounts[2]?.amount).toBeGreaterThan(0n);
	});

	it("adds no hourly cost in decisions or in the current cloud spend", async () => {
		const { running } = (await loadSnapshot(w.ctx, new SnapshotCache())).snapshot;
		expect(running.map((r) => r.microUsdPerHour).sort()).toEqual([0n, 0n, 1_000_000n]);
		expect((await burnOfDay(w.database.db, w.clock.nowMs())).at(-1)?.microUsdPerHour).toBe("1000000");
	});

	it("keeps a seat for work that stops in order to move there", async () => {
		const { db } = w.database;
		const onDemand = (await w.attempts()).find((a) => a.capacityType === "on_demand");
		const is = eq(attempt.id, onDemand?.id ?? "");
		const to = { kind: "cloud" as const, offerId: "aws:us-east-1:*:g5.xlarge:reserved:cr-1" };
		await db
			.update(attempt)
			.set({ movingTo: to, moveAt: new Date(w.clock.nowMs() + HOUR_MS), moveReason: reason("moving_cheaper") })
			.where(is);
		expect(await countTakenSeats(db)).toEqual(new Map([["cr-1", 3]]));
		await db.update(attempt).set({ movingTo: null, moveAt: null, moveReason: null }).where(is);
		expect(await countTakenSeats(db)).toEqual(new Map([["cr-1", 2]]));
	});

	it("cannot be removed, shortened or reduced while in use", async () => {
		for (const items of [[], [commitment({ instances: 1 })], [commitment({ to: new Date(w.clock.nowMs() + 60_000).toISOString() })]])
			await expect(setCommitments(seed(), { items })).rejects.toMatchObject({ code: "conflict", message: /2 machines stand on cr-1/ });
		await setCommitments(seed(), { items: [commitment({ hourlyMicroUsd: "1200000" })] });
		expect(await listCommitments(seed())).toHaveLength(1);
	});

	it("is free again afterwards; budgets counted only the third machine, and the ledger the whole commitment once", async () => {
		await w.until(() => w.quiet());
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded", "succeeded"]);
		expect(await reservedNow()).toMatchObject([{ reservedFree: 2 }]);
		w.clock.advance(3 * HOUR_MS);
		await meterAll(w.ctx);
		const { db } = w.database;
		const sumOf = async (where: ReturnType<typeof eq>, of: "effectiveMicroUsd" | "billedMicroUsd") => {
			const [row] = await db
				.select({ sum: sql<string>`coalesce(sum(${charge[of]}), 0)::text` })
				.from(charge)
				.where(where);
			return BigInt(row?.sum ?? "0");
		};
		const onDemand = await sumOf(eq(charge.capacityType, "on_demand"), "effectiveMicroUsd");
		expect(onDemand).toBeGreaterThan(0n);
		const [posted] = await db.select().from(budgetPeriod).where(eq(budgetPeriod.budgetId, "cloud-month"));
		expect(posted).toMatchObject({ postedMicroUsd: onDemand, heldMicroUsd: 0n });
		// In force since 22:00 the day before; whole hours are closed an hour after they ended.
		const closedHours = Math.floor((w.clock.nowMs() - HOUR_MS) / HOUR_MS) - (START_MS - 10 * HOUR_MS) / HOUR_MS;
		expect(await sumOf(eq(charge.capacityType, "reserved"), "effectiveMicroUsd")).toBe(BigInt(closedHours) * 1_200_000n);
		expect(await sumOf(eq(charge.capacityType, "reserved"), "billedMicroUsd")).toBe(0n);
		const used = and(eq(charge.capacityType, "reserved"), sql`${charge.instanceId} is not null`);
		expect(await db.$count(charge, used)).toBeGreaterThan(0);
		expect(await ledgerCheck(w.ctx)).toMatchObject({ ok: true });
	});

	it("counts the same when a new budget is counted from the ledger", async () => {
		await publishPolicy(seed(), {
			name: "default",
			message: "another scope",
			source: `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules: [{ id: burst, burst: { always: true } }]
  budgets: [{ id: again, scope: 'job.team == "research"', period: month, capUsd: 5, atCap: hold }]
`,
		});
		const rows = await w.database.db.select().from(budgetPeriod);
		const postedTo = (id: string) => rows.find((r) => r.budgetId === id)?.postedMicroUsd;
		expect(postedTo("again")).toBe(postedTo("cloud-month"));
	});

	it("is avoided for a minute when its provider rejects a machine of it, like any offer, and the job runs on demand", async () => {
		w.cloud.launches.next({ kind: "error", error: "insufficient_capacity" });
		await w.submit({ name: "d", max: "30m" });
		const refused = async () => (await w.instances()).find((i) => i.reason?.code === "launch_refused_capacity");
		await w.until(async () => (await refused())?.terminatedAt != null);
		const atMs = (await refused())?.terminatedAt?.getTime() ?? Number.NaN;
		const pausedAt = async (ms: number) =>
			(await listOffers(w.database.db, ms)).some((o) => o.capacityType === "reserved" && (o.backoffUntilMs ?? 0) > ms);
		expect([await pausedAt(atMs + MINUTE_MS - 1), await pausedAt(atMs + MINUTE_MS)]).toEqual([true, false]);
		await w.until(() => w.quiet());
		expect((await w.instances()).at(-1)?.capacityType).toBe("on_demand");
		expect((await w.jobs()).every((j) => j.state === "succeeded")).toBe(true);
		const [row] = await w.database.db.select().from(offer).where(eq(offer.capacityType, "reserved"));
		expect(row).toBeUndefined();
	});
});
