import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
let checkpointRoot = "";

beforeEach(async () => {
	checkpointRoot = await mkdtemp(path.join(tmpdir(), "spillway-failover-"));
});
afterEach(async () => {
	await world?.database.drop();
	world = null;
	await rm(checkpointRoot, { recursive: true, force: true });
});

/** A critical job at home with a run of an hour and one checkpoint. */
async function open(): Promise<World> {
	const w = await World.open({ slots: 1, checkpointRoot, tickMs: 5_000, runMs: HOUR_MS });
	world = w;
	await w.submit({ name: "model", estimate: "1h", max: "2h", checkpointEvery: "1m", critical: true });
	await w.until(async () => (await w.attempts()).some((a) => a.state === "running"));
	for (let i = 0; i < 15; i++) await w.tick();
	return w;
}

it("a site that misses some answers keeps its critical job", async () => {
	const w = await open();
	w.cluster.calls.fail("observe", "transient", { times: 5 });
	for (let i = 0; i < 12; i++) await w.tick();
	expect(await w.attempts()).toMatchObject([{ state: "running", siteId: "home", stopRequestedAt: null }]);
	expect(w.cloud.instances()).toEqual([]);
});

it("a critical job on a failed site continues elsewhere from its checkpoint within a minute of its provable end, as the only copy", async () => {
	const w = await open();
	w.cluster.calls.fail("observe", "transient", { times: 13 });
	w.cluster.loseEverything();
	let mostAlive = 0;
	await w.until(async () => {
		const attempts = await w.attempts();
		mostAlive = Math.max(mostAlive, attempts.filter((a) => a.finishedAt === null).length);
		return attempts.some((a) => a.siteId === "aws" && a.state === "running");
	});
	expect(mostAlive).toBe(1);
	const [lost, next, ...more] = await w.attempts();
	expect(more).toEqual([]);
	// While its state was unknown it waited, because a second copy might have run at the same time.
	expect(lost).toMatchObject({ siteId: "home", movingTo: { kind: "cloud" }, moveReason: { code: "site_failover" } });
	const knownMs = defined(lost?.finishedAt, "its end").getTime();
	expect(defined(next?.startedAt, "its start").getTime() - knownMs).toBeLessThanOrEqual(MINUTE_MS);
	const [saved] = await w.database.sql`select attempt_id from checkpoint order by created_at limit 1`;
	expect(saved?.["attempt_id"]).toBe(lost?.id);
});
