import { createHash } from "node:crypto";
import { and, desc, eq } from "drizzle-orm";
import { decision } from "#server/db/schema/decision.ts";
import { policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableJob } from "#server/services/work/readable-job.ts";
import { canonicalJson, firstDifference } from "./canonical-json.ts";
import { readInput } from "./read-input.ts";

export interface ReplayView {
	decisionId: string;
	decidedAtMs: number;
	policy: { name: string; version: number };
	/** Whether deciding again gives the same bytes: the explanation as JSON with sorted fields (explain/canonical-json). */
	same: boolean;
	recorded: { bytes: number; sha256: string };
	replayed: { bytes: number; sha256: string };
	/** The first field that differs, with both values as JSON; null when none does. */
	difference: { path: string; recorded: string; replayed: string } | null;
	/** The input of the cycle's decision. */
	input: { pending: number; running: number; offers: number };
}

/**
 * Replays a recorded decision from its recorded input and the policy version in force at the time.
 * @param decisionId default: the job's newest one
 * @throws SpillwayError `not_found`; `conflict` when its input was not kept, or was deleted.
 */
export async function replayDecision(ctx: ServiceContext, jobId: string, decisionId?: string): Promise<ReplayView> {
	await readableJob(ctx, jobId);
	const [row] = await ctx.db
		.select()
		.from(decision)
		.where(and(eq(decision.jobId, jobId), decisionId === undefined ? undefined : eq(decision.id, decisionId)))
		.orderBy(desc(decision.decidedAt), desc(decision.id))
		.limit(1);
	if (!row) throw nothing(jobId, decisionId);
	if (row.inputHash === null) {
		throw new SpillwayError("conflict", `Decision ${row.id} was made before Spillway recorded decision inputs.`, {
			fix: "Replay a newer decision, or show this one without --replay.",
		});
	}
	const snapshot = await readInput(ctx.db, row.inputHash, (name, version) => policyAt(ctx, name, version));
	const again = decide(snapshot).explanations.find((e) => e.jobId === jobId) ?? null;
	const [recorded, replayed] = [canonicalJson(row.explanation), canonicalJson(again)];
	return {
		decisionId: row.id,
		decidedAtMs: row.explanation.decidedAtMs,
		policy: row.explanation.policy,
		same: recorded === replayed,
		recorded: digest(recorded),
		replayed: digest(replayed),
		difference: firstDifference(JSON.parse(recorded), JSON.parse(replayed)),
		input: { pending: snapshot.pending.length, running: snapshot.running.length, offers: snapshot.offers.length },
	};
}

function digest(text: string): ReplayView["recorded"] {
	return { bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text, "utf8").digest("hex") };
}

function nothing(jobId: string, decisionId: string | undefined): SpillwayError {
	return decisionId === undefined
		? new SpillwayError("not_found", `Job ${jobId} has no decisions yet.`, { fix: `Check its state with: spillway show ${jobId}` })
		: new SpillwayError("not_found", `Job ${jobId} has no decision ${decisionId}.`, {
				fix: `List its decisions with: spillway explain ${jobId} --json`,
			});
}

async function policyAt({ db }: ServiceContext, name: string, version: number): Promise<Policy> {
	const [row] = await db
		.select({ source: policyVersion.source })
		.from(policyVersion)
		.where(and(eq(policyVersion.name, name), eq(policyVersion.version, version)));
	const policy = row && parseStoredPolicy(row.source).policy;
	if (policy) return policy;
	throw new SpillwayError("conflict", `Could not read version ${version} of policy "${name}", which this decision used.`, {
		fix: "Check it with: spillway policy lint",
	});
}
