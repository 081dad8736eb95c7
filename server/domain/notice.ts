import { formatDuration } from "../kernel/units.ts";
import type { WorkTopic } from "./alert.ts";

/** What people can be notified about: events of the jobs and pipelines that they submitted. */
export const WORK_EVENTS = ["finished", "failed", "needs_approval", "over_forecast", "reclaimed"] as const;
export type WorkEvent = (typeof WORK_EVENTS)[number];

/** Choices for the minutes that events are collected before one mail is sent, and their default. */
export const DIGEST_MINUTES = { min: 1, max: 1_440, default: 5 } as const;

/** A job that was reclaimed this often notifies its owner, once. */
export const RECLAIMED_TIMES = 2;

/** The topic of channels for an event; approvals have the alert `approval_waiting`. */
export const TOPIC_OF_EVENT: Record<Exclude<WorkEvent, "needs_approval">, WorkTopic> = {
	finished: "work_finished",
	failed: "work_failed",
	over_forecast: "work_over_forecast",
	reclaimed: "work_reclaimed",
};

/** A job, pipeline or sweep, as notifications name it. */
export interface WorkFacts {
	kind: "Job" | "Pipeline" | "Sweep";
	id: string;
	name: string;
	team: string;
	/** From the submission or the latest start, ms; null when it never ran. */
	ranMs: number | null;
	/** Why, as a sentence; null when there is nothing to add. */
	why: string | null;
}

export interface NoticeWords {
	title: string;
	text: string;
}

const TITLES: Record<WorkEvent, string> = {
	finished: "finished",
	failed: "failed",
	needs_approval: "needs approval",
	over_forecast: "is over its forecast",
	reclaimed: `was reclaimed ${RECLAIMED_TIMES} times`,
};

/** One event as a mail or a message of a channel. */
export function noticeWords(event: WorkEvent, { kind, name, team, ranMs, why }: WorkFacts): NoticeWords {
	const ran = ranMs === null ? [] : [`Run time ${formatDuration(ranMs)}.`];
	return { title: `${kind} ${name} ${TITLES[event]}`, text: [...(why === null ? [] : [why]), ...ran, `Team ${team}.`].join(" ") };
}

/** The path of the page of a job, pipeline or sweep. */
export function pageOfWork({ kind, id }: Pick<WorkFacts, "kind" | "id">): string {
	return kind === "Job" ? `/jobs/${id}` : kind === "Sweep" ? `/sweeps/${id}` : `/pipelines/${id}`;
}

/** An event that was collected for a person. */
export interface CollectedNotice extends NoticeWords {
	event: WorkEvent;
	link: string;
}

/** The most events that one mail lists; the others are counted. */
export const LISTED_MAX = 50;

/**
 * One mail for all events of a person since the last one. A single event is sent as it is; several are counted in the title and
 * listed, failures and approvals first.
 * @param addressOf makes a whole address of a path
 */
export function digestOf(notices: readonly CollectedNotice[], addressOf: (link: string) => string): NoticeWords & { link: string } {
	const [only] = notices;
	if (only && notices.length === 1) return only;
	const order: readonly WorkEvent[] = ["needs_approval", "failed", "reclaimed", "over_forecast", "finished"];
	const groups = order
		.map((event) => ({ event, of: notices.filter((notice) => notice.event === event) }))
		.filter(({ of }) => of.length > 0);
	const counts = groups.map(({ event, of }) => `${of.length} ${COUNTED[event]}`).join(", ");
	const listed = groups.flatMap(({ of }) => of).slice(0, LISTED_MAX);
	const lines = listed.map(({ title, text, link }) => `- ${title}. ${text}\n  ${addressOf(link)}`);
	const more = notices.length > listed.length ? [`and ${notices.length - listed.length} more`] : [];
	return { title: `Your jobs: ${counts}`, text: [...lines, ...more].join("\n"), link: "/jobs" };
}

const COUNTED: Record<WorkEvent, string> = {
	finished: "finished",
	failed: "failed",
	needs_approval: "waiting for approval",
	over_forecast: "over forecast",
	reclaimed: "reclaimed",
};
