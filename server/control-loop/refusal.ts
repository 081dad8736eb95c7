import type { Tx } from "#server/db/client.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import type { DriverErrorKind } from "#server/providers/driver-errors.ts";
import { backOffOffer } from "#server/services/pricing/offer/backoff.ts";
import type { LoopContext } from "./context.ts";

/** Why a machine could not be launched or started. */
export function refusalReason(kind: DriverErrorKind, facts: { offerId: string; message: string }): Reason {
	if (kind === "insufficient_capacity") return reason("launch_refused_capacity", facts);
	return kind === "quota_exceeded" ? reason("launch_refused_quota", facts) : reason("launch_refused", facts);
}

/** Pauses an offer after a refused launch or start. An invalid request counts as missing capacity, so that the job does not retry it each cycle. */
export async function backOffRefused(tx: Tx, ctx: LoopContext, offerId: string, kind: DriverErrorKind): Promise<void> {
	await backOffOffer(tx, {
		...{ offerId, why: kind === "quota_exceeded" ? kind : "insufficient_capacity", atMs: ctx.clock.nowMs() },
		...{ baseMs: ctx.timing.backoffBaseMs, maxMs: ctx.timing.backoffMaxMs },
	});
}
