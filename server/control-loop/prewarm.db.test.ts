import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { budgetPeriod, hold } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { listInstances } from "#server/services/capacity/instance/list.ts";
import { systemContext } from "#server/services/core/context.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { World, type WorldOptions } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

/** A rule for the fake cloud's machine, at all hours, so that only its limits decide. */
const rule = (fields = "") =>
	`{ id: ready, prewarm: { machines: 2, accelerator: A10G-24GB, gpus: 1, state: running, monthlyUsd: 50, idleMinutes: 30, hours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00" }${fields} } }`;

async function open(options: Partial<WorldOptions> = {}): Promise<World> {
	world = await World.open({ slots: 1, runMs: 60_000, tickMs: 10_000, rules: [rule()], ...options });
	return world;
}

const warmOf = (w: World) => w.database.db.select().from(instance).where(isNotNull(instance.warmRule));
const waitingOf = (w: World) =>
	w.database.db
		.select()
		.from(instance)
		.where(and(isNotNull(instance.warmRule), isNull(instance.attemptId), eq(instance.state, "ready")));

/** Machines are kept from the first job on that could use them. */
async function withTwoReady(w: World): Promise<void> {
	await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
	await w.until(async () => (await waitingOf(w)).length === 2);
}

/** Nothing is left, and the books add up: what was charged is what the provider billed. */
async function expectClosed(w: World): Promise<void> {
	await meterAll(w.ctx);
	expect(await w.sweep()).toBe(0);
	const rows = await w.instances();
	const made = w.cloud.instances();
	expect(made.map((m) => m.instanceId).sort()).toEqual(rows.flatMap((r) => (r.providerInstanceId ? [r.id] : [])).sort());
	expect(await w.database.db.$count(hold, eq(hold.state, "pending"))).toBe(0);
	expect((await ledgerCheck(w.ctx)).differences).toEqual([]);
	for (const row of rows) {
		const charges = await w.database.db.select().from(charge).where(eq(charge.instanceId, row.id));
		const billedMs = (row.billedUntil?.getTime() ?? 0) - (row.billedFrom?.getTime() ?? 0);
		const warmMs =
			row.warmRule === null
				? 0
				: Math.min(billedMs, (row.assignedAt?.getTime() ?? Number.POSITIVE_INFINITY) - (row.billedFrom?.getTime() ?? 0));
		const sum = (kind: "kept_warm" | "job") =>
			charges.filter((c) => (c.kind === "kept_warm") === (kind === "kept_warm")).reduce((total, c) => total + Number(c.gpuMs), 0);
		expect([sum("kept_warm"), sum("job")]).toEqual([warmMs, billedMs - warmMs]);
		expect(charges.every((c) => (c.kind === "kept_warm") === (c.jobId === null) && (c.jobId === null) === (c.team === ""))).toBe(true);
		expect(charges.reduce((total, c) => total + c.effectiveMicroUsd, 0n)).toBe(row.costMicroUsd);
	}
	const posted = await w.database.db.select().from(budgetPeriod).where(eq(budgetPeriod.budgetId, "prewarm:ready"));
	const [warm] = await w.database.db
		.select({ sum: sql<string>`coalesce(sum(${charge.effectiveMicroUsd}), 0)` })
		.from(charge)
		.where(eq(charge.kind, "kept_warm"));
	expect(posted.reduce((total, row) => total + row.postedMicroUsd, 0n)).toBe(BigInt(warm?.sum ?? 0));
	expect(posted.every((row) => row.heldMicroUsd === 0n)).toBe(true);
}

/** Copies a finished job, as the loop wrote it, to past days: two at 9:05 on each. */
async function repeatOnPastDays(w: World, jobId: string, days: number): Promise<void> {
	const { sql: query } = w.database;
	const core = jobId.slice("job_".length);
	const tables = [
		["job", query`select to_jsonb(t) as row from job t where id = ${jobId}`],
		["attempt", query`select to_jsonb(t) as row from attempt t where job_id = ${jobId}`],
		["instance", query`select to_jsonb(t) as row from instance t where job_id = ${jobId}`],
	] as const;
	const startMs = (await w.jobs()).find(({ id }) => id === jobId)?.submittedAt.getTime() ?? 0;
	const nineMs = Math.floor(startMs / DAY_MS) * DAY_MS + 9 * HOUR_MS + 5 * MINUTE_MS;
	for (const [table, rows] of tables) {
		const [found] = await rows;
		for (let i = 0; i < 2 * days; i++) {
			const shiftMs = nineMs - startMs - (1 + Math.floor(i / 2)) * DAY_MS;
			const row = JSON.stringify(found?.["row"], (key, value: unknown) => {
				if (key === "provider_instance_id") return `${String(value)}-${i}`;
				const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value);
				return isTime ? new Date(Date.parse(value) + shiftMs).toISOString() : value;
			});
			const copy = row.replaceAll(core, String(i).padStart(3, "0") + core.slice(3));
			const target = query(table);
			await query`insert into ${target} select (jsonb_populate_record(null::${target}, ${copy}::text::jsonb)).*`;
		}
	}
}

