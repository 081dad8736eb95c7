import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { approval } from "#server/db/schema/approval.ts";
import { job } from "#server/db/schema/job.ts";
import type { ApprovalAnswer } from "#server/domain/approval.ts";
import type { Policy } from "#server/domain/policy.ts";

export function requiresApproval({ rules }: Policy): boolean {
	return rules.some(({ effect }) => effect.kind === "require" && effect.approval !== null);
}

/** Answers for each pending job: the newest answer per rule. A rejection applies until approval is requested again. */
export async function readAnswers(tx: Tx): Promise<Map<string, ApprovalAnswer[]>> {
	const rows = await tx
		.select({
			...{ jobId: approval.jobId, ruleId: approval.ruleId, state: approval.state },
			...{ upToMicroUsd: approval.upToMicroUsd, quote: approval.quote },
		})
		.from(approval)
		.innerJoin(job, eq(job.id, approval.jobId))
		.where(and(inArray(job.state, ["queued", "held"]), ne(approval.state, "withdrawn")))
		.orderBy(asc(approval.requestedAt), asc(approval.id));
	const byJob = new Map<string, Map<string, ApprovalAnswer>>();
	for (const { jobId, ruleId, state, upToMicroUsd, quote } of rows) {
		const answers = byJob.get(jobId) ?? new Map<string, ApprovalAnswer>();
		byJob.set(jobId, answers);
		if (state === "granted" || state === "refused" || state === "expired") {
			answers.set(ruleId, { ruleId, answer: state, upToMicroUsd, askedMicroUsd: BigInt(quote.costMicroUsd) });
			continue;
		}
		// A new request discards a rejection, while an approval keeps covering only what it was given for.
		const before = answers.get(ruleId);
		if (before && before.upToMicroUsd !== null) answers.set(ruleId, { ...before, askedMicroUsd: before.upToMicroUsd });
		else answers.delete(ruleId);
	}
	return new Map([...byJob].map(([jobId, answers]) => [jobId, [...answers.values()]]));
}
