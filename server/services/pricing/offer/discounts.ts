import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type Discount, discountOf, discountsAt } from "#server/scheduling/discount.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { refuseUnseen } from "../commitment/refuse-unseen.ts";
import { listListPrices } from "./list-prices.ts";

/** What was agreed with the clouds: a list of discountInput. */
const DISCOUNTS_SETTING = "discounts";

const pattern = z.string().min(1).max(100);

const discountInput = z
	.strictObject({
		id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
		siteId: z.string().min(1).max(64),
		capacityType: z.enum(["on_demand", "spot"]),
		/** Of the provider's price, above 0 and below 100. */
		percent: z
			.string()
			.regex(/^\d{1,2}(\.\d{1,4})?$/, "a percentage above 0 and below 100 with at most four decimals, as text")
			.refine((text) => Number(text) > 0, "a discount is more than nothing"),
		/** As `instanceFamilies` of a policy; empty: every type. */
		instanceFamilies: z.array(pattern).max(100).default([]),
		/** As `regions` of a policy; empty: every region. */
		regions: z.array(pattern).max(100).default([]),
		from: z.iso.datetime({ offset: true }),
		to: z.iso.datetime({ offset: true }).nullable().default(null),
		/** Where it is written. */
		source: z.string().trim().min(1).max(500),
	})
	.refine((d) => d.to === null || Date.parse(d.from) < Date.parse(d.to), { path: ["to"], message: "must be after from" });

export const discountsInput = z
	.strictObject({ items: z.array(discountInput).max(1_000) })
	.refine(({ items }) => new Set(items.map((d) => d.id)).size === items.length, { path: ["items"], message: "two have one id" });
export type DiscountsInput = z.input<typeof discountsInput>;
const stored = z.array(discountInput);

export type DiscountView = z.output<typeof discountInput> & {
	/** Offers whose price it is in now. */
	offersNow: number;
};

/** All of them, whenever they count. For the scheduler's and the ledger's own use: no check of who asks. */
export async function readDiscounts(db: DbOrTx): Promise<Discount[]> {
	return (await readStored(db)).map(toDiscount);
}

async function readStored(db: DbOrTx): Promise<z.output<typeof stored>> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, DISCOUNTS_SETTING));
	return stored.parse(row?.value ?? []);
}

function toDiscount({ percent, from, to, ...rest }: z.output<typeof discountInput>): Discount {
	const partsPerMillion = Math.round(Number(percent) * 10_000);
	return { ...rest, partsPerMillion, fromMs: Date.parse(from), toMs: to === null ? null : Date.parse(to) };
}

/** @throws SpillwayError `forbidden`. */
export async function listDiscounts(ctx: ServiceContext): Promise<DiscountView[]> {
	authorize(ctx, "rates:read", null);
	const items = await readStored(ctx.db);
	const inForce = discountsAt(items.map(toDiscount), ctx.clock.nowMs());
	const counts = new Map<string, number>();
	for (const offer of inForce.length === 0 ? [] : await listListPrices(ctx.db)) {
		if (offer.capacityType === "reserved") continue;
		const found = discountOf(inForce, offer, offer.capacityType);
		if (found) counts.set(found.id, (counts.get(found.id) ?? 0) + 1);
	}
	return items.map((item) => ({ ...item, offersNow: counts.get(item.id) ?? 0 }));
}

/**
 * Replaces the list of negotiated discounts. It counts from the next decision and launch on; machines that run keep the price that
 * they were launched at.
 * `seen`: the list that the new one was made from.
 * @throws SpillwayError `forbidden`, `invalid_input` for a site that is no cloud, `conflict` when `seen` is not what is there.
 */
export async function setDiscounts(ctx: ServiceContext, raw: DiscountsInput, seen?: DiscountsInput): Promise<void> {
	authorize(ctx, "rates:change", null);
	const { items } = discountsInput.parse(raw);
	const known = seen && discountsInput.parse(seen).items;
	await ctx.db.transaction(async (tx) => {
		const sites = await tx.select({ id: site.id, provider: site.provider }).from(site);
		const clouds = sites.filter((s) => isCloudProvider(s.provider)).map((s) => s.id);
		const fields = items.flatMap((d, i) =>
			clouds.includes(d.siteId) ? [] : [{ path: `items.${i}.siteId`, message: `one of ${clouds.join(", ") || "no clouds yet"}` }],
		);
		if (fields.length > 0) throw new SpillwayError("invalid_input", "A discount names a site that is not one of your clouds.", { fields });
		const [before] = await tx.select({ value: setting.value }).from(setting).where(eq(setting.key, DISCOUNTS_SETTING)).for("update");
		refuseUnseen(stored.parse(before?.value ?? []), known, "The discounts");
		await tx
			.insert(setting)
			.values({ key: DISCOUNTS_SETTING, value: items })
			.onConflictDoUpdate({ target: setting.key, set: { value: items } });
		await writeAudit(tx, ctx, { action: "discounts.set", subject: "discounts", before: before?.value ?? [], after: items });
	});
}
