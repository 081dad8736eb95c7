import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import type { Usage } from "#server/accounting/meter-usage.ts";
import type { Tx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import type { instance } from "#server/db/schema/instance.ts";
import { setting } from "#server/db/schema/setting.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { egressCostMicroUsd, internetEgress } from "#server/rates/egress.ts";
import { RATED_PROVIDERS, type RatedProvider } from "#server/rates/offers.ts";
import { egressCounterKey } from "#server/services/pricing/offer/egress-volume.ts";

/** A machine with the time being charged. */
export interface Sender {
	row: typeof instance.$inferSelect;
	usage: Usage;
}

/** A checkpoint is recorded with the time its commit began, so look back this much longer. */
const COMMIT_MAX_MS = 10 * MINUTE_MS;

/**
 * Charges for checkpoints that these machines sent home and the ledger lacks: data out of their region, at the tier reached by the volume
 * so far in the provider's month (UTC). A ledger entry at a checkpoint's instant marks it as charged, so none is charged twice. The
 * machines must be locked, which serializes meters.
 */
export async function meterEgress(tx: Tx, machines: readonly Sender[]): Promise<Map<string, ChargeDraft[]>> {
	// The first machine of a gang carries its attempt's checkpoints.
	const senders = machines.flatMap(({ row, usage }) => {
		const provider = RATED_PROVIDERS.find((p) => p === row.provider);
		const { jobId, attemptId } = row;
		return provider && jobId !== null && attemptId !== null && row.rank === 0 ? [{ row, usage, provider, jobId, attemptId }] : [];
	});
	const found = await uncharged(tx, senders);
	if (found.length === 0) return new Map();
	const counters = await lockCounters(tx, found);
	const drafts = new Map<string, ChargeDraft[]>();
	for (const { sender, atMs, bytes } of found) {
		const key = egressCounterKey(sender.provider, sender.row.region, atMs);
		const sent = counters.get(key) ?? 0n;
		const rate = internetEgress(sender.provider, sender.row.region);
		// Charge the difference of two running totals, so that a month's checkpoints add up to the cost of its bytes as a whole.
		const microUsd = egressCostMicroUsd(rate, sent + bytes) - egressCostMicroUsd(rate, sent);
		counters.set(key, sent + bytes);
		drafts.set(sender.row.id, [...(drafts.get(sender.row.id) ?? []), egressCharge(sender.usage, atMs, microUsd)]);
	}
	for (const [key, bytes] of counters) await tx.update(setting).set({ value: bytes.toString() }).where(eq(setting.key, key));
	return drafts;
}

interface Sent {
	sender: Sender & { provider: RatedProvider; jobId: string; attemptId: string };
	atMs: number;
	bytes: bigint;
}

async function uncharged(tx: Tx, senders: readonly Sent["sender"][]): Promise<Sent[]> {
	if (senders.length === 0) return [];
	const byAttempt = new Map(senders.map((s) => [s.attemptId, s]));
	const rows = await tx
		.select({ attemptId: checkpoint.attemptId, at: checkpoint.createdAt, bytes: checkpoint.bytes })
		.from(checkpoint)
		.where(and(inArray(checkpoint.jobId, [...new Set(senders.map((s) => s.jobId))]), inArray(checkpoint.attemptId, [...byAttempt.keys()])))
		.orderBy(asc(checkpoint.createdAt), asc(checkpoint.id));
	const recent = rows.flatMap(({ attemptId, at, bytes }): Sent[] => {
		const sender = byAttempt.get(attemptId);
		if (!sender || bytes <= 0n) return [];
		const { terminatedAt, meteredUntil } = sender.row;
		const done = !terminatedAt && meteredUntil && at.getTime() < meteredUntil.getTime() - COMMIT_MAX_MS;
		return done ? [] : [{ sender, atMs: at.getTime(), bytes }];
	});
	if (recent.length === 0) return [];
	// Select by instant, which uses an index; selecting by machine would read all of a machine's charges.
	const instants = [...new Set(recent.map((r) => r.atMs))].map((ms) => new Date(ms));
	const charged = await tx
		.select({ instanceId: charge.instanceId, at: charge.periodStart })
		.from(charge)
		.where(and(eq(charge.kind, "egress"), inArray(charge.periodStart, instants)));
	const known = new Set(charged.map((c) => `${c.instanceId}/${c.at.getTime()}`));
	return recent.filter((r) => !known.has(`${r.sender.row.id}/${r.atMs}`));
}

/** Bytes sent out of a region so far in the provider's month; rows are locked in one order until the transaction ends. */
async function lockCounters(tx: Tx, sent: readonly Sent[]): Promise<Map<string, bigint>> {
	const keys = [...new Set(sent.map((s) => egressCounterKey(s.sender.provider, s.sender.row.region, s.atMs)))].sort();
	await tx
		.insert(setting)
		.values(keys.map((key) => ({ key, value: "0" })))
		.onConflictDoNothing();
	const rows = await tx.select().from(setting).where(inArray(setting.key, keys)).orderBy(sql`${setting.key} collate "C"`).for("update");
	return new Map(rows.map((r) => [r.key, BigInt(String(r.value))]));
}

/** It has no duration, so it occupies one millisecond; the energy of networks is not counted. */
function egressCharge(usage: Usage, atMs: number, microUsd: bigint): ChargeDraft {
	return {
		periodStartMs: atMs,
		periodEndMs: atMs + 1,
		dimensions: { ...usage.dimensions, kind: "egress" },
		...usage.cause,
		billLineId: null,
		correction: null,
		...NO_AMOUNTS,
		...{ listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd },
	};
}
