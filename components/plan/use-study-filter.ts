import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import type { Assessment } from "#components/plan/format-plan.ts";
import { useTRPC } from "#components/trpc/client.tsx";

const NAMES = { team: parseAsString, class: parseAsString, gpu: parseAsString };

/** The team, class and GPU model that the URL names, and the assessment's figures for them: demand, waits and candidates. */
export function useStudyFilter(studyId: string, assessment: Assessment) {
	const trpc = useTRPC();
	const [{ team, class: workloadClass, gpu }, setFilter] = useQueryStates(NAMES);
	const filter = { ...(team !== null && { team }), ...(workloadClass !== null && { class: workloadClass }), ...(gpu !== null && { gpu }) };
	const isFiltered = Object.keys(filter).length > 0;
	const { data, error, refetch } = useQuery({
		...trpc.plan.demand.queryOptions({ id: studyId, ...filter }),
		placeholderData: keepPreviousData,
		// Studies of earlier releases have none: they show all work, and no filter.
		retry: false,
	});
	const found = isFiltered ? data : undefined;
	const { profile = null } = found ?? {};
	const shown: Assessment = {
		...assessment,
		...(found && { demand: found.demand }),
		...(profile && { ...profile, waits: { ...profile.waits, basis: assessment.waits.basis } }),
	};
	return {
		...{ team, workloadClass, gpu, setFilter, error: isFiltered ? error : null, refetch, shown },
		names: data && { teams: data.teams, classes: data.classes, gpus: data.gpus },
		jobs: found?.jobs ?? assessment.history.jobs,
		/** Of what waits and candidates are: absent for all jobs. */
		of: profile === null ? undefined : [team, workloadClass, gpu].filter((name) => name !== null).join(", "),
	};
}

export type StudyFilter = ReturnType<typeof useStudyFilter>;
