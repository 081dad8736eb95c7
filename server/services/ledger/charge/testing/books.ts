import { and, eq, sql } from "drizzle-orm";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { budgetPeriod, hold } from "#server/db/schema/budget.ts";
import { charge, rollup } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { reason } from "#server/domain/reasons.ts";
import type { AttemptState } from "#server/domain/states.ts";
import type { CapacityType, Provider, WorkloadClass } from "#server/domain/vocabulary.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { attemptIdOf, instanceIdOf, newId } from "#server/kernel/ids.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** 2026-11-10T10:00:00Z, a whole hour. */
export const T0 = Date.UTC(2026, 10, 10, 10);

/** A database with its own clock and the few rows that charges depend on. */
export interface Books extends ServiceContext {
	clock: ManualClock;
	database: TestDatabase;
}

export async function openBooks(startMs = T0): Promise<Books> {
	const database = await createTestDatabase();
	return { database, db: database.db, clock: new ManualClock(startMs), actor: { kind: "system", part: "seed" }, requestId: null };
}

export function aBudget(changes: Partial<BudgetRule> = {}): BudgetRule {
	return { id: "cloud-month", scope: "true", period: "month", capMicroUsd: 100_000_000n, atCap: "hold", line: 1, ...changes };
}

interface Work {
	team?: string;
	project?: string;
	class?: WorkloadClass;
	gpus?: number;
}

