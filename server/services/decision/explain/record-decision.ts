import type { Tx } from "#server/db/client.ts";
import { decision } from "#server/db/schema/decision.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { newId } from "#server/kernel/ids.ts";

/**
 * Records a decision with its explanation and returns its id.
 * @param inputHash the recorded snapshot that the decision was made from
 */
export async function recordDecision(
	tx: Tx,
	input: { explanation: Explanation; attemptNumber: number | null; inputHash: string; nowMs: number },
): Promise<string> {
	const { explanation, attemptNumber, inputHash, nowMs } = input;
	const id = newId("dec", nowMs);
	await tx.insert(decision).values({
		...{ id, jobId: explanation.jobId, decidedAt: new Date(nowMs), attemptNumber, explanation, inputHash },
		...{ policyName: explanation.policy.name, policyVersion: explanation.policy.version },
	});
	return id;
}
