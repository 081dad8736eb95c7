import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UTC } from "#server/accounting/zone.ts";
import { World } from "#server/control-loop/testing/world.ts";
import { audit } from "#server/db/schema/audit.ts";
import { hold } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { offerPrice } from "#server/db/schema/offer.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { policyOf, rulesText } from "#server/policy/testing/builders.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { ledgerMonth } from "#server/services/reporting/statement/month.ts";
import { readCheapest } from "#server/services/reporting/statement/read-cheapest.ts";
import { type DiscountsInput, listDiscounts, setDiscounts } from "./discounts.ts";
import { listOffers } from "./list.ts";
import { viewOffers } from "./view.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
const discount = (more: Partial<DiscountsInput["items"][number]> = {}): DiscountsInput["items"][number] => ({
	...{ id: "edp", siteId: "aws", capacityType: "on_demand" as const, percent: "20", source: "EDP of 2026-01, annex 2" },
	...{ from: new Date(START_MS).toISOString() },
	...more,
});

/** $1 an hour on demand, $0.40 on spot. */
describe("discounts agreed with a cloud", () => {
	let w: World;
	const seed = () => systemContext(w.database.db, w.clock, "seed");
	const pricesAt = async (ms: number) => (await listOffers(w.database.db, ms)).map((o) => [o.capacityType, o.microUsdPerHour]);

	beforeAll(async () => {
		const spot = fakeOffer({ capacityType: "spot", microUsdPerHour: 400_000n, priceObservedAtMs: START_MS });
		w = await World.open({ slots: 0, runMs: 10_000, tickMs: 2_000, cloud: { offers: [fakeOffer({ priceObservedAtMs: START_MS }), spot] } });
		await setDiscounts(seed(), {
			items: [
				discount(),
				discount({ id: "elsewhere", percent: "50", regions: ["aws:eu-*"] }),
				discount({ id: "spot", capacityType: "spot", percent: "25", instanceFamilies: ["g5"] }),
				discount({ id: "next-year", percent: "90", from: "2027-01-01T00:00:00Z" }),
			],
		});
	});
	afterAll(() => w.database.drop());

	it("cannot be overwritten by a list based on an outdated one", async () => {
		const items = (await listDiscounts(seed())).map(({ offersNow: _, ...item }) => item);
		const late = setDiscounts(seed(), { items: [] }, { items: items.slice(1) });
		await expect(late).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("changed by someone else") });
		expect(await listDiscounts(seed())).toMatchObject(items);
	});

	it("are part of a statement's cheapest cloud price in the months they cover: $0.40 on spot less 25% is $0.30", async () => {
		const policy = policyOf(rulesText(`{ id: home, when: 'job.class == "sensitive"', deny: { sites: [cloud] } }`));
		const cheapest = async (month: string) =>
			(await readCheapest(w.database.db, ledgerMonth(month, UTC), policy, [fakeOffer({}).accelerator])).map((c) => c.microUsdPerHour);
		expect(await cheapest("2026-11")).toEqual([300_000n]);
		// 90% off the $1 on demand.
		expect(await cheapest("2027-01")).toEqual([100_000n]);
	});

	it("are in every offer's price from their start, with the list price and the source next to it", async () => {
		expect(await pricesAt(START_MS - 1)).toEqual(
			expect.arrayContaining([
				["on_demand", 1_000_000n],
				["spot", 400_000n],
			]),
		);
		expect(await pricesAt(START_MS)).toEqual(
			expect.arrayContaining([
				["on_demand", 800_000n],
				["spot", 300_000n],
			]),
		);
		expect(await pricesAt(Date.UTC(2027, 0, 1))).toEqual(expect.arrayContaining([["on_demand", 100_000n]]));
		const { items } = await viewOffers({ ...seed(), timing: w.ctx.timing }, { capacity: "spot" });
		expect(items).toMatchObject([
			{ microUsdPerHour: "300000", listMicroUsdPerHour: "1000000", discount: { id: "spot", partsPerMillion: 250_000 } },
		]);
		expect((await listDiscounts(seed())).map((d) => [d.id, d.offersNow])).toEqual([
			["edp", 1],
			["elsewhere", 0],
			["spot", 1],
			["next-year", 0],
		]);
	});

	it("affect decisions immediately when they change", async () => {
		const cache = new SnapshotCache();
		const onDemand = async () =>
			(await loadSnapshot(w.ctx, cache)).snapshot.offers.find((o) => o.capacityType === "on_demand")?.microUsdPerHour;
		expect(await onDemand()).toBe(800_000n);
		const items = (await listDiscounts(seed())).map(({ offersNow: _, ...d }) => d);
		await setDiscounts(seed(), { items: items.map((d) => (d.id === "edp" ? { ...d, percent: "40" } : d)) });
		expect(await onDemand()).toBe(600_000n);
		await setDiscounts(seed(), { items });
		expect(await w.database.db.$count(audit, sql`action = 'discounts.set'`)).toBe(3);
	});

	it("is in the hold and in each charge: list cost $1, contracted 25% under the spot price, also of one that changes while it runs", async () => {
		await w.submit({ name: "a", max: "30m" });
		await w.until(async () => (await w.instances()).some((i) => i.state === "ready"));
		const [machine] = await w.instances();
		expect(machine).toMatchObject({ capacityType: "spot", microUsdPerHour: 300_000n });
		// 30 min maximum runtime, 10 to boot, 2 to stop and 5 until the end is observed: 47 min at $0.30.
		expect(await w.database.db.select({ amount: hold.amountMicroUsd }).from(hold)).toEqual([{ amount: 235_000n }]);
		const launchedMs = machine?.launchedAt?.getTime() ?? 0;
		// The price of the second hour, as the provider lists it.
		await w.database.db
			.insert(offerPrice)
			.values({ offerId: machine?.offer.id ?? "", observedAt: new Date(launchedMs + HOUR_MS / 2), microUsdPerHour: 800_000n });
		w.silenced.add(machine?.id ?? "");
		w.clock.advance(2 * HOUR_MS - (w.clock.nowMs() - launchedMs));
		await meterAll(w.ctx);
		const [sum] = await w.database.db
			.select({
				list: sql<string>`sum(${charge.listMicroUsd})`,
				contracted: sql<string>`sum(${charge.contractedMicroUsd})`,
				billed: sql<string>`sum(${charge.billedMicroUsd})`,
			})
			.from(charge);
		expect(sum).toEqual({ list: "2000000", contracted: "900000", billed: "900000" });
	});

	it.each([
		["of nothing", { percent: "0" }],
		["of all of it", { percent: "100" }],
		["that ends before it starts", { to: "2020-01-01T00:00:00Z" }],
		["of a site that is not a cloud", { siteId: "home" }],
	])("are rejected %s", async (_, change) => {
		await expect(setDiscounts(seed(), { items: [discount(change)] })).rejects.toThrow();
	});

	it("are rejected for callers without permission to change rates", async () => {
		const actor = { kind: "person", accountId: "usr_1", name: "Ada", role: "data_scientist", teams: [], via: "session" } as const;
		await expect(setDiscounts({ ...seed(), actor }, { items: [] })).rejects.toMatchObject({ code: "forbidden" });
	});
});
