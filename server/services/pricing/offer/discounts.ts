import { eq } from "drizzle-orm";
import { z } from "zod";
import { discountInput, discountsInput } from "#server/contract/inputs/rates.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type Discount, discountOf, discountsAt } from "#server/scheduling/discount.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { rejectUnseen } from "#server/services/core/reject-unseen.ts";
import { readLockedSetting, writeSetting } from "#server/services/core/setting.ts";
import { listListPrices } from "./list-prices.ts";

/** Discounts negotiated with the clouds: a list of discountInput. */
export const DISCOUNTS_SETTING = "discounts";
export type DiscountsInput = z.input<typeof discountsInput>;
const stored = z.array(discountInput);

export type DiscountView = z.output<typeof discountInput> & {
	/** Offers that currently have this discount in their price. */
	offersNow: number;
};

/** All discounts, regardless of their dates. For the scheduler's and the ledger's own use: no authorization. */
export async function readDiscounts(db: DbOrTx): Promise<Discount[]> {
	return (await readStored(db)).map(toDiscount);
}

/** @param value the stored setting; undefined or null when there is none */
export function parseDiscounts(value: unknown): Discount[] {
	return stored.parse(value ?? []).map(toDiscount);
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
 * Replaces the list of negotiated discounts. It applies from the next decision and launch on; running machines keep their
 * launch price.
 * `seen`: the list that the new one is based on.
 * @throws SpillwayError `forbidden`; `invalid_input` for a site that is not a cloud; `conflict` when `seen` is not the current
 * list.
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
		const before = (await readLockedSetting(tx, DISCOUNTS_SETTING)) ?? [];
		rejectUnseen(stored.parse(before), known, "The discounts");
		await writeSetting(tx, DISCOUNTS_SETTING, items);
		await writeAudit(tx, ctx, { action: "discounts.set", subject: "discounts", before, after: items });
	});
}
