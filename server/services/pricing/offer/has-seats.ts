import type { Tx } from "#server/db/client.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { readCommitments } from "../commitment/commitments.ts";
import { lockCommitments, takenSeats } from "../commitment/seats.ts";

/**
 * Whether so many machines still find room in the commitment of an offer, counted again over every machine that is not gone; true
 * for an offer of none. It locks the commitments until the transaction ends, so that of two placements at once the second one
 * sees the first. Call it before budgets are locked (see lockBudgets).
 */
export async function hasSeats(tx: Tx, { commitmentId }: Offer, instances: number): Promise<boolean> {
	if (commitmentId === undefined) return true;
	await lockCommitments(tx);
	const known = (await readCommitments(tx)).find((c) => c.id === commitmentId);
	if (!known) return false;
	return ((await takenSeats(tx)).get(commitmentId) ?? 0) + instances <= known.instances;
}
