import { createLoader, createSerializer, type inferParserType, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { JobListParameter } from "#server/domain/job-list.ts";
import { JOB_STATES } from "#server/domain/states.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";

export const JOB_VIEWS = ["active", "cloud", "failed", "all"] as const;
export type JobViewName = (typeof JOB_VIEWS)[number];

const listParams = {
	view: parseAsStringLiteral(JOB_VIEWS).withDefault("active"),
	state: parseAsArrayOf(parseAsStringLiteral(JOB_STATES)).withDefault([]),
	team: parseAsArrayOf(parseAsString).withDefault([]),
	class: parseAsArrayOf(parseAsStringLiteral(WORKLOAD_CLASSES)).withDefault([]),
	site: parseAsString,
	q: parseAsString.withDefault(""),
	/** `cost.desc`; empty for the view's default. */
	sort: parseAsString,
	/** Hidden columns. */
	hide: parseAsArrayOf(parseAsString).withDefault([]),
} satisfies Record<JobListParameter, unknown>;

/** Everything in a list view, so that a shared link shows the same. */
export const jobSearchParams = {
	...listParams,
	/** Id of the saved view that the list was opened from. */
	saved: parseAsString,
};
export type JobSearch = inferParserType<typeof jobSearchParams>;

export const serializeJobSearch = createSerializer(jobSearchParams);
export const loadJobSearch = createLoader(jobSearchParams);
