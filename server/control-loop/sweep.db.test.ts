import { eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { alert } from "#server/db/schema/alert.ts";
import { audit } from "#server/db/schema/audit.ts";
import { instance } from "#server/db/schema/instance.ts";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import { defined } from "#server/kernel/assert.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { LaunchRequest } from "#server/providers/driver.ts";
import { systemContext } from "#server/services/core/context.ts";
import { evaluateAlerts } from "#server/services/overview/alert/evaluate.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import { sweepCloud } from "./sweep.ts";
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

function aMachine(w: World, instanceId: string): LaunchRequest {
	return {
		...{ instanceId, jobId: "job_x", attemptId: "att_x", region: "us-east-1", zone: null, nodes: 1, capacityType: "on_demand" },
		...{ instanceType: defined(w.cloud.offers[0], "an offer").instanceType, reservation: null, userData: "#!/bin/sh\n" },
		expiresAtMs: w.clock.nowMs() + HOUR_MS,
	};
}

const lastSweep = async (w: World) => (await w.database.db.select({ seen: site.lastSweep }).from(site).where(eq(site.id, "aws")))[0]?.seen;
const endedOrphans = async (w: World) =>
	(await w.database.db.select({ subject: audit.subject }).from(audit).where(eq(audit.action, "orphan.terminate"))).map((a) => a.subject);

describe("the sweep", () => {
	it("terminates a machine with our tag but without a row, reports it, and never touches machines without our tag", async () => {
		const w = await open();
		const orphan = w.cloud.plantStranger("spw-test", aMachine(w, "ins_of_an_older_backup"));
		const theirs = w.cloud.plantStranger("spw-other", aMachine(w, "ins_of_somebody_else"));
		expect(await w.sweep()).toBe(1);
		expect(await endedOrphans(w)).toEqual([orphan.providerInstanceId]);
		expect(await lastSweep(w)).toMatchObject({ regions: ["us-east-1"], failedRegions: [], seen: 1, owned: 0, orphans: 1 });
		w.clock.advance(10_000);
		const alive = w.cloud.instances().filter((i) => i.alive);
		expect(alive.map((i) => i.providerInstanceId)).toEqual([theirs.providerInstanceId]);
	});

	it("leaves machines with a row, and terminates one with a terminated row, charged to its job", async () => {
		const w = await open();
		await w.submit({ name: "home-1" }, { name: "burst-1" });
		await w.until(async () => (await w.instances()).some((i) => i.state === "ready"));
		const [row] = await w.instances();
		const { id, providerInstanceId, billedFrom } = defined(row, "its row");
		expect(await w.sweep()).toBe(0);
		expect(await lastSweep(w)).toMatchObject({ seen: 1, owned: 1, orphans: 0 });
		const wrong = new Date(w.clock.nowMs());
		await w.database.db
			.update(instance)
			.set({ state: "terminated", terminatedAt: wrong, billedUntil: wrong, bootstrapHash: null })
			.where(eq(instance.id, id));
		w.clock.advance(60_000);
		expect(await w.sweep()).toBe(1);
		expect(await endedOrphans(w)).toEqual([providerInstanceId]);
		const [after] = await w.instances();
		expect(after?.billedFrom).toEqual(billedFrom);
		expect(after?.billedUntil?.getTime()).toBe(wrong.getTime() + 60_000);
	});

	it("covers regions removed from the site's settings, as long as a machine was requested there recently", async () => {
		const w = await open();
		await w.submit({ name: "home-1" }, { name: "burst-1" });
		await w.until(() => w.quiet());
		const late = w.cloud.plantStranger("spw-test", aMachine(w, "ins_of_a_late_launch"));
		const elsewhere = w.cloud.driver("aws", "spw-test", []);
		expect((await sweepCloud(w.ctx, elsewhere)).orphans).toBe(1);
		expect(await endedOrphans(w)).toEqual([late.providerInstanceId]);
		w.clock.advance(31 * DAY_MS);
		w.cloud.plantStranger("spw-test", aMachine(w, "ins_of_a_month_later"));
		expect((await sweepCloud(w.ctx, elsewhere)).orphans).toBe(0);
	});

	it("reports an orphan until some minutes after its end was seen, and a region that stays unreachable", async () => {
		const w = await open();
		const orphan = w.cloud.plantStranger("spw-test", aMachine(w, "ins_x"));
		const subjects = async () => {
			await evaluateAlerts(systemContext(w.database.db, w.clock));
			const open = await w.database.db.select().from(alert).where(isNull(alert.closedAt));
			return open.map(({ rule, subject }) => [rule, subject]);
		};
		w.cloud.calls.fail("terminate", "transient");
		await w.sweep();
		expect(await subjects()).toEqual([["money_at_risk", `aws/${orphan.providerInstanceId}`]]);
		await w.sweep();
		w.clock.advance(10_000);
		await w.sweep();
		// Terminated by now, and still reported for a short time.
		expect(await subjects()).toHaveLength(1);
		w.clock.advance(5 * MINUTE_MS);
		await w.sweep();
		expect(await subjects()).toEqual([]);
		for (const minutes of [1, 5, 6]) {
			w.cloud.calls.fail("list", "transient", { region: "us-east-1" });
			await w.sweep();
			w.clock.advance(minutes * MINUTE_MS);
		}
		expect(await subjects()).toEqual([["sweep_failing", "aws/us-east-1"]]);
		await w.sweep();
		expect(await subjects()).toEqual([]);
	});

	it("puts an orphan's cost at risk, by the price of its type, from its launch until it is seen terminated", async () => {
		const w = await open();
		const ctx = systemContext(w.database.db, w.clock);
		const orphan = w.cloud.plantStranger("spw-test", aMachine(w, "ins_x"));
		w.clock.advance(30 * MINUTE_MS);
		w.cloud.calls.fail("terminate", "transient");
		await w.sweep();
		w.clock.advance(30 * MINUTE_MS);
		const [price] = await w.database.db.select({ microUsd: offer.microUsdPerHour }).from(offer).where(eq(offer.capacityType, "on_demand"));
		const item = { instanceId: orphan.providerInstanceId, jobId: null, why: "of_nobody", isEstimate: true };
		const hour = defined(price?.microUsd, "a price").toString();
		expect(await moneyAtRisk(ctx)).toMatchObject({ totalMicroUsd: hour, items: [{ ...item, microUsd: hour }] });
		await w.database.db.update(offer).set({ microUsdPerHour: null });
		expect(await moneyAtRisk(ctx)).toMatchObject({ totalMicroUsd: "0", items: [{ ...item, microUsd: null }] });
		await w.sweep();
		w.clock.advance(MINUTE_MS);
		await w.sweep();
		expect(await moneyAtRisk(ctx)).toEqual({ totalMicroUsd: "0", items: [] });
	});

	it("reports which region cannot be read, and retries failed terminations", async () => {
		const w = await open();
		const orphan = w.cloud.plantStranger("spw-test", aMachine(w, "ins_x"));
		w.cloud.calls.fail("list", "transient", { region: "us-east-1" });
		expect(await w.sweep()).toBe(0);
		expect(await lastSweep(w)).toMatchObject({ regions: [], failedRegions: [{ region: "us-east-1" }], seen: 0, orphans: 0 });
		w.cloud.calls.fail("terminate", "transient");
		expect(await w.sweep()).toBe(1);
		expect(await endedOrphans(w)).toEqual([]);
		expect(await w.sweep()).toBe(1);
		expect(await endedOrphans(w)).toEqual([orphan.providerInstanceId]);
	});
});
