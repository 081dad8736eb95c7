import { and, eq } from "drizzle-orm";
import { idempotencyKey } from "#server/db/schema/idempotency-key.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { actorName, type ServiceContext } from "./context.ts";

/** Status of a row in progress; never visible in a committed row. */
const UNDER_WAY = 0;

/**
 * Does a write at most once for an Idempotency-Key. The key, the write and its response share one transaction; a second request with the
 * key waits for the first and gets its response.
 * @throws SpillwayError `conflict` when the key was used for another request.
 */
export async function onceForKey<T>(
	ctx: ServiceContext,
	input: { key: string; requestHash: string },
	write: (ctx: ServiceContext) => Promise<{ status: number; body: T }>,
): Promise<{ status: number; body: T; replayed: boolean }> {
	const accountId = actorName(ctx.actor);
	return ctx.db.transaction(async (tx) => {
		const mine = await tx
			.insert(idempotencyKey)
			.values({
				accountId,
				key: input.key,
				requestHash: input.requestHash,
				status: UNDER_WAY,
				// Replaced below before it becomes visible; the column does not allow NULL.
				response: {},
				createdAt: new Date(ctx.clock.nowMs()),
			})
			.onConflictDoNothing()
			.returning({ key: idempotencyKey.key });
		const where = and(eq(idempotencyKey.accountId, accountId), eq(idempotencyKey.key, input.key));
		if (mine.length === 0) {
			const [row] = await tx.select().from(idempotencyKey).where(where);
			if (!row || row.requestHash !== input.requestHash) {
				throw new SpillwayError("conflict", "This Idempotency-Key was already used for a different request.", {
					fix: "Use a new key for each request.",
				});
			}
			return { status: row.status, body: row.response as T, replayed: true };
		}
		const answer = await write({ ...ctx, db: tx });
		await tx.update(idempotencyKey).set({ status: answer.status, response: answer.body }).where(where);
		return { ...answer, replayed: false };
	});
}
