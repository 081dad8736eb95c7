import { and, asc, gt, inArray, isNull, ne, or } from "drizzle-orm";
import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import type { Commitment } from "#server/accounting/commitment.ts";
import { type DiskUsage, diskTermsOf } from "#server/accounting/disk.ts";
import { correctUsage, type Metered, type Phase, type Usage } from "#server/accounting/meter-usage.ts";
import { type PriceObservation, spotSteps } from "#server/accounting/spot-prices.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Tx } from "#server/db/client.ts";
import type { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import type { instance } from "#server/db/schema/instance.ts";
import type { job } from "#server/db/schema/job.ts";
import { offerPrice } from "#server/db/schema/offer.ts";
import type { OfferDiscount } from "#server/domain/capacity.ts";
import { discounted } from "#server/scheduling/discount.ts";
import type { GridHours } from "#server/services/pricing/energy/grid-hours.ts";
import type { MeasuredMinutes } from "#server/services/pricing/energy/measured-minutes.ts";
import { powerOfMachine } from "#server/services/pricing/energy/power-facts.ts";
import { readPosted } from "./posted-money.ts";

/** A machine with the jobs it ran, and when. */
export interface Machine {
	instance: typeof instance.$inferSelect;
	/** Null while it has no job. */
	work: Pick<typeof job.$inferSelect, "team" | "project" | "class"> | null;
	times: Pick<typeof attempt.$inferSelect, "stagingAt" | "startedAt"> | null;
}

/** Fields missing from the rows. */
export interface Known {
	calendar: Calendar;
	grids: ReadonlyMap<string, GridHours>;
	/** Measurements by machine, for machines with an agent that measures. */
	measured: ReadonlyMap<string, MeasuredMinutes>;
	/** Prices of spot offers, in order of time. */
	prices: ReadonlyMap<string, readonly PriceObservation[]>;
	/** The commitment by machine that it pays for. */
	commitments: ReadonlyMap<string, Commitment>;
}

/** Prices of the spot offers since the first of the machines was launched. */
export async function readSpotPrices(tx: Tx, machines: readonly Machine[]): Promise<Known["prices"]> {
	const spot = machines.flatMap(({ instance: row }) =>
		row.capacityType === "spot" && row.billedFrom ? [{ offerId: row.offer.id, atMs: row.billedFrom.getTime() }] : [],
	);
	if (spot.length === 0) return new Map();
	const offerIds = [...new Set(spot.map((s) => s.offerId))];
	const since = new Date(Math.min(...spot.map((s) => s.atMs)));
	const found = await tx
		.select()
		.from(offerPrice)
		.where(and(inArray(offerPrice.offerId, offerIds), gt(offerPrice.observedAt, since)))
		.orderBy(asc(offerPrice.observedAt));
	const seen = found.map((p) => ({ offerId: p.offerId, atMs: p.observedAt.getTime(), microUsdPerHour: p.microUsdPerHour }));
	return Map.groupBy(seen, (p) => p.offerId);
}

/** Null while it is not billed. */
export function usageOf({ instance: row, work, times }: Machine, known: Known): Usage | null {
	if (row.billedFrom === null) return null;
	const startMs = row.billedFrom.getTime();
	const listMicroUsdPerHour = BigInt(row.offer.listMicroUsdPerHour ?? row.offer.onDemandMicroUsdPerHour ?? row.microUsdPerHour);
	const launch = { microUsdPerHour: row.microUsdPerHour, listMicroUsdPerHour };
	// Only spot prices change while a machine runs; other prices stay as at launch.
	const observed = row.capacityType === "spot" ? contracted(known.prices.get(row.offer.id) ?? [], row.offer.discount) : [];
	return {
		startMs,
		endMs: row.billedUntil?.getTime() ?? null,
		prices: spotSteps({ provider: row.provider, startMs, launch, observed }),
		terms: billingTermsOf(row.provider),
		phases: phasesOf(startMs, times),
		commitment: known.commitments.get(row.id),
		disk: diskOf(row),
		calendar: known.calendar,
		gpus: row.gpus,
		power: powerOfMachine(row, known.grids, known.measured.get(row.id)),
		dimensions: {
			...(work ?? { team: "", project: "", class: "" as const }),
			siteId: row.siteId,
			provider: row.provider,
			region: row.region,
			capacityType: row.capacityType,
			accelerator: row.accelerator,
		},
		cause: { jobId: row.jobId, attemptId: row.attemptId, instanceId: row.id, allocationId: null, poolId: null },
		...(row.stoppedFrom !== null && { stopped: { fromMs: row.stoppedFrom.getTime(), toMs: row.startCalledAt?.getTime() ?? null } }),
		...(row.warmRule !== null && { warm: { untilMs: row.assignedAt?.getTime() ?? Number.POSITIVE_INFINITY } }),
	};
}

/** Prices as the provider listed them, less the discount applied at launch. */
function contracted(observed: readonly PriceObservation[], discount: OfferDiscount | undefined): readonly PriceObservation[] {
	if (!discount) return observed;
	return observed.map((seen) => ({ ...seen, microUsdPerHour: discounted(seen.microUsdPerHour, discount.partsPerMillion) }));
}

/** As requested at launch, at the price known then. */
function diskOf({ provider, offer: { disk } }: Machine["instance"]): DiskUsage | undefined {
	if (!disk || disk.microUsdPerMonth === null) return undefined;
	return { microUsdPerMonth: BigInt(disk.microUsdPerMonth), terms: diskTermsOf(provider) };
}

/** A machine boots until staging begins and stages until the command runs. A machine that never ran its command stays in that phase. */
function phasesOf(startMs: number, times: Machine["times"]): Phase[] {
	const { stagingAt = null, startedAt = null } = times ?? {};
	const staged = stagingAt && (!startedAt || stagingAt < startedAt) ? [{ fromMs: stagingAt.getTime(), kind: "staging" as const }] : [];
	const ran = startedAt ? [{ fromMs: startedAt.getTime(), kind: "compute" as const }] : [];
	return [{ fromMs: startMs, kind: "boot" }, ...staged, ...ran];
}

/** A machine with its time charged up to its end. */
export interface Ended extends Metered {
	usage: Usage;
	instanceId: string;
}

/**
 * Compares machines with a price change while they ran with the ledger once, at their end: a price learned after its time was charged is
 * corrected then. Returns the missing amounts by machine.
 */
export async function correctionsOfEnded(tx: Tx, ended: readonly Ended[]): Promise<Map<string, Metered["charges"]>> {
	const changed = ended.filter((m) => m.usage.prices.length > 1);
	if (changed.length === 0) return new Map();
	const posted = await readPosted(
		tx,
		inArray(
			charge.instanceId,
			changed.map((m) => m.instanceId),
		),
		ne(charge.kind, "egress"),
		or(isNull(charge.correction), inArray(charge.correction, ["end_learnt_late", "price_learnt_late"])),
	);
	const byMachine = Map.groupBy(posted, (p) => p.causeId);
	return new Map(
		changed.map(({ instanceId, usage, charges, meteredUntilMs }) => {
			const byHour = new Map<number, bigint>();
			const fresh = charges.map((c) => ({ atMs: c.periodStartMs, effectiveMicroUsd: c.effectiveMicroUsd }));
			for (const { atMs, effectiveMicroUsd } of [...(byMachine.get(instanceId) ?? []), ...fresh]) {
				const hour = bucketStartMs("hour", atMs, usage.calendar);
				byHour.set(hour, (byHour.get(hour) ?? 0n) + effectiveMicroUsd);
			}
			return [instanceId, correctUsage(usage, byHour, meteredUntilMs)];
		}),
	);
}
