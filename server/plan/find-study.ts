import type { PlanComparison } from "./compare/types.ts";
import { type HeadlineOptions, headline, type PlanHeadline } from "./headline.ts";
import { runStudy, type Study, type StudyProgress } from "./study.ts";

export interface StudyTask {
	study: Study;
	/** If set, the published claims are replayed too. */
	claims: HeadlineOptions | null;
}

export interface StudyFindings {
	comparison: PlanComparison;
	headline?: PlanHeadline;
}

/** Share of the progress for the options, if claims follow. */
const OPTIONS_SHARE = 0.7;

/** The comparison, and the published claims if requested. */
export function findStudy({ study, claims }: StudyTask, onProgress: (progress: StudyProgress) => void): StudyFindings {
	if (!claims) return { comparison: runStudy(study, onProgress) };
	const comparison = runStudy(study, ({ label, share }) => onProgress({ label, share: share * OPTIONS_SHARE }));
	return {
		comparison,
		headline: headline(study, claims, ({ label, share }) => onProgress({ label, share: OPTIONS_SHARE + share * (1 - OPTIONS_SHARE) })),
	};
}
