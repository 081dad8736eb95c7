import type { Tx } from "#server/db/client.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { readCommitments } from "../commitment/commitments.ts";
import { countTakenSeats, lockCommitments } from "../commitment/seats.ts";

/**
 * Whether this many machines still fit into the commitment of an offer, recounted over all machines that are not terminated;
 * true for an offer without a commitment. Locks the commitments until the transaction ends, so the second of two concurrent
 * placements sees the first. Call it before locking budgets (see lockBudgets).
 */
export async function hasSeats(tx: Tx, { commitmentId }: Offer, instances: number): Promise<boolean> {
	if (commitmentId === undefined) return true;
	await lockCommitments(tx);
	const known = (await readCommitments(tx)).find((c) => c.id === commitmentId);
	if (!known) return false;
	return ((await countTakenSeats(tx)).get(commitmentId) ?? 0) + instances <= known.instances;
}
