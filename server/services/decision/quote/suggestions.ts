import type { JobSpec } from "#server/domain/job.ts";
import type { Suggestion } from "#server/domain/suggestion.ts";
import { suggestionSentence } from "#server/domain/suggestion.ts";
import { askedJob } from "#server/scheduling/quote/asked-job.ts";
import type { Variant } from "#server/scheduling/quote/variants.ts";
import { variantsOf } from "#server/scheduling/quote/variants.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import type { PendingJob, Snapshot } from "#server/scheduling/types.ts";

export interface SuggestionView extends Suggestion {
	sentence: string;
}

export function suggestionView(suggestion: Suggestion): SuggestionView {
	return { ...suggestion, sentence: suggestionSentence(suggestion) };
}

/** Every variant of the job, as it would be queued. */
export function askedVariants(spec: JobSpec, snapshot: Snapshot): { variant: Variant; job: PendingJob }[] {
	const runTime = makeRunTimeOf(snapshot.durations)(spec);
	return variantsOf(spec, snapshot, runTime).map((variant, i) => ({ variant, job: askedJob(variant.spec, snapshot, i + 1) }));
}
