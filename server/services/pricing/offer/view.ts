import { and, asc, gt, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { offersInput } from "#server/contract/inputs/capacity.ts";
import { offer, offerPrice } from "#server/db/schema/offer.ts";
import type { MachineDisk, OfferDiscount, OfferQuota } from "#server/domain/capacity.ts";
import { quarantineOf } from "#server/domain/quarantine.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { discounted } from "#server/scheduling/discount.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { iso } from "#server/services/core/view.ts";
import { listOffers } from "./list.ts";
import { toStoredDisk } from "./stored-offer.ts";

export type OffersInput = z.input<typeof offersInput>;

export interface OfferView {
	id: string;
	siteId: string;
	provider: Provider;
	region: string;
	zone: string | null;
	instanceType: string;
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	capacityType: CapacityType;
	/** null: the price is unknown, and the offer is never chosen. */
	microUsdPerHour: string | null;
	microUsdPerGpuHour: string | null;
	priceObservedAt: string;
	/** Older than `priceMaxAgeMs`: the offer is not chosen until its price is refreshed. */
	priceStale: boolean;
	priceSource: string;
	/** The launch disk of its machines, charged in addition to their price; null: the driver reports none. */
	disk: OfferDiskView | null;
	/** Why the provider's newest price was rejected; the offer then has no price or an older one. */
	quarantine: string | null;
	/**
	 * The machine's on-demand list price when its prices include a negotiated discount, else null; and the discount in its own
	 * price.
	 */
	listMicroUsdPerHour: string | null;
	discount: OfferDiscount | null;
	/** The account quota that it counts against, and the GPUs still allowed here; null: unknown. */
	quota: (OfferQuota & { gpusFree: number }) | null;
	/** Reserved capacity only: the machines currently free. Its price is the marginal cost of using one. */
	reservedFree: number | null;
	/** Reserved capacity only: the commitment. */
	commitmentId: string | null;
	backoffUntil: string | null;
	backoffReason: string | null;
	gridGramsPerKwh: number | null;
	/** Price changes of the last 24 h, oldest first. */
	prices: { atMs: number; microUsdPerHour: string }[];
}

/** `microUsdPerMonth` null: the price is unknown and not included in any cost; `source` gives the reason. */
export interface OfferDiskView {
	type: string;
	gib: number;
	microUsdPerMonth: string | null;
	observedAt: string | null;
	source: string;
}

export interface OffersPage {
	items: OfferView[];
	/** Number of matching offers; `items` contains the cheapest. */
	total: number;
	/** All offered models, regardless of the filter. */
	accelerators: string[];
	/** When a provider was last read; null before the first time. */
	seenAt: string | null;
}

/** Offers with at least this many GPUs: cheapest GPU-hour first, then stale prices, then unknown prices. */
export async function viewOffers(ctx: ServiceContext & { timing: Timing }, raw: OffersInput): Promise<OffersPage> {
	authorize(ctx, "capacity:read", null);
	const input = offersInput.parse(raw);
	const [all, { seenAt }] = await Promise.all([listOffers(ctx.db, ctx.clock.nowMs()), offerFreshness(ctx)]);
	const fitting = all.filter(
		(o) =>
			o.gpus >= input.gpus &&
			(input.accelerator === undefined || o.accelerator === input.accelerator) &&
			(input.region === undefined || o.region === input.region) &&
			(input.capacity === undefined || o.capacityType === input.capacity),
	);
	const isStale = (o: (typeof fitting)[number]): boolean =>
		o.commitmentId === undefined && ctx.clock.nowMs() - o.priceObservedAtMs > ctx.timing.priceMaxAgeMs;
	const rank = (o: (typeof fitting)[number]): number => (o.microUsdPerHour === null ? 2 : isStale(o) ? 1 : 0);
	const perGpu = (o: (typeof fitting)[number]): number =>
		o.microUsdPerHour === null ? Number.POSITIVE_INFINITY : Number(o.microUsdPerHour) / o.gpus;
	fitting.sort((a, b) => rank(a) - rank(b) || perGpu(a) - perGpu(b) || (a.id < b.id ? -1 : 1));
	const page = fitting.slice(0, input.limit);
	const since = new Date(ctx.clock.nowMs() - DAY_MS);
	const history =
		page.length === 0
			? []
			: await ctx.db
					.select()
					.from(offerPrice)
					.where(
						and(
							inArray(
								offerPrice.offerId,
								page.map((o) => o.id),
							),
							gt(offerPrice.observedAt, since),
						),
					)
					.orderBy(asc(offerPrice.observedAt));
	return {
		total: fitting.length,
		accelerators: [...new Set(all.map((o) => o.accelerator))].sort(),
		seenAt,
		items: page.map((o) => ({
			id: o.id,
			siteId: o.siteId,
			provider: o.provider,
			region: o.region,
			zone: o.zone,
			instanceType: o.instanceType,
			accelerator: o.accelerator,
			gpus: o.gpus,
			vcpus: o.vcpus,
			memoryGiB: o.memoryGiB,
			capacityType: o.capacityType,
			microUsdPerHour: o.microUsdPerHour?.toString() ?? null,
			microUsdPerGpuHour: o.microUsdPerHour === null ? null : (o.microUsdPerHour / BigInt(o.gpus)).toString(),
			priceObservedAt: new Date(o.priceObservedAtMs).toISOString(),
			priceStale: isStale(o),
			priceSource: o.priceSource,
			disk: o.disk ? diskView(o.disk) : null,
			quarantine: quarantineOf(o.priceSource),
			listMicroUsdPerHour: o.listMicroUsdPerHour?.toString() ?? null,
			discount: o.discount ?? null,
			quota: o.quota ? { ...o.quota, gpusFree: o.quotaGpusFree ?? 0 } : null,
			reservedFree: o.reservedFree ?? null,
			commitmentId: o.commitmentId ?? null,
			backoffUntil: iso(o.backoffUntilMs === null ? null : new Date(o.backoffUntilMs)),
			backoffReason: o.backoffReason,
			gridGramsPerKwh: o.gridGramsPerKwh,
			prices: history
				.filter((h) => h.offerId === o.id)
				.map((h) => ({
					atMs: h.observedAt.getTime(),
					microUsdPerHour: (o.discount ? discounted(h.microUsdPerHour, o.discount.partsPerMillion) : h.microUsdPerHour).toString(),
				})),
		})),
	};
}

/** The number of offers and the age of the newest refresh. */
export async function offerFreshness(ctx: ServiceContext): Promise<{ count: number; seenAt: string | null }> {
	authorize(ctx, "capacity:read", null);
	const [row] = await ctx.db.select({ count: sql<number>`count(*)::int`, seenAt: sql<Date | null>`max(${offer.seenAt})` }).from(offer);
	return { count: row?.count ?? 0, seenAt: row?.seenAt ? new Date(row.seenAt).toISOString() : null };
}

function diskView({ observedAtMs, ...disk }: MachineDisk): OfferDiskView {
	const { microUsdPerMonth } = toStoredDisk({ ...disk, observedAtMs });
	return { ...disk, microUsdPerMonth, observedAt: observedAtMs === null ? null : new Date(observedAtMs).toISOString() };
}