/** Publishes a policy without the rule, so that what it keeps ends. */
const removeRule = (w: World) => w.publish([]);

describe("machines kept warm by the live scheduler", () => {
	it("keeps as many as the rule allows, once a job has used such a machine, and ends them with the rule", async () => {
		const w = await open();
		await withTwoReady(w);
		for (let i = 0; i < 40; i++) await w.tick();
		expect(await warmOf(w)).toHaveLength(2);
		await removeRule(w);
		await w.until(async () => (await warmOf(w)).every((row) => row.state === "terminated"));
		expect((await warmOf(w)).map((row) => row.reason)).toEqual(
			Array(2).fill({ code: "kept_warm_over", facts: { ruleId: "ready", why: "rule_removed" } }),
		);
		await w.until(() => w.quiet(), 2_000);
		await expectClosed(w);
	});

	it("gives the next job a machine that is ready, and launches none for it", async () => {
		const w = await open();
		await withTwoReady(w);
		const made = w.cloud.instances().length;
		const [id = ""] = await w.submit({ name: "second" });
		await w.tick();
		const [used] = await w.database.db.select().from(instance).where(eq(instance.jobId, id));
		expect(used).toMatchObject({ warmRule: "ready", state: "ready" });
		expect(w.cloud.instances()).toHaveLength(made);
		const [placed] = await w.database.sql`select reason->'facts'->>'warmRule' as rule from job where id = ${id}`;
		expect(placed?.rule ?? "ready").toBe("ready");
		await removeRule(w);
		await w.until(() => w.quiet(), 2_000);
		expect((await w.jobs()).every((j) => j.state === "succeeded")).toBe(true);
		await expectClosed(w);
	});

	it("takes a warm machine although its offer is paused after a refusal", async () => {
		const w = await open();
		await withTwoReady(w);
		await w.database.sql`update offer set backoff_until = ${new Date(w.clock.nowMs() + HOUR_MS)}, backoff_reason = 'insufficient_capacity'`;
		const [id = ""] = await w.submit({ name: "second" });
		await w.tick();
		expect(await w.database.db.$count(instance, eq(instance.jobId, id))).toBe(1);
	});

	it("has machines fetch what recorded jobs used, and shows it only to callers who see all teams, until a job takes one", async () => {
		const w = await open();
		const used = { image: "acme/train:1", data: { uri: "s3://acme/set", sizeGiB: 2 } };
		await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first", ...used });
		await w.until(async () => (await waitingOf(w)).length === 2);
		const named = (items: readonly PreparedItem[] | null) =>
			items?.map(({ kind, name, source, sharePercent }) => [kind, name, source, sharePercent]);
		const expected = [
			["image", "acme/train:1", "history", 100],
			["data", "s3://acme/set", "history", 100],
		];
		expect((await warmOf(w)).map(({ preparation }) => named(preparation))).toEqual([expected, expected]);
		const list = async (role: "platform" | "data_scientist") => {
			const actor = { kind: "person" as const, accountId: "usr_a", name: "A", role, teams: ["research"], via: "session" as const };
			const { items } = await listInstances({ ...systemContext(w.database.db, w.clock), actor }, {});
			return items.filter(({ jobId }) => jobId === null).map(({ prepared }) => named(prepared));
		};
		expect(await list("platform")).toEqual([expected, expected]);
		expect(await list("data_scientist")).toEqual([undefined, undefined]);
		const [id = ""] = await w.submit({ name: "second" });
		await w.tick();
		expect(await w.database.db.$count(instance, eq(instance.jobId, id))).toBe(1);
		expect(await list("platform")).toEqual([expected]);
	});

	it("keeps machines ready by the learned forecast alone, from the hour in which past days had their peak", async () => {
		const startMs = Date.UTC(2026, 10, 2, 8, 20);
		const nineMs = Date.UTC(2026, 10, 2, 9);
		const cloudStartMs = { p50Ms: MINUTE_MS, p90Ms: 1.5 * MINUTE_MS };
		const w = await open({ rules: [], startMs, cloudStartMs, cloud: { bootDelayMs: MINUTE_MS } });
		const [, first = ""] = await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
		await w.until(async () => (await w.jobs()).some(({ id, state }) => id === first && state === "succeeded") && (await w.quiet()));
		expect(await w.instances()).toHaveLength(1);
		await repeatOnPastDays(w, first, 20);
		expect(w.clock.nowMs()).toBeLessThan(nineMs - 5 * MINUTE_MS);
		const byForecast = rule().replace(/hours: \{.*\} \}/, "waitingUsdPerGpuHour: 200 }");
		await w.publish([`${byForecast} }`]);
		// A quantile just above 0 is rounded up to one machine.
		await w.until(async () => {
			expect((await warmOf(w)).length).toBeLessThan(2);
			return w.clock.nowMs() >= nineMs - MINUTE_MS;
		});
		await w.until(async () => (await waitingOf(w)).length === 2);
		// The rule has no hours, and the clock is before the minute in which past jobs came.
		expect(w.clock.nowMs()).toBeLessThan(nineMs + 5 * MINUTE_MS);
		const made = w.cloud.instances().length;
		const [, id = ""] = await w.submit({ name: "home-2", estimate: "15m", max: "1h" }, { name: "second" });
		await w.until(async () => (await w.jobs()).some((j) => j.id === id && j.state === "running"));
		expect(await w.database.db.select({ rule: instance.warmRule }).from(instance).where(eq(instance.jobId, id))).toEqual([
			{ rule: "ready" },
		]);
		expect(w.cloud.instances()).toHaveLength(made);
	});

	it("ends a machine without a job at its idle limit, and does not replace it until a job needs one", async () => {
		const w = await open();
		await withTwoReady(w);
		await w.until(async () => (await warmOf(w)).every((row) => row.state === "terminated"));
		expect((await warmOf(w)).map((row) => row.reason?.facts["why"])).toEqual(["idle_limit", "idle_limit"]);
		for (let i = 0; i < 60; i++) await w.tick();
		expect(await warmOf(w)).toHaveLength(2);
	});

	it("never holds and posts more than the rule's budget", async () => {
		// One machine's worst case is 45 minutes at $1: two fit into $1.60 at first, and a third does not.
		const w = await open({ rules: [rule().replace("monthlyUsd: 50", "monthlyUsd: 1.6").replace("machines: 2", "machines: 3")] });
		await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
		for (let i = 0; i < 300; i++) {
			await w.tick();
			const [row] = await w.database.db.select().from(budgetPeriod).where(eq(budgetPeriod.budgetId, "prewarm:ready"));
			if (row) expect(row.postedMicroUsd + row.heldMicroUsd).toBeLessThanOrEqual(1_600_000n);
		}
		expect((await warmOf(w)).length).toBe(2);
	});

	it("counts a machine against the caps, once, also when a job takes it", async () => {
		const w = await open({ caps: ['{ id: two, scope: "true", instances: 2 }'] });
		await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
		await w.until(async () => (await waitingOf(w)).length === 2);
		const [id = ""] = await w.submit({ name: "second" }, { name: "third" });
		for (let i = 0; i < 3; i++) {
			await w.tick();
			expect((await w.instances()).filter((row) => row.state !== "terminated").length).toBeLessThanOrEqual(2);
		}
		expect(await w.database.db.$count(instance, eq(instance.jobId, id))).toBe(1);
	});

	it.each([
		...(["prewarm:intent_written", "launch:request_marked", "launch:provider_answered", "launch:id_written"] as const).map(
			(step) => [step, "it launches machines"] as const,
		),
		["launch:intent_written", "a job takes one"] as const,
		...(["prewarm:given_up", "terminate:marked", "terminate:provider_answered", "terminate:seen", "terminate:written"] as const).map(
			(step) => [step, "the rule is removed"] as const,
		),
	])("loses and doubles nothing when the scheduler dies at %s, while %s", async (step, when) => {
		const w = await open();
		/** The first launch is that of the first job, in the same cycle as those of the rule. */
		const killWhen = (now: string): void => {
			const skipped = now === "it launches machines" && step.startsWith("launch:") ? 1 : 0;
			if (when === now) w.killAt = { step, pass: (w.passes.get(step) ?? 0) + skipped + 1 };
		};
		killWhen("it launches machines");
		await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
		await w.until(async () => {
			expect((await warmOf(w)).filter((row) => row.state !== "terminated").length).toBeLessThanOrEqual(2);
			return (await waitingOf(w)).length === 2 && (await w.jobs()).some((j) => j.name === "first" && j.state === "succeeded");
		});
		killWhen("a job takes one");
		const [id = ""] = await w.submit({ name: "second" });
		await w.until(async () => (await w.jobs()).find((j) => j.id === id)?.state === "running");
		expect(await w.database.db.select({ rule: instance.warmRule }).from(instance).where(eq(instance.jobId, id))).toEqual([
			{ rule: "ready" },
		]);
		killWhen("the rule is removed");
		await removeRule(w);
		await w.until(() => w.quiet(), 2_000);
		expect(w.deaths).toBe(1);
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded", "succeeded"]);
		await expectClosed(w);
	});

	it("gives one machine to one job: the database rejects a second", async () => {
		const w = await open();
		await withTwoReady(w);
		const [id = ""] = await w.submit({ name: "second" });
		await w.tick();
		const [first] = await w.attempts();
		const again = w.database.sql`update instance set attempt_id = ${first?.id ?? ""}, job_id = ${first?.jobId ?? ""} where job_id = ${id}`;
		await expect(again).rejects.toThrow("has its job already");
	});
});
