import { LABELS, objectNameOf } from "./names.ts";
import type { AttemptMeta, KubeJob, KubePod } from "./objects.ts";
import type { AttemptFacts } from "./observe-attempt.ts";

/** The label selector for a site's objects, or for those of one of its attempts. */
export function selectorOf(siteLabel: string, attemptId?: string): string {
	return `${LABELS.site}=${siteLabel}${attemptId === undefined ? "" : `,${LABELS.attempt}=${objectNameOf(attemptId)}`}`;
}

/** Groups Jobs and pods by attempt. If an attempt's Job was deleted, its pods identify it. */
export function factsOf(jobs: readonly KubeJob[], pods: readonly KubePod[]): Map<string, AttemptFacts> {
	const found = new Map<string, AttemptFacts>();
	const of = (meta: AttemptMeta, createdAtMs: number) => {
		const known = found.get(meta.attemptId);
		const facts = known ?? { meta, job: null, pods: [], asJob: false, createdAtMs, stop: null, verdict: null };
		if (!known) found.set(meta.attemptId, facts);
		facts.createdAtMs = Math.min(facts.createdAtMs, createdAtMs);
		return facts;
	};
	for (const job of jobs) {
		if (!job.meta) continue;
		const facts = of(job.meta, job.createdAtMs);
		Object.assign(facts, { job, asJob: true, stop: job.stop, verdict: job.verdict });
	}
	for (const pod of pods) {
		if (!pod.meta) continue;
		const facts = of(pod.meta, pod.createdAtMs);
		facts.pods.push(pod);
		facts.asJob ||= pod.owner?.kind === "Job";
		if (pod.stop && (!facts.stop || pod.stop.byMs < facts.stop.byMs)) facts.stop = pod.stop;
		facts.verdict ??= pod.verdict;
	}
	return found;
}
