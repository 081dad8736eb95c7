import { eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";

/**
 * Puts an offer in back-off after the provider rejected a launch. The pause doubles with each consecutive rejection. The count
 * decays with a half-life of four pauses, so a place that recovers is soon requested again.
 */
export async function backOffOffer(
	tx: Tx,
	input: { offerId: string; why: "insufficient_capacity" | "quota_exceeded"; atMs: number; baseMs: number; maxMs: number },
): Promise<{ untilMs: number } | null> {
	const [row] = await tx
		.select({ refusals: offer.refusals, until: offer.backoffUntil })
		.from(offer)
		.where(eq(offer.id, input.offerId))
		.for("update");
	if (!row) return null;
	const quietMs = row.until ? Math.max(0, input.atMs - row.until.getTime()) : 0;
	const faded = Math.floor(row.refusals * 0.5 ** (quietMs / (4 * input.baseMs)));
	const pauseMs = Math.min(input.maxMs, input.baseMs * 2 ** Math.min(faded, 20));
	const untilMs = input.atMs + pauseMs;
	await tx
		.update(offer)
		.set({ backoffUntil: new Date(untilMs), backoffReason: input.why, refusals: faded + 1 })
		.where(eq(offer.id, input.offerId));
	return { untilMs };
}

/** Clears earlier rejections after a successful launch. */
export async function clearBackOff(tx: Tx, offerId: string): Promise<void> {
	await tx
		.update(offer)
		.set({ refusals: 0, backoffUntil: null, backoffReason: null })
		.where(sql`${offer.id} = ${offerId} and ${offer.refusals} > 0`);
}
