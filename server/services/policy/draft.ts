import { and, eq } from "drizzle-orm";
import type { z } from "zod";
import { nameInput, saveDraftInput } from "#server/contract/inputs/policy.ts";
import { policyDraft } from "#server/db/schema/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export interface PolicyDraft {
	source: string;
	/** The version that it was started from; 0 for none. */
	baseVersion: number;
	updatedAt: string;
}

/** The caller's own unpublished text; null if there is none. */
export async function getDraft(ctx: ServiceContext, raw: z.input<typeof nameInput>): Promise<PolicyDraft | null> {
	authorize(ctx, "policy:edit", null);
	const { name } = nameInput.parse(raw);
	const [row] = await ctx.db
		.select()
		.from(policyDraft)
		.where(mine(name, ownerOf(ctx)));
	return row ? { source: row.source, baseVersion: row.baseVersion, updatedAt: row.updatedAt.toISOString() } : null;
}

/**
 * Stores the caller's text as it is, even if it is not a valid policy yet. Not audited: a draft has no effect, and is saved up to once a
 * second.
 * @throws SpillwayError `precondition_failed` when `previousUpdatedAt` is given and another tab saved since.
 */
export async function saveDraft(ctx: ServiceContext, raw: z.input<typeof saveDraftInput>): Promise<{ updatedAt: string }> {
	authorize(ctx, "policy:edit", null);
	const { name, source, baseVersion, previousUpdatedAt } = saveDraftInput.parse(raw);
	const accountId = ownerOf(ctx);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select({ updatedAt: policyDraft.updatedAt }).from(policyDraft).where(mine(name, accountId)).for("update");
		const before = row?.updatedAt.toISOString() ?? null;
		if (previousUpdatedAt !== undefined && before !== null && previousUpdatedAt !== before) throw savedElsewhere(before);
		// Two saves within one millisecond must differ.
		const updatedAt = new Date(Math.max(ctx.clock.nowMs(), row ? row.updatedAt.getTime() + 1 : 0));
		const values = { name, accountId, baseVersion, source, updatedAt };
		const written = tx.insert(policyDraft).values(values);
		// Another tab may have created the first draft since the read: overwrite it only if the caller did not name a previous one.
		const done =
			row || previousUpdatedAt === undefined
				? await written
						.onConflictDoUpdate({ target: [policyDraft.name, policyDraft.accountId], set: { baseVersion, source, updatedAt } })
						.returning()
				: await written.onConflictDoNothing().returning();
		if (done.length === 0) throw savedElsewhere("just now");
		return { updatedAt: updatedAt.toISOString() };
	});
}

/** Discards the caller's draft. */
export async function discardDraft(ctx: ServiceContext, raw: z.input<typeof nameInput>): Promise<void> {
	authorize(ctx, "policy:edit", null);
	const { name } = nameInput.parse(raw);
	await ctx.db.delete(policyDraft).where(mine(name, ownerOf(ctx)));
}

const mine = (name: string, accountId: string) => and(eq(policyDraft.name, name), eq(policyDraft.accountId, accountId));

function ownerOf(ctx: ServiceContext): string {
	if (ctx.actor.kind === "person") return ctx.actor.accountId;
	throw new SpillwayError("forbidden", "Only people can have drafts.");
}

function savedElsewhere(when: string): SpillwayError {
	return new SpillwayError("precondition_failed", `This draft was saved in another window (${when}).`, {
		fix: "Reload it, or overwrite it by leaving out previousUpdatedAt.",
	});
}
