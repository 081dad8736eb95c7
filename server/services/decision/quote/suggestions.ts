import type { JobSpec } from "#server/domain/job.ts";
import type { Suggestion } from "#server/domain/suggestion.ts";
import { suggestionSentence } from "#server/domain/suggestion.ts";
import type { Variant } from "#server/scheduling/quote/variants.ts";
import { variantsOf } from "#server/scheduling/quote/variants.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import type { PendingJob, Snapshot } from "#server/scheduling/types.ts";

/** Ids of quoted jobs in the snapshot: they sort after every real job submitted before them. */
const ASKED = "job_zzzzzzzzzzzzzzzzzzzzzzzz";

export interface SuggestionView extends Suggestion {
	sentence: string;
}

export function suggestionView(suggestion: Suggestion): SuggestionView {
	return { ...suggestion, sentence: suggestionSentence(suggestion) };
}

/** The job as it would be queued if submitted now; `index` distinguishes jobs of one question. */
export function askedJob(spec: JobSpec, { nowMs }: Snapshot, index = 0): PendingJob {
	return {
		jobId: `${ASKED}${String(index).padStart(2, "0")}`,
		spec,
		state: "queued",
		submittedAtMs: nowMs,
		pendingSinceMs: nowMs,
		nextAttemptNo: 1,
		completedMs: 0,
		avoidOffers: [],
		approvedMicroUsd: null,
	};
}

/** Every variant of the job, as it would be queued. */
export function askedVariants(spec: JobSpec, snapshot: Snapshot): { variant: Variant; job: PendingJob }[] {
	const runTime = makeRunTimeOf(snapshot.durations)(spec);
	return variantsOf(spec, snapshot, runTime).map((variant, i) => ({ variant, job: askedJob(variant.spec, snapshot, i + 1) }));
}
