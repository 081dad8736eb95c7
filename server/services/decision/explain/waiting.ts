import type { Explanation, TimeRange } from "#server/domain/decision.ts";
import { outlookSentence } from "#server/domain/outlook-sentence.ts";
import type { JobState } from "#server/domain/states.ts";
import type { Prospect } from "#server/domain/suggestion.ts";
import { type WaitingChange, waitingChanges } from "#server/domain/waiting-changes.ts";
import { type QueuePosition, queuePosition } from "#server/scheduling/queue-position.ts";
import { makeRiskOf } from "#server/scheduling/quote/risk-of.ts";
import { prospectOf, suggest } from "#server/scheduling/quote/suggest.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";
import { approvalOfJob } from "#server/services/work/approval/list.ts";
import { readableJob } from "#server/services/work/readable-job.ts";
import { decideAsked, presentSnapshot } from "../quote/decide-asked.ts";
import { askedVariants, type SuggestionView, suggestionView } from "../quote/suggestions.ts";

export interface WaitingView {
	/** False for a job that was placed or has ended: then everything except its reason is empty. */
	waits: boolean;
	state: JobState;
	/** The dominant reason, decided again. */
	reason: ReasonView;
	/** When that was decided, UTC ms; null before the first decision. */
	decidedAtMs: number | null;
	homeStart: TimeRange | null;
	/** Its position among all waiting jobs, as a range; null before the first decision. */
	position: QueuePosition | null;
	/** Where it would start in the current state; null while it is held. */
	expected: Prospect | null;
	/** All candidates of that decision; null when there is none. */
	considered: Pick<Explanation, "candidates" | "removed" | "consideredCount"> | null;
	/** Changes that would end its wait, nearest first. */
	changes: WaitingChange[];
	/** Changes that would start it sooner or make it cheaper, one each, if resubmitted at its position. */
	suggestions: SuggestionView[];
}

/**
 * Why a job waits and what would change that. The job is decided again at its position in the queue, together with variants of the
 * submission. Nothing is written.
 * @throws SpillwayError `not_found`
 */
export async function explainWaiting(ctx: ServiceContext & { timing: Timing }, jobId: string): Promise<WaitingView> {
	const row = await readableJob(ctx, jobId);
	const waits = row.state === "queued" || row.state === "held";
	const snapshot = waits ? await presentSnapshot(ctx) : null;
	const job = snapshot?.pending.find((p) => p.jobId === jobId);
	const asItIs = {
		state: row.state,
		reason: reasonView(row.reason),
		decidedAtMs: null,
		homeStart: null,
		position: null,
		expected: null,
		considered: null,
		suggestions: [],
	};
	// Placed or submitted a moment ago.
	if (!snapshot || !job) return { ...asItIs, waits, changes: waits ? waitingChanges(row.reason) : [] };
	const variants = askedVariants(job.spec, snapshot);
	const { explanationOf } = decideAsked(ctx, snapshot, [job, ...variants.map((v) => v.job)]);
	const explanation = explanationOf(jobId);
	const riskOf = makeRiskOf(snapshot);
	const expected = prospectOf(explanation, job, riskOf);
	const asked = variants.map((v) => ({ ...v, explanation: explanationOf(v.job.jobId) }));
	return {
		waits: true,
		state: row.state,
		reason: reasonView(explanation.reason),
		decidedAtMs: explanation.decidedAtMs,
		homeStart: explanation.homeStart,
		position: queuePosition(snapshot, jobId),
		expected,
		considered: { candidates: explanation.candidates, removed: explanation.removed, consideredCount: explanation.consideredCount },
		changes: [...waitingChanges(explanation.reason), ...(await whoAnswers(ctx, jobId))],
		suggestions: suggest(expected, asked, snapshot, riskOf).map(suggestionView),
	};
}

/** Who can approve, and how long that usually takes, when an approval is pending. */
async function whoAnswers(ctx: ServiceContext, jobId: string): Promise<WaitingChange[]> {
	const { outlook } = await approvalOfJob(ctx, jobId);
	return outlook ? [{ by: "people", sentence: outlookSentence(outlook) }] : [];
}
