import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { type ChargeDraft, NO_AMOUNTS, shareOf } from "#server/accounting/amounts.ts";
import { refundInput } from "#server/contract/inputs/spend.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { charge } from "#server/db/schema/charge.ts";
import type { Charge } from "#server/domain/charge.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockBudgetsOfInstances } from "../budget/post-to-holds.ts";
import { toCharge } from "./charges-of.ts";
import { postInstanceCorrections } from "./post-corrections.ts";

export type RefundInput = z.input<typeof refundInput>;

export interface Refund {
	chargeId: string;
	refundedMicroUsd: bigint;
	/** The ledger's remaining amount for this cause in this time. */
	leftMicroUsd: bigint;
}

/**
 * Refunds a charge of a cloud machine, or part of it, by a separate correction in the same hour, job, team, hold and budgets,
 * with the reason in the audit log. Never more than the ledger still holds for the machine in that time, corrections and
 * earlier refunds included. Only money is refunded: usage and emissions stay.
 * @throws SpillwayError `forbidden`, `not_found`; `conflict` when nothing, or less than requested, is left; `invalid_input` for
 * a charge that is not a cloud machine's cost. ZodError.
 */
export async function refundCharge(ctx: ServiceContext, raw: RefundInput): Promise<Refund> {
	authorize(ctx, "rates:change", null);
	const { chargeId, amountUsd, reason } = refundInput.parse(raw);
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		const found = await fetchCharge(tx, chargeId);
		const instanceId = refundable(found);
		await lockBudgetsOfInstances(tx, [instanceId]);
		// Serializes refunds of one machine, so that the second sees the first.
		await tx.execute(sql`select 1 from instance where id = ${instanceId} for no key update`);
		const held = await heldOf(tx, found);
		const refundedMicroUsd = amountUsd === undefined ? least(held, found.effectiveMicroUsd) : usdToMicro(amountUsd);
		rejectTooMuch(found, refundedMicroUsd, held);
		await writeAudit(tx, ctx, {
			...{ action: "charge.refund", subject: chargeId, before: { effectiveMicroUsd: held.toString() } },
			after: { refundedMicroUsd: refundedMicroUsd.toString(), jobId: found.jobId, instanceId, reason },
		});
		await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
		await postInstanceCorrections(tx, [reversalOf(found, refundedMicroUsd)], nowMs);
		return { chargeId, refundedMicroUsd, leftMicroUsd: held - refundedMicroUsd };
	});
}

async function fetchCharge(tx: Tx, id: string): Promise<Charge> {
	const [row] = await tx.select().from(charge).where(eq(charge.id, id));
	if (!row)
		throw new SpillwayError("not_found", `There is no charge ${id}.`, { fix: "Copy the id from the charges of a job or from Spend." });
	return toCharge(row);
}

function refundable({ instanceId, dimensions, effectiveMicroUsd }: Charge): string {
	if (instanceId === null || dimensions.capacityType === "owned") {
		throw new SpillwayError("invalid_input", "Only charges of cloud instances can be refunded.", {
			fix: "For owned hardware, change the rate card. Credits and taxes come from the provider's bill.",
		});
	}
	if (effectiveMicroUsd > 0n) return instanceId;
	throw new SpillwayError("invalid_input", "The charge is a correction, so it cannot be refunded.", {
		fix: "Refund the charge that it corrects.",
	});
}

/** Effective cost of the machine in the charge's time, corrections included. */
async function heldOf(tx: Tx, { instanceId, periodStartMs, periodEndMs }: Charge): Promise<bigint> {
	const [row] = await tx.execute<{ sum: string }>(sql`
		select coalesce(sum(effective_micro_usd), 0)::text as sum from charge where instance_id = ${instanceId}
			and period_start >= ${new Date(periodStartMs).toISOString()}::timestamptz and period_start < ${new Date(periodEndMs).toISOString()}::timestamptz`);
	return BigInt(row?.sum ?? "0");
}

function rejectTooMuch(found: Charge, refundMicroUsd: bigint, held: bigint): void {
	if (refundMicroUsd > 0n && refundMicroUsd <= least(held, found.effectiveMicroUsd)) return;
	const left = least(held, found.effectiveMicroUsd);
	throw new SpillwayError("conflict", `At most $${microToUsdText(left > 0n ? left : 0n)} of this charge can still be refunded.`, {
		fix:
			left > 0n ? "Ask for that much or less, and more than nothing." : "It was refunded or corrected already; see the charges beside it.",
	});
}

/** Refunds the billed and effective cost; list and contracted cost stay unchanged. */
function reversalOf(found: Charge, refundMicroUsd: bigint): ChargeDraft {
	const { id: _, dimensions, ...rest } = found;
	const { effectiveMicroUsd, billedMicroUsd } = shareOf(found, -refundMicroUsd, found.effectiveMicroUsd);
	return {
		...rest,
		...NO_AMOUNTS,
		effectiveMicroUsd,
		billedMicroUsd,
		dimensions: { ...dimensions, kind: "adjustment" },
		correction: "refund",
	};
}

function least(a: bigint, b: bigint): bigint {
	return a < b ? a : b;
}
