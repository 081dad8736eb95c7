import { afterEach, describe, expect, it } from "vitest";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { decide } from "#server/scheduling/decide.ts";
import { loadSnapshot } from "#server/services/decision/snapshot/load.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World } from "./testing/world.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function open(): Promise<World> {
	const offers = [fakeOffer({ priceObservedAtMs: Date.UTC(2026, 10, 2, 8) })];
	const world = await World.open({ slots: 2, cloud: { offers } });
	opened.push(world);
	return world;
}

describe("the live loop's memo between cycles", () => {
	it("changes no plan, from the first submission to the last completion", async () => {
		const w = await open();
		const memory = newCycleMemory();
		await w.submit({ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" });
		let [decided, kept] = [0, 0];
		let before: Awaited<ReturnType<typeof loadSnapshot>>["snapshot"] | null = null;
		for (let tick = 0; tick < 200 && !(await w.quiet()); tick++) {
			if (tick === 10) await w.submit({ name: "late", gpus: 2 });
			const { snapshot } = await loadSnapshot(w.ctx, memory.cache);
			expect(decide(snapshot, { memo: memory.memo })).toEqual(decide(structuredClone(snapshot)));
			decided++;
			kept += snapshot.running.filter((attempt) => before?.running.includes(attempt)).length;
			expect(before === null || snapshot.offers[0] === before.offers[0]).toBe(true);
			before = snapshot;
			await w.tick();
		}
		expect(decided).toBeGreaterThan(20);
		// Unchanged attempts stay the same objects; otherwise the memo held nothing.
		expect(kept).toBeGreaterThan(decided);
	});

	it("is used by every cycle", async () => {
		const w = await open();
		const memory = newCycleMemory();
		await w.submit({ name: "a" });
		await runCycle(w.ctx, memory);
		expect(memory.memo.kept.size).toBeGreaterThan(0);
	});
});
