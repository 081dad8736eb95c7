import { isNotNull } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { setting } from "#server/db/schema/setting.ts";
import { defined } from "#server/kernel/assert.ts";
import { attemptIdOf, instanceIdOf } from "#server/kernel/ids.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { listKept, releaseKept } from "#server/services/capacity/instance/kept.ts";
import { acceptRestored, readRestored } from "#server/services/capacity/instance/restored.ts";
import { systemContext } from "#server/services/core/context.ts";
import { writeHeartbeat } from "#server/services/core/heartbeat.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { authenticateAgent } from "#server/services/work/agent/authenticate.ts";
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

const MARK = { backupAt: "2026-01-01T00:00:00.000Z", restoredAt: "2026-01-02T00:00:00.000Z" };

const cloudOf = (w: World) => defined([...w.ctx.clouds.values()][0], "the cloud");

/** A machine that the database had a row for, before an older backup was restored. */
async function launchBeforeRestore(w: World, jobId: string) {
	const { instanceType } = defined(w.cloud.offers[0], "an offer");
	const instanceId = instanceIdOf(jobId, 1, 0);
	return cloudOf(w).launch({
		...{
			instanceId,
			jobId,
			attemptId: attemptIdOf(jobId, 1),
			region: "us-east-1",
			zone: null,
			nodes: 1,
			capacityType: "on_demand",
			instanceType,
		},
		...{ reservation: null, userData: "#!/bin/sh\n", expiresAtMs: w.clock.nowMs() + HOUR_MS },
	});
}

