import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { jobsThatFit } from "#server/simulation/report/jobs-that-fit.ts";
import { scalingOf } from "#server/simulation/report/sized-jobs.ts";
import { compareOptions } from "./compare/compare.ts";
import type { Outlook } from "./compare/finance.ts";
import { type OptionSpec, planOptions, type RanOption, runSpec } from "./compare/options.ts";
import type { PlanCard } from "./compare/owned-money.ts";
import type { PlanPolicy } from "./compare/policies.ts";
import type { PlanComparison } from "./compare/types.ts";
import type { PlanAssessment } from "./types.ts";

/** Inputs of a comparison. Plain data, except that a policy contains compiled conditions. */
export interface Study {
	assessment: PlanAssessment;
	jobs: readonly TraceJob[];
	scenario: ReplayScenario;
	card: PlanCard;
	policy: PlanPolicy | null;
	outlook?: Partial<Outlook>;
}

export interface StudyProgress {
	/** The replay in progress. */
	label: string;
	/** Progress of all replays, 0 to 1. */
	share: number;
}

/** Replays every option, one after another, and compares them. */
export function runStudy(study: Study, onProgress: (progress: StudyProgress) => void = () => {}): PlanComparison {
	const { assessment, scenario, card, policy } = study;
	const jobs = jobsThatFit(study.jobs, scenario);
	const specs = planOptions(scenario, assessment, { own: policy, hasScaling: jobs.some((job) => scalingOf(job) !== null) });
	const ran = specs.map((spec, i): { spec: OptionSpec; run: RanOption } => {
		const run = runSpec(spec, jobs, scenario, (done, total) =>
			onProgress({ label: spec.label, share: (i + (total === 0 ? 1 : done / total)) / specs.length }),
		);
		return { spec, run };
	});
	return compareOptions({
		...{ assessment, scenario, card, ran, jobsWithoutPlace: study.jobs.length - jobs.length },
		...(study.outlook && { outlook: study.outlook }),
	});
}
