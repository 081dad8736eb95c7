import { and, asc, desc, eq, inArray } from "drizzle-orm";
import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import type { Usage } from "#server/accounting/meter-usage.ts";
import { egressMicroUsd } from "#server/accounting/storage-cost.ts";
import type { Tx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { RATED_PROVIDERS, type RatedProvider } from "#server/rates/offers.ts";
import { regionTransferMicroUsdPerGiB } from "#server/rates/region-transfer.ts";
import { pricedSource } from "./copy-egress.ts";
import { priceVolumes } from "./egress-volumes.ts";

/** A machine with the time being charged. */
export interface Sender {
	row: typeof instance.$inferSelect;
	usage: Usage;
}

/** A checkpoint is recorded with the time its commit began, so look back this much longer. */
const COMMIT_MAX_MS = 10 * MINUTE_MS;

/**
 * Charges for checkpoints that these machines sent home, and for data that they read from other clouds and regions, as far as the ledger
 * lacks them. Data to the internet costs the tier reached by the volume so far in the provider's month (UTC), data between regions of one
 * cloud its listed price. A ledger entry at a checkpoint's instant marks it as charged, so none is charged twice. The machines must be
 * locked, which serializes meters.
 */
export async function meterEgress(tx: Tx, machines: readonly Sender[]): Promise<Map<string, ChargeDraft[]>> {
	// The first machine of a gang carries its attempt's checkpoints.
	const senders = machines.flatMap(({ row, usage }) => {
		const provider = RATED_PROVIDERS.find((p) => p === row.provider);
		const { jobId, attemptId } = row;
		return provider && jobId !== null && attemptId !== null && row.rank === 0 ? [{ row, usage, provider, jobId, attemptId }] : [];
	});
	const found = [...(await uncharged(tx, senders)), ...readsOf(machines)];
	if (found.length === 0) return new Map();
	const prices = await pricesOf(tx, found);
	const drafts = new Map<string, ChargeDraft[]>();
	const sites = await sitesOf(tx, found);
	for (const [i, { sender, atMs, from, mostMicroUsd }] of found.entries()) {
		const price = prices[i] ?? 0n;
		const microUsd = mostMicroUsd !== undefined && price > mostMicroUsd ? mostMicroUsd : price;
		const isOwn = from.provider === sender.row.provider;
		const siteId = isOwn ? sender.usage.dimensions.siteId : (sites.get(from.provider) ?? from.provider);
		if (microUsd === 0n && mostMicroUsd !== undefined) continue;
		const charge = egressCharge(sender.usage, { ...from, siteId }, atMs, microUsd);
		drafts.set(sender.row.id, [...(drafts.get(sender.row.id) ?? []), charge]);
	}
	await markReadsCharged(tx, machines);
	return drafts;
}

interface Sent {
	sender: Sender;
	/** The region that the data left. */
	from: { provider: RatedProvider; region: string };
	atMs: number;
	bytes: bigint;
	/** Data that it read: no more is charged. */
	mostMicroUsd?: bigint;
	/** Of data from another region of its cloud. Absent: it left for the internet. */
	microUsdPerGiB?: bigint;
}

/** The cost of each, µ$. Only volumes to the internet count toward the month's tiers. */
async function pricesOf(tx: Tx, sent: readonly Sent[]): Promise<bigint[]> {
	const toInternet = sent.filter(({ microUsdPerGiB }) => microUsdPerGiB === undefined);
	const prices = await priceVolumes(
		tx,
		toInternet.map(({ from, atMs, bytes }) => ({ ...from, atMs, bytes })),
	);
	const known = new Map(toInternet.map((one, i) => [one, prices[i] ?? 0n]));
	return sent.map((one) => known.get(one) ?? egressMicroUsd(one.bytes, one.microUsdPerGiB ?? 0n));
}

/** What the machines read from other clouds and regions and the ledger lacks. */
function readsOf(machines: readonly Sender[]): Sent[] {
	return machines.flatMap((sender) => {
		const { dataReads, dataReadAt, jobId, provider, region } = sender.row;
		if (!dataReads || !dataReadAt || jobId === null) return [];
		return dataReads.flatMap(({ from, bytes, heldMicroUsd }, i): Sent[] => {
			const source = pricedSource(from);
			const read = { sender, atMs: dataReadAt.getTime() + i, bytes: BigInt(bytes), mostMicroUsd: BigInt(heldMicroUsd) };
			const microUsdPerGiB = regionTransferMicroUsdPerGiB(from, `${provider}:${region}`);
			return source === null ? [] : [{ ...read, from: source, ...(microUsdPerGiB !== null && { microUsdPerGiB }) }];
		});
	});
}

async function markReadsCharged(tx: Tx, machines: readonly Sender[]): Promise<void> {
	const ids = machines.flatMap(({ row }) => (row.dataReads ? [row.id] : []));
	if (ids.length > 0) await tx.update(instance).set({ dataReads: null }).where(inArray(instance.id, ids));
}

/** The first site of each cloud that data was read from. */
async function sitesOf(tx: Tx, sent: readonly Sent[]): Promise<Map<string, string>> {
	const providers = [...new Set(sent.flatMap(({ from, mostMicroUsd }) => (mostMicroUsd === undefined ? [] : [from.provider])))];
	if (providers.length === 0) return new Map();
	const rows = await tx
		.select({ id: site.id, provider: site.provider })
		.from(site)
		.where(inArray(site.provider, providers))
		.orderBy(desc(site.id));
	return new Map(rows.map(({ id, provider }) => [provider, id]));
}

type CheckpointSender = Sender & { provider: RatedProvider; jobId: string; attemptId: string };

async function uncharged(tx: Tx, senders: readonly CheckpointSender[]): Promise<Sent[]> {
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
		return done ? [] : [{ sender, from: { provider: sender.provider, region: sender.row.region }, atMs: at.getTime(), bytes }];
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
function egressCharge(
	usage: Usage,
	from: { provider: RatedProvider; region: string; siteId: string },
	atMs: number,
	microUsd: bigint,
): ChargeDraft {
	return {
		periodStartMs: atMs,
		periodEndMs: atMs + 1,
		dimensions: { ...usage.dimensions, ...from, kind: "egress" },
		...usage.cause,
		billLineId: null,
		correction: null,
		...NO_AMOUNTS,
		...{ listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd },
	};
}
