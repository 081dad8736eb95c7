import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { listOffers } from "./list.ts";
import { refreshOffers } from "./refresh.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);

/** Twelve cores with four in use: two machines of four cores fit. */
describe("an account's quota", () => {
	const quota = { name: "family", unit: "cores", limit: 12, used: 4 } as const;
	const offers = [fakeOffer({ priceObservedAtMs: START_MS, quota })];
	let w: World;
	const quotaNow = async () => (await listOffers(w.database.db, w.clock.nowMs())).map((o) => [o.quota?.used, o.quotaGpusFree]);
	beforeAll(async () => {
		w = await World.open({ slots: 0, runMs: 10_000, tickMs: 2_000, cloud: { offers } });
	});
	afterAll(() => w.database.drop());

	it("excludes launches since it was read, and the third of three jobs waits with the quota's name and figures", async () => {
		expect(await quotaNow()).toEqual([[4, 2]]);
		await w.submit({ name: "a" }, { name: "b" }, { name: "c" });
		await w.tick();
		expect(await quotaNow()).toEqual([[12, 0]]);
		expect(await w.instances()).toHaveLength(2);
		const waiting = (await w.jobs()).find((j) => j.state === "queued");
		expect(waiting?.reason).toMatchObject({ facts: { quota: "family", unit: "cores", limit: 12 } });
	});

	it("is free for it again once the machines no longer exist, based on the next read", async () => {
		await w.until(() => w.quiet());
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded", "succeeded"]);
		await refreshOffers(w.database.db, [fakeOffer({ priceObservedAtMs: START_MS, quota: { ...quota, used: 11 } })], w.clock.nowMs());
		expect(await quotaNow()).toEqual([[11, 0]]);
		await refreshOffers(w.database.db, [fakeOffer({ priceObservedAtMs: START_MS })], w.clock.nowMs());
		expect(await quotaNow()).toEqual([[undefined, undefined]]);
	});
});
