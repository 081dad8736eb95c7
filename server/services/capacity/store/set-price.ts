import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { storePriceInput } from "#server/contract/inputs/store.ts";
import { notify } from "#server/db/notify.ts";
import { store } from "#server/db/schema/store.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { priceText, writeStorePrice } from "#server/services/pricing/store/write-price.ts";
import { storeNotFound } from "./find.ts";
import { priceView, type StorePriceView } from "./view.ts";

/**
 * Sets the prices of a team's store or of the embedded one (`embedded`) from now on. Storage before that keeps its earlier price.
 * @throws SpillwayError `forbidden`, `not_found`; ZodError
 */
export async function setStorePrice(ctx: ServiceContext, raw: z.input<typeof storePriceInput>): Promise<StorePriceView> {
	authorize(ctx, "rates:change", null);
	const { id, usdPerGiBMonth, usdPerGiBEgress } = storePriceInput.parse(raw);
	const micro = (usd: string | null) => (usd === null ? null : usdToMicro(usd));
	return ctx.db.transaction(async (tx) => {
		const [found] = await tx
			.select({ id: store.id })
			.from(store)
			.where(and(eq(store.id, id), isNull(store.removedAt)))
			// Locks the store, so that a concurrent removal comes either before or after.
			.for("share");
		if (id !== EMBEDDED_STORE && !found) throw storeNotFound(id);
		const before = (await currentStorePrices(tx, [id])).get(id);
		const price = { microUsdPerGiBMonth: micro(usdPerGiBMonth), microUsdPerGiBEgress: micro(usdPerGiBEgress) };
		const written = await writeStorePrice(tx, id, price, ctx.clock);
		await writeAudit(tx, ctx, {
			...{ action: "store.price", subject: id, after: priceText(price) },
			before: before ? priceText(before) : null,
		});
		await notify(tx, { changes: [{ topic: "site", id, team: null }] });
		return priceView(written);
	});
}
