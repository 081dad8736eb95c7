import { and, eq, gt, or, sql } from "drizzle-orm";
import type { Commitment } from "#server/accounting/commitment.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { LIMITS } from "#server/scheduling/limits.ts";
import { emptyRecord, withLaunch, withRefusal } from "#server/scheduling/records.ts";
import type { OfferRecord } from "#server/scheduling/types.ts";
import { type BoughtAhead, readCommitments } from "../commitment/commitments.ts";
import { COMMITMENT_ID, countTakenSeats } from "../commitment/seats.ts";

/** Earlier rejections and launches have decayed. */
const LOOK_BACK_MS = 12 * LIMITS.refusalHalfLifeMs;

/**
 * Commitments as offers: one for each active commitment and each region that sells its machine on demand. The price is 0,
 * because use adds nothing to the fixed payment. Beyond the term a machine would cost the on-demand price, so that price must
 * be known, and no machine outlives the term.
 * @param known all commitments
 * @param market the offers of the clouds, which describe the machines
 */
export async function reservedOffers(db: DbOrTx, known: readonly BoughtAhead[], market: readonly Offer[], nowMs: number): Promise<Offer[]> {
	const commitments = known.filter((c) => c.fromMs <= nowMs && nowMs < lastLaunchMs(c));
	if (commitments.length === 0) return [];
	const taken = await countTakenSeats(db);
	const pauses = await findBackoffs(db, nowMs);
	return commitments.flatMap((c) =>
		offersOf(c, market).map((offer) => ({
			...offer,
			reservedFree: Math.max(0, c.instances - (taken.get(c.id) ?? 0)),
			...pauses.get(c.id),
		})),
	);
}

/** The same for a backtest of a past period, with no seats taken: commitments in force at its start. */
export async function reservedOffersSince(db: DbOrTx, market: readonly Offer[], fromMs: number): Promise<Offer[]> {
	const commitments = (await readCommitments(db)).filter((c) => c.fromMs <= fromMs && fromMs < lastLaunchMs(c));
	return commitments.flatMap((c) => offersOf(c, market).map((offer) => ({ ...offer, reservedFree: c.instances })));
}

/** When its machines must end: early enough to be observed before the commitment ends, after which they cost the regular price. */
function lastLaunchMs({ toMs }: Commitment): number {
	return toMs - LIMITS.terminationMarginMs;
}

function offersOf(c: BoughtAhead, market: readonly Offer[]): Offer[] {
	return market.flatMap((machine): Offer[] => {
		if (machine.capacityType !== "on_demand" || machine.siteId !== c.siteId || machine.instanceType !== c.instanceType) return [];
		if (c.region !== null && machine.region !== c.region) return [];
		const zone = c.zone ?? machine.zone;
		if (machine.zone !== null && machine.zone !== zone) return [];
		const { backoffUntilMs: _, backoffReason: __, quota: ___, quotaGpusFree: ____, ...described } = machine;
		const known = machine.microUsdPerHour !== null && machine.microUsdPerHour > 0n;
		return [
			{
				...described,
				id: `${machine.provider}:${machine.region}:${zone ?? "*"}:${machine.instanceType}:reserved:${c.id}`,
				zone,
				capacityType: "reserved",
				microUsdPerHour: known ? 0n : null,
				onDemandMicroUsdPerHour: machine.microUsdPerHour,
				priceSource: known
					? `marginal price of ${c.kind} ${c.id}, which is paid whether it is used or not`
					: `${c.kind} ${c.id}: what its machine costs on demand is not known`,
				...{ backoffUntilMs: null, backoffReason: null },
				...{ commitmentId: c.id, availableUntilMs: lastLaunchMs(c) },
				...(c.reservation !== null && { reservation: c.reservation }),
			},
		];
	});
}

/**
 * Commitments in active back-off. As with other offers, pauses double and decay, and end with a launch
 * (scheduling/records.ts).
 */
async function findBackoffs(db: DbOrTx, nowMs: number): Promise<Map<string, Pick<Offer, "backoffUntilMs" | "backoffReason">>> {
	const since = new Date(nowMs - LOOK_BACK_MS);
	const rows = await db
		.select({ id: COMMITMENT_ID, launchedAt: instance.launchedAt, terminatedAt: instance.terminatedAt, isRefused: IS_REFUSED })
		.from(instance)
		.where(and(eq(instance.capacityType, "reserved"), or(gt(instance.terminatedAt, since), gt(instance.launchedAt, since))));
	const records = new Map<string, OfferRecord>();
	for (const { id, atMs, learn } of rows.flatMap(toCommitmentOutcomes).sort((a, b) => a.atMs - b.atMs))
		records.set(id, learn(records.get(id) ?? emptyRecord(atMs), atMs));
	return new Map(
		[...records].flatMap(([id, { backoffUntilMs = 0 }]) =>
			backoffUntilMs <= nowMs ? [] : [[id, { backoffUntilMs, backoffReason: "insufficient_capacity" as const }] as const],
		),
	);
}

const IS_REFUSED = sql<boolean>`coalesce(${instance.reason}->>'code' in ('launch_refused_capacity', 'launch_refused_quota', 'launch_refused'), false)`;

/** What the outcome of one machine shows about its commitment: rejected or launched. */
function toCommitmentOutcomes(row: { id: string | null; launchedAt: Date | null; terminatedAt: Date | null; isRefused: boolean }) {
	const { id, launchedAt, terminatedAt, isRefused } = row;
	if (id === null) return [];
	if (launchedAt !== null) return [{ id, atMs: launchedAt.getTime(), learn: withLaunch }];
	return terminatedAt !== null && isRefused ? [{ id, atMs: terminatedAt.getTime(), learn: withRefusal }] : [];
}
