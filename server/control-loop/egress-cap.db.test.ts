import { afterEach, expect, it } from "vitest";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { World } from "./testing/world.ts";

const GIB = 1024n ** 3n;
/** A job may save 133 times during its instance's life (egress-hold.db.test.ts), here 10 GiB each. */
const WORST_GIB = 1_330;
const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function openWithCap(gib: number): Promise<World> {
	const w = await World.open({ slots: 0, caps: [`{ id: out, scope: "true", period: month, egressGiB: ${gib} }`] });
	opened.push(w);
	await w.submit({ name: "fraud-v1", checkpointEvery: "10s" });
	await w.until(() => w.quiet());
	await w.database.db.update(checkpoint).set({ bytes: 10n * GIB });
	w.clock.advance(2 * 60_000);
	return w;
}

const stateOf = async (w: World, name: string) => (await w.jobs()).find((j) => j.name === name);

it("reserves the worst case of each admitted job, so that two concurrent jobs cannot exceed the cap", async () => {
	const w = await openWithCap(2 * WORST_GIB);
	const sentGiB = 10 * (await w.database.db.$count(checkpoint));
	await w.submit({ name: "fraud-v2", checkpointEvery: "10s" }, { name: "fraud-v3", checkpointEvery: "10s" });
	await w.tick();
	expect((await w.attempts()).filter((a) => a.placement.egressGiB === WORST_GIB)).toHaveLength(1);
	const waiting = (await w.jobs()).find((j) => j.reason.code === "cap_exceeded");
	expect(waiting?.reason.facts).toMatchObject({ capId: "out", capGiB: 2 * WORST_GIB, usedGiB: sentGiB + WORST_GIB, askedGiB: WORST_GIB });
	// The first job ends and releases the egress it did not use.
	await w.until(async () => (await w.attempts()).filter((a) => a.placement.egressGiB === WORST_GIB).length === 2);
});

it("counts egress from the clouds in the period, and does not restrict jobs without egress", async () => {
	const w = await openWithCap(WORST_GIB);
	await w.submit({ name: "fraud-v2", checkpointEvery: "10s" }, { name: "plain" });
	await w.until(async () => (await stateOf(w, "plain"))?.state === "succeeded");
	expect((await stateOf(w, "fraud-v2"))?.reason.code).toBe("cap_exceeded");
	expect((await w.attempts()).filter((a) => a.placement.egressGiB === WORST_GIB)).toEqual([]);
});
