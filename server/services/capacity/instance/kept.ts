import { and, asc, desc, eq, inArray, isNull, or } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { keptMachine } from "#server/db/schema/kept-machine.ts";
import { offer } from "#server/db/schema/offer.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readLockedSetting, writeSetting } from "#server/services/core/setting.ts";

/** A machine of the reviewer's list. */
export interface FoundMachine {
	siteId: string;
	region: string;
	providerInstanceId: string;
	instanceType: string;
	/** These are null in a list of an earlier release. */
	zone: string | null;
	capacityType: CapacityType | null;
	launchedAtMs: number | null;
	jobId: string | null;
}

/** Machines that the sweep leaves alone although they have no row: their ids with their sites. Earlier releases read it too. */
const KEY = "kept_machines";

export async function readKept(db: DbOrTx): Promise<ReadonlyMap<string, string>> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return parseKept(row?.value);
}

/** They cannot change until the transaction ends. */
async function lockKept(tx: Tx): Promise<ReadonlyMap<string, string>> {
	return parseKept(await readLockedSetting(tx, KEY));
}

function parseKept(value: unknown): ReadonlyMap<string, string> {
	return new Map(z.array(z.tuple([z.string(), z.string()])).parse(value ?? []));
}

/** Records machines that a person keeps after a restore, at the price of the restored database. */
export async function keepMachines(tx: Tx, machines: readonly FoundMachine[], { by, nowMs }: { by: string; nowMs: number }): Promise<void> {
	const kept = await lockKept(tx);
	await writeSetting(tx, KEY, [...kept, ...machines.map((one) => [one.providerInstanceId, one.siteId])]);
	for (const machine of machines) {
		const row = await rowOf(tx, machine, nowMs);
		if (row === null) continue;
		await tx
			.insert(keptMachine)
			.values({ ...row, id: newId("ins", nowMs), keptBy: by, keptAt: new Date(nowMs), costMicroUsd: 0n })
			.onConflictDoNothing();
	}
}

/** Null when its site was deleted. */
async function rowOf(tx: Tx, machine: FoundMachine, nowMs: number) {
	const { siteId, providerInstanceId, region, zone, instanceType, launchedAtMs, jobId } = machine;
	const [place] = await tx.select({ provider: site.provider }).from(site).where(eq(site.id, siteId));
	if (!place) return null;
	const capacityType = machine.capacityType ?? "on_demand";
	const [like] = await tx
		.select()
		.from(offer)
		.where(
			and(
				...[eq(offer.siteId, siteId), eq(offer.region, region), eq(offer.instanceType, instanceType), eq(offer.capacityType, capacityType)],
				zone === null ? undefined : or(eq(offer.zone, zone), isNull(offer.zone)),
			),
		)
		.orderBy(desc(offer.seenAt), asc(offer.id))
		.limit(1);
	const [known] = jobId === null ? [] : await tx.select({ id: job.id }).from(job).where(eq(job.id, jobId));
	const price = like?.microUsdPerHour ?? like?.onDemandMicroUsdPerHour ?? null;
	return {
		...{ siteId, provider: place.provider, providerInstanceId, region, zone, instanceType, capacityType },
		...{ accelerator: like?.accelerator ?? "", gpus: like?.gpus ?? 0, microUsdPerHour: price },
		...{
			listMicroUsdPerHour: like?.onDemandMicroUsdPerHour ?? price,
			jobId: known?.id ?? null,
			launchedAt: new Date(launchedAtMs ?? nowMs),
		},
	};
}

/** Forgets kept machines that a complete sweep no longer found. Their charges end then. */
export async function endKept(db: DbOrTx, ended: readonly string[], { siteId, nowMs }: { siteId: string; nowMs: number }): Promise<void> {
	if (ended.length === 0) return;
	await db.transaction(async (tx) => {
		const kept = await lockKept(tx);
		const remaining = [...kept].filter(([id]) => !ended.includes(id));
		if (remaining.length < kept.size) await writeSetting(tx, KEY, remaining);
		await tx
			.update(keptMachine)
			.set({ endedAt: new Date(nowMs) })
			.where(and(eq(keptMachine.siteId, siteId), inArray(keptMachine.providerInstanceId, [...ended]), isNull(keptMachine.endedAt)));
	});
}

/** Those of a site that have not ended, released ones included. */
export async function liveKept(db: DbOrTx, siteId: string): Promise<string[]> {
	const rows = await db
		.select({ id: keptMachine.providerInstanceId })
		.from(keptMachine)
		.where(and(eq(keptMachine.siteId, siteId), isNull(keptMachine.endedAt)));
	return rows.map(({ id }) => id);
}

/** Kept machines, those that still run first. */
export function listKept(db: DbOrTx): Promise<(typeof keptMachine.$inferSelect)[]> {
	return db.select().from(keptMachine).orderBy(desc(keptMachine.endedAt), asc(keptMachine.keptAt), asc(keptMachine.id));
}

/**
 * Ends the exception of a kept machine: the next sweep terminates it.
 * @throws SpillwayError `not_found` for a machine that is not kept
 */
export async function releaseKept(ctx: ServiceContext, providerInstanceId: string, by: string): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const kept = await lockKept(tx);
		if (!kept.has(providerInstanceId))
			throw new SpillwayError("not_found", `No machine ${providerInstanceId} is kept.`, { fix: "`spillway restore --kept` lists them." });
		const remaining = [...kept].filter(([id]) => id !== providerInstanceId);
		await writeSetting(tx, KEY, remaining);
		const after = { releasedBy: by, releasedAt: new Date(ctx.clock.nowMs()) };
		await tx.update(keptMachine).set(after).where(eq(keptMachine.providerInstanceId, providerInstanceId));
		await writeAudit(tx, ctx, { action: "machine.release_kept", subject: providerInstanceId, after });
	});
}