describe("a scheduler on a restored database", () => {
	it("lists machines that the database does not know, terminates none, and continues after the review", async () => {
		const w = await open();
		const newer = w.cloud.plantStranger("spw-test", {
			...{ instanceId: "ins_after_the_backup", jobId: "job_x", attemptId: "att_x", region: "us-east-1", zone: null, nodes: 1 },
			...{ capacityType: "on_demand", instanceType: defined(w.cloud.offers[0], "an offer").instanceType, reservation: null },
			...{ userData: "#!/bin/sh\n", expiresAtMs: w.clock.nowMs() + HOUR_MS },
		});
		await w.database.db.insert(setting).values({ key: "restored", value: MARK });
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
		await acceptRestored(systemContext(w.database.db, w.clock), [], "ada");
		await waiting;
		expect(isOver).toBe(true);
		expect((await w.database.db.select({ action: audit.action }).from(audit)).map((a) => a.action)).toContain("database.reviewed");
		expect(await w.sweep()).toBe(1);
	});
	it("is detected by machines newer than its last heartbeat, and leaves alone what the reviewer keeps", async () => {
		const w = await open();
		await writeHeartbeat(w.database.db, { instance: "before", atMs: w.clock.nowMs() - HOUR_MS, lastCycle: null });
		const [known = ""] = await w.submit({ name: "a" });
		const kept = await launchBeforeRestore(w, known);
		const released = await launchBeforeRestore(w, "job_submitted_after_the_backup");
		const call = () => authenticateAgent(w.ctx, `Bearer ${"t".repeat(32)}`);
		await expect(call()).rejects.toMatchObject({ code: "unavailable" });
		const beat = () => writeHeartbeat(w.database.db, { instance: "now", atMs: w.clock.nowMs(), lastCycle: null });
		const waiting = awaitReview(w.ctx, new AbortController().signal, beat);
		const listed = async () => (await readRestored(w.database.db))?.unknown?.map((m) => [m.providerInstanceId, m.jobId, m.jobState]);
		await expect.poll(listed).toEqual([
			[kept.providerInstanceId, known, "queued"],
			[released.providerInstanceId, "job_submitted_after_the_backup", null],
		]);
		const reviewer = systemContext(w.database.db, w.clock);
		await expect(acceptRestored(reviewer, ["i-other"], "ada")).rejects.toMatchObject({ code: "invalid_input" });
		await acceptRestored(reviewer, [kept.providerInstanceId], "ada");
		await waiting;
		expect(await w.sweep()).toBe(1);
		w.clock.advance(HOUR_MS / 2);
		expect(w.cloud.instances().filter((i) => i.alive)).toMatchObject([{ providerInstanceId: kept.providerInstanceId }]);
		await expect(call()).rejects.toMatchObject({ code: "unavailable" });
		await cloudOf(w).terminate(kept.region, kept.providerInstanceId);
		w.clock.advance(HOUR_MS);
		await beat();
		await w.sweep();
		await expect(call()).rejects.toMatchObject({ code: "unauthenticated" });
	});

	it("charges a kept machine to its job and the budgets until it ends, and terminates it once it is released", async () => {
		const w = await open();
		const [known = ""] = await w.submit({ name: "a" });
		const kept = await launchBeforeRestore(w, known);
		const stray = await launchBeforeRestore(w, "job_submitted_after_the_backup");
		await w.database.db.insert(setting).values({ key: "restored", value: MARK });
		const reviewer = systemContext(w.database.db, w.clock);
		const waiting = awaitReview(w.ctx, new AbortController().signal, async () => {});
		await expect.poll(async () => (await readRestored(w.database.db))?.unknown?.length).toBe(2);
		await acceptRestored(reviewer, [kept.providerInstanceId, stray.providerInstanceId], "ada");
		await waiting;
		const price = defined(w.cloud.offers[0]?.microUsdPerHour, "a price");
		const launchedMs = w.clock.nowMs();
		w.clock.advance(HOUR_MS / 2);
		await w.sweep();
		await meterAll(w.ctx);
		const half = { costMicroUsd: price / 2n, microUsdPerHour: price, keptBy: "ada", endedAt: null };
		const list = await listKept(w.database.db);
		expect(list).toHaveLength(2);
		expect(list.find(({ providerInstanceId }) => providerInstanceId === kept.providerInstanceId)).toMatchObject({ ...half, jobId: known });
		expect(list.find(({ providerInstanceId }) => providerInstanceId === stray.providerInstanceId)).toMatchObject({ ...half, jobId: null });
		const charges = await w.database.db.select().from(charge).where(isNotNull(charge.instanceId));
		expect(
			Map.groupBy(charges, ({ jobId }) => jobId)
				.get(known)
				?.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n),
		).toBe(price / 2n);
		const [budget] = await w.database.db.select().from(budgetPeriod);
		expect(budget).toMatchObject({ budgetId: "cloud-month", postedMicroUsd: price / 2n });
		await releaseKept(reviewer, kept.providerInstanceId, "bob");
		await expect(releaseKept(reviewer, kept.providerInstanceId, "bob")).rejects.toMatchObject({ code: "not_found" });
		expect(await w.sweep()).toBe(1);
		w.clock.advance(HOUR_MS / 4);
		await w.sweep();
		w.clock.advance(HOUR_MS);
		await meterAll(w.ctx);
		const [released] = (await listKept(w.database.db)).filter(({ jobId }) => jobId === known);
		expect(released).toMatchObject({ releasedBy: "bob", meteredUntil: new Date(launchedMs + 0.75 * HOUR_MS) });
		expect(released?.endedAt).toEqual(released?.meteredUntil);
		expect((await ledgerCheck(w.ctx)).differences).toEqual([]);
	});

	it("lists machines that the clouds no longer have, and ends no review before the list is complete", async () => {
		const w = await open();
		const [, id] = await w.submit({ name: "home" }, { name: "cloud" });
		await w.until(async () => w.cloud.instances().some((i) => i.alive));
		await w.database.db.insert(setting).values({ key: "restored", value: MARK });
		const reviewer = systemContext(w.database.db, w.clock);
		await expect(acceptRestored(reviewer, [], "ada")).rejects.toMatchObject({ code: "conflict" });
		for (const { region, providerInstanceId } of w.cloud.instances()) await cloudOf(w).terminate(region, providerInstanceId);
		w.clock.advance(HOUR_MS);
		const stop = new AbortController();
		const waiting = awaitReview(w.ctx, stop.signal, async () => {});
		await expect.poll(async () => (await readRestored(w.database.db))?.missing?.map(({ jobId }) => jobId)).toEqual([id]);
		stop.abort();
		await waiting;
	});

	it("continues immediately when nothing was restored", async () => {
		const w = await open();
		await awaitReview(w.ctx, new AbortController().signal, async () => expect.fail("no heartbeat is due"));
		expect(await readRestored(w.database.db)).toBeNull();
	});
});
