import { afterEach, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { setting } from "#server/db/schema/setting.ts";
import { defined } from "#server/kernel/assert.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { acceptRestored, readRestored } from "#server/services/capacity/instance/restored.ts";
import { systemContext } from "#server/services/core/context.ts";
import { awaitReview } from "./restored.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

async function open(): Promise<World> {
	world = await World.open({ slots: 1 });
	return world;
}

describe("a scheduler on a restored database", () => {
	it("lists machines that the database does not know, terminates none, and continues after the review", async () => {
		const w = await open();
		const newer = w.cloud.plantStranger("spw-test", {
			...{ instanceId: "ins_after_the_backup", jobId: "job_x", attemptId: "att_x", region: "us-east-1", zone: null, nodes: 1 },
			...{ capacityType: "on_demand", instanceType: defined(w.cloud.offers[0], "an offer").instanceType, reservation: null },
			...{ userData: "#!/bin/sh\n", expiresAtMs: w.clock.nowMs() + HOUR_MS },
		});
		const mark = { backupAt: "2026-01-01T00:00:00.000Z", restoredAt: "2026-01-02T00:00:00.000Z" };
		await w.database.db.insert(setting).values({ key: "restored", value: mark });
		let heartbeats = 0;
		let isOver = false;
		const waiting = awaitReview(w.ctx, new AbortController().signal, async () => void heartbeats++).then(() => {
			isOver = true;
		});
		await expect
			.poll(async () => (await readRestored(w.database.db))?.unknown?.map((m) => m.providerInstanceId))
			.toEqual([newer.providerInstanceId]);
		expect(w.cloud.instances().filter((i) => i.alive)).toHaveLength(1);
		expect(isOver).toBe(false);
		expect(heartbeats).toBeGreaterThan(0);
		await acceptRestored(systemContext(w.database.db, w.clock));
		await waiting;
		expect(isOver).toBe(true);
		expect((await w.database.db.select({ action: audit.action }).from(audit)).map((a) => a.action)).toContain("database.reviewed");
		expect(await w.sweep()).toBe(1);
	});
	it("continues immediately when nothing was restored", async () => {
		const w = await open();
		await awaitReview(w.ctx, new AbortController().signal, async () => expect.fail("no heartbeat is due"));
		expect(await readRestored(w.database.db)).toBeNull();
	});
});