export async function addJob(books: Books, work: Work = {}): Promise<string> {
	const id = newId("job", books.clock.nowMs());
	const { team = "risk", project = "fraud", class: workload = "burst", gpus = 1 } = work;
	const spec: JobSpec = {
		name: "train",
		team,
		project,
		labels: {},
		class: workload,
		image: null,
		command: ["true"],
		env: {},
		nodes: 1,
		resources: { gpus, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: null, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
	};
	const at = new Date(books.clock.nowMs());
	await books.db.insert(job).values({
		...{ id, name: spec.name, team, project, class: workload, priority: 50, gpus, spec },
		...{ reason: reason("submitted"), submittedBy: "system:seed", submittedAt: at, pendingSince: at },
	});
	return id;
}

export async function addAttempt(books: Books, jobId: string, number: number, placement: Placement, gpus: number): Promise<string> {
	const id = attemptIdOf(jobId, number);
	await books.db.insert(attempt).values({
		...{ id, jobId, number, placement, siteId: placement.siteId, capacityType: placement.capacityType, gpus },
		createdAt: new Date(books.clock.nowMs()),
	});
	return id;
}

export async function endAttempt(books: Books, id: string, state: Extract<AttemptState, "failed" | "interrupted">): Promise<void> {
	await books.db
		.update(attempt)
		.set({ state, reason: reason("spot_interruption"), finishedAt: new Date(books.clock.nowMs()) })
		.where(eq(attempt.id, id));
}

interface MachineOptions extends Work {
	jobId?: string;
	attemptNo?: number;
	launchedMs?: number | null;
	microUsdPerHour?: bigint;
	onDemandMicroUsdPerHour?: bigint | null;
	capacityType?: Exclude<CapacityType, "owned">;
	region?: string;
	/** Monthly cost of its disk, 100 GiB of gp3. null: unknown. Absent: the offer names no disk. */
	diskMicroUsdPerMonth?: bigint | null;
	/** Name of the instance type's GPUs; an unknown name has no known power. */
	accelerator?: string;
}

/** A g5.xlarge with a separate job: on spot at $0.4042/h (on-demand $1.006/h) by default, launched now. */
export async function addMachine(
	books: Books,
	options: MachineOptions = {},
): Promise<{ instanceId: string; jobId: string; attemptId: string }> {
	const { microUsdPerHour = 404_200n, onDemandMicroUsdPerHour = 1_006_000n, capacityType = "spot", gpus = 1, attemptNo = 1 } = options;
	const { region = "us-east-1", accelerator = "A10G-24GB", diskMicroUsdPerMonth } = options;
	const launchedMs = options.launchedMs === undefined ? books.clock.nowMs() : options.launchedMs;
	const jobId = options.jobId ?? (await addJob(books, options));
	const place = { siteId: "aws", provider: "aws", region, zone: null, capacityType, instanceType: "g5.xlarge", accelerator } as const;
	const attemptId = await addAttempt(books, jobId, attemptNo, { ...place, poolId: null }, gpus);
	const instanceId = instanceIdOf(jobId, attemptNo, 0);
	const nowMs = books.clock.nowMs();
	// Its command runs from the launch on, so all of its time is compute.
	if (launchedMs !== null)
		await books.db
			.update(attempt)
			.set({ startedAt: new Date(launchedMs) })
			.where(eq(attempt.id, attemptId));
	await books.db.insert(instance).values({
		...{ id: instanceId, jobId, attemptId, ...place, gpus, microUsdPerHour },
		offer: {
			...place,
			...{ id: `aws:${region}:*:g5.xlarge:${capacityType}`, gpus, vcpus: 4, memoryGiB: 16 },
			microUsdPerHour: microUsdPerHour.toString(),
			onDemandMicroUsdPerHour: onDemandMicroUsdPerHour?.toString() ?? null,
			...{ priceObservedAtMs: nowMs, priceSource: "test", backoffUntilMs: null, backoffReason: null, egressMicroUsdPerGiB: "90000" },
			...{ gridGramsPerKwh: 380.5, pue: 1.15 },
			...(diskMicroUsdPerMonth !== undefined && {
				disk: { type: "gp3", gib: 100, microUsdPerMonth: diskMicroUsdPerMonth?.toString() ?? null, observedAtMs: nowMs, source: "test" },
			}),
		},
		...(launchedMs === null
			? { state: "intended" as const }
			: {
					state: "ready" as const,
					providerInstanceId: `i-${instanceId.slice(-20)}-${jobId.slice(-6)}`,
					launchedAt: new Date(launchedMs),
					billedFrom: new Date(launchedMs),
				}),
		...{ intendedAt: new Date(nowMs), expiresAt: new Date(nowMs + 86_400_000) },
	});
	return { instanceId, jobId, attemptId };
}

export async function terminate(books: Books, instanceId: string, atMs = books.clock.nowMs()): Promise<void> {
	await books.db
		.update(instance)
		.set({
			state: "terminated",
			terminatedAt: new Date(atMs),
			billedUntil: sql`case when ${instance.billedFrom} is not null then ${new Date(atMs).toISOString()}::timestamptz end`,
		})
		.where(eq(instance.id, instanceId));
}

/** Four A10G at home, owned since `sinceMs`. */
export async function addPool(
	books: Books,
	options: { id?: string; gpus?: number; microUsdPerGpuHour?: bigint; sinceMs?: number } = {},
): Promise<void> {
	const { id = "gpu", gpus = 4, microUsdPerGpuHour = 600_000n, sinceMs = books.clock.nowMs() } = options;
	await books.db.insert(site).values({ id: "local", name: "Home", provider: "local", settings: {} }).onConflictDoNothing();
	await books.db.insert(pool).values({
		...{ id, siteId: "local", accelerator: "A10G-24GB", nodes: 1, gpusPerNode: gpus, unavailableSlots: [], microUsdPerGpuHour },
		...{ wattsPerGpu: 150, ownedSince: new Date(sinceMs) },
	});
}

export async function addUse(
	books: Books,
	options: Work & {
		siteId?: string;
		provider?: Provider;
		poolId?: string;
		slots?: number[];
		startedMs?: number;
		microUsdPerGpuHour?: bigint;
	} = {},
): Promise<{ allocationId: string; jobId: string; attemptId: string }> {
	const { slots = [0], poolId = "gpu", microUsdPerGpuHour = 600_000n, startedMs = books.clock.nowMs() } = options;
	const jobId = await addJob(books, { ...options, gpus: slots.length });
	const { siteId = "local", provider = "local" } = options;
	const place = { siteId, provider, region: null, zone: null, capacityType: "owned", instanceType: null } as const;
	const attemptId = await addAttempt(books, jobId, 1, { ...place, poolId, accelerator: "A10G-24GB" }, slots.length);
	const allocationId = newId("alc", books.clock.nowMs());
	await books.db.insert(allocation).values({
		...{ id: allocationId, attemptId, jobId, siteId, poolId, slots, microUsdPerGpuHour },
		startedAt: new Date(startedMs),
	});
	return { allocationId, jobId, attemptId };
}

export async function endUse(books: Books, allocationId: string, atMs = books.clock.nowMs()): Promise<void> {
	await books.db
		.update(allocation)
		.set({ endedAt: new Date(atMs) })
		.where(eq(allocation.id, allocationId));
}

// --- readings -------------------------------------------------------------------------------------------------------

const bigintSum = sql`coalesce(sum(${charge.effectiveMicroUsd}), 0)`.mapWith((v: unknown) => BigInt(String(v)));

export async function chargedTo(
	books: Books,
	where: { instanceId: string } | { allocationId: string } | { poolId: string },
): Promise<bigint> {
	const [[name, id] = ["", ""]] = Object.entries(where);
	const column = name === "instanceId" ? charge.instanceId : name === "allocationId" ? charge.allocationId : charge.poolId;
	const [row] = await books.db.select({ sum: bigintSum }).from(charge).where(eq(column, id));
	return row?.sum ?? 0n;
}

export async function readInstance(books: Books, id: string) {
	const [row] = await books.db.select().from(instance).where(eq(instance.id, id));
	if (!row) throw new Error(`no instance ${id}`);
	return row;
}

export async function readJob(books: Books, id: string) {
	const [row] = await books.db.select().from(job).where(eq(job.id, id));
	if (!row) throw new Error(`no job ${id}`);
	return row;
}

export async function readHold(books: Books, instanceId: string) {
	const [row] = await books.db.select().from(hold).where(eq(hold.instanceId, instanceId));
	if (!row) throw new Error(`no hold for ${instanceId}`);
	return row;
}

export async function readBudget(books: Books, budgetId: string, periodKey: string): Promise<{ posted: bigint; held: bigint }> {
	const [row] = await books.db
		.select({ posted: budgetPeriod.postedMicroUsd, held: budgetPeriod.heldMicroUsd })
		.from(budgetPeriod)
		.where(and(eq(budgetPeriod.budgetId, budgetId), eq(budgetPeriod.periodKey, periodKey)));
	return row ?? { posted: 0n, held: 0n };
}

export async function countRows(books: Books): Promise<{ charges: number; rollups: number }> {
	return { charges: await books.db.$count(charge), rollups: await books.db.$count(rollup) };
}
