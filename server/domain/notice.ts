import { formatDuration } from "../kernel/units.ts";
import type { WorkTopic } from "./alert.ts";

/** Events that people can be notified about, for jobs and pipelines that they submitted. */
export const WORK_EVENTS = ["finished", "failed", "needs_approval", "over_forecast", "reclaimed"] as const;
export type WorkEvent = (typeof WORK_EVENTS)[number];

/** Choices for how many minutes of events one mail collects, and the default. */
export const DIGEST_MINUTES = { min: 1, max: 1_440, default: 5 } as const;

/** The owner is notified once when a job has been reclaimed this often. */
export const RECLAIMED_TIMES = 2;

/** The channel topic for an event; approvals use the alert `approval_waiting`. */
export const TOPIC_OF_EVENT: Record<Exclude<WorkEvent, "needs_approval">, WorkTopic> = {
	finished: "work_finished",
	failed: "work_failed",
	over_forecast: "work_over_forecast",
	reclaimed: "work_reclaimed",
};

/** A job, pipeline or sweep, as named in notifications. */
export interface WorkFacts {
	kind: "Job" | "Pipeline" | "Sweep";
	id: string;
	name: string;
	team: string;
	/** Since submission or the latest start, ms; null when it never ran. */
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

/** Renders one event as a mail or a channel message. */
export function noticeWords(event: WorkEvent, { kind, name, team, ranMs, why }: WorkFacts): NoticeWords {
	const ran = ranMs === null ? [] : [`Run time ${formatDuration(ranMs)}.`];
	return { title: `${kind} ${name} ${TITLES[event]}`, text: [...(why === null ? [] : [why]), ...ran, `Team ${team}.`].join(" ") };
}

/** Path of the page of a job, pipeline or sweep. */
export function pageOfWork({ kind, id }: Pick<WorkFacts, "kind" | "id">): string {
	return kind === "Job" ? `/jobs/${id}` : kind === "Sweep" ? `/sweeps/${id}` : `/pipelines/${id}`;
}

/** An event collected for a person. */
export interface CollectedNotice extends NoticeWords {
	event: WorkEvent;
	link: string;
}

/** Maximum number of events listed in one mail; the rest are counted. */
export const LISTED_MAX = 50;

/**
 * One mail with all events of a person since the last mail. A single event is sent as is. Several are counted in the
 * title and listed, failures and approvals first.
 * @param addressOf converts a path to a full URL
 */
export function digestOf(notices: readonly CollectedNotice[], addressOf: (link: string) => string): NoticeWords & { link: string } {
	const [only] = notices;
	if (only && notices.length === 1) return only;
	const order: readonly WorkEvent[] = ["needs_approval", "failed", "reclaimed", "over_forecast", "finished"];
	const groups = order
		.map((event) => ({ event, of: notices.filter((notice) => notice.event === event) }))
		.filter(({ of }) => of.length > 0);
	const counts = groups.map(({ event, of }) => `${of.length} ${COUNTED[event]}`).join(", ");
	const ordered = groups.flatMap(({ of }) => of);
	return { title: `Your jobs: ${counts}`, text: eventLines(ordered, addressOf), link: "/jobs" };
}

/** Lists the first events, each with its page, and counts the rest. At least one is listed. */
export function eventLines(
	events: readonly Pick<CollectedNotice, "title" | "text" | "link">[],
	addressOf: (link: string) => string,
	maxCharacters = Number.POSITIVE_INFINITY,
): string {
	const lines: string[] = [];
	let characters = 0;
	for (const { title, text, link } of events.slice(0, LISTED_MAX)) {
		const line = `- ${title}. ${text}\n  ${addressOf(link)}`;
		characters += line.length;
		if (lines.length > 0 && characters > maxCharacters) break;
		lines.push(line);
	}
	const more = events.length > lines.length ? [`and ${events.length - lines.length} more`] : [];
	return [...lines, ...more].join("\n");
}

const COUNTED: Record<WorkEvent, string> = {
	finished: "finished",
	failed: "failed",
	needs_approval: "waiting for approval",
	over_forecast: "over forecast",
	reclaimed: "reclaimed",
};
