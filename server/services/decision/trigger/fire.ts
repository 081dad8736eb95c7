import { and, eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { triggerFiring } from "#server/db/schema/trigger.ts";
import type { FiringView } from "#server/domain/trigger/firing.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { insertPipeline, type NewPipeline } from "#server/services/work/pipeline/insert.ts";
import { pipelineOfFiring } from "#server/services/work/trigger/prepare.ts";
import type { TriggerRow } from "#server/services/work/trigger/read.ts";
import type { QuoteContext } from "../pipeline/quote.ts";
import { prepareSubmission } from "../pipeline/submit.ts";

export interface Firing {
	/** Derived from the observations: the same facts give the same key. */
	key: string;
	saw: FiringView;
}

/** Result of a check, and the time of the next one. */
export interface Checked {
	firings: Firing[];
	status: string | null;
	nextCheckMs: number;
	nextAtMs: number | null;
	/** Run in the transaction that writes the firings. */
	settle?: (tx: Tx, firing: Firing) => Promise<void>;
}

/** A prepared firing: its pipeline, or why there is none. */
export type PreparedFiring = Firing & ({ submission: NewPipeline; error: null } | { submission: null; error: string });

/** Prepares a firing outside of a transaction. An error in its pipeline is recorded with the firing instead of thrown. */
export async function prepareFiring(ctx: QuoteContext, row: TriggerRow, firing: Firing): Promise<PreparedFiring> {
	try {
		await assertOwnerActive(ctx, row.createdBy);
		const submission = await prepareSubmission(ctx, pipelineOfFiring(row.spec, firing.saw), JSON.stringify(row.spec.pipeline, null, 2));
		return { ...firing, submission: { ...submission, triggerId: row.id, by: row.createdBy }, error: null };
	} catch (error) {
		if (!(error instanceof SpillwayError) || error.code === "unavailable") throw error;
		return { ...firing, submission: null, error: error.message };
	}
}

/** @throws SpillwayError `forbidden` when the person who created the trigger may no longer sign in */
async function assertOwnerActive({ db }: QuoteContext, createdBy: string): Promise<void> {
	const [, id] = /^account:(.+)$/.exec(createdBy) ?? [];
	if (id === undefined) return;
	const [owner] = await db
		.select({ disabledAt: account.disabledAt })
		.from(account)
		.where(and(eq(account.id, id)));
	if (owner && owner.disabledAt === null) return;
	throw new SpillwayError("forbidden", "The account that created this trigger is disabled.", {
		fix: "Create the trigger again from an active account.",
	});
}

/**
 * Writes a firing and its pipeline, or nothing when a firing with its key exists: exactly once, however often it is called and wherever a
 * caller crashes. If no budget is left for the pipeline, the firing is recorded with that error.
 * @returns whether it was new
 */
export async function writeFiring(tx: Tx, ctx: QuoteContext, row: TriggerRow, prepared: PreparedFiring): Promise<boolean> {
	const { key, saw } = prepared;
	const values = { triggerId: row.id, key, at: new Date(ctx.clock.nowMs()), saw, error: prepared.error };
	const added = await tx.insert(triggerFiring).values(values).onConflictDoNothing().returning({ key: triggerFiring.key });
	if (added.length === 0) return false;
	if (!prepared.submission) return true;
	const outcome = await submitOrExplain(tx, ctx, prepared.submission);
	await tx
		.update(triggerFiring)
		.set(outcome)
		.where(and(eq(triggerFiring.triggerId, row.id), eq(triggerFiring.key, key)));
	return true;
}

async function submitOrExplain(
	tx: Tx,
	ctx: QuoteContext,
	submission: NewPipeline,
): Promise<{ pipelineId: string | null; error: string | null }> {
	try {
		// A savepoint: if the pipeline is rejected, the firing stays.
		return { pipelineId: await tx.transaction((inner) => insertPipeline(inner, ctx, submission)), error: null };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { pipelineId: null, error: error.message };
	}
}
