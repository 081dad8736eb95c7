import { and, asc, eq, inArray } from "drizzle-orm";
import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import type { Usage } from "#server/accounting/meter-usage.ts";
import type { Tx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import type { instance } from "#server/db/schema/instance.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { RATED_PROVIDERS, type RatedProvider } from "#server/rates/offers.ts";
import { priceVolumes } from "./egress-volumes.ts";

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
	const prices = await priceVolumes(
		tx,
		found.map(({ sender, atMs, bytes }) => ({ provider: sender.provider, region: sender.row.region, atMs, bytes })),
	);
	const drafts = new Map<string, ChargeDraft[]>();
	for (const [i, { sender, atMs }] of found.entries())
		drafts.set(sender.row.id, [...(drafts.get(sender.row.id) ?? []), egressCharge(sender.usage, atMs, prices[i] ?? 0n)]);
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
