import { type CollectedNotice, eventLines, type NoticeWords } from "./notice.ts";
import { nextCronTime, parseCron } from "./trigger/cron.ts";

/** When a channel sends: each event in its own message, or all events since the last digest in one. */
export const CHANNEL_DIGESTS = ["immediate", "hourly", "daily"] as const;
export type ChannelDigest = (typeof CHANNEL_DIGESTS)[number];

/** Local times at which digests are sent. Daily ones arrive at the start of the working day. */
const SCHEDULES = { hourly: "0 * * * *", daily: "0 8 * * *" } as const;

/**
 * When an event at `atMs` is sent, UTC ms: the first digest after it.
 * @param zone IANA time zone of the company
 * @returns null for a channel without a digest
 */
export function digestTimeMs(digest: ChannelDigest, zone: string, atMs: number): number | null {
	if (digest === "immediate") return null;
	const schedule = parseCron(SCHEDULES[digest]);
	return typeof schedule === "string" ? null : nextCronTime(schedule, zone, atMs);
}

/** Maximum length of a digest's list. A section of a Slack message has at most 3,000 characters, and escaping adds some. */
const LIST_CHARACTERS = 2_400;

/** An event that waits for a digest. `event` is its alert rule or topic. */
type ChannelEvent = Pick<CollectedNotice, "title" | "text" | "link"> & { event: string | null };

/**
 * One message with all events of a channel, in the given order, those of finished work last. Events beyond the length limit are counted.
 * @param addressOf converts a path to a full URL
 */
export function channelDigest(
	digest: Exclude<ChannelDigest, "immediate">,
	events: readonly ChannelEvent[],
	addressOf: (link: string) => string,
): NoticeWords & { link: string } {
	const finished = events.filter(({ event }) => event === "finished");
	const ordered = [...events.filter(({ event }) => event !== "finished"), ...finished];
	const isWork = events.every(({ link }) => /^\/(jobs|pipelines|sweeps)\//.test(link));
	return {
		title: `${digest === "hourly" ? "Hourly" : "Daily"} digest: ${events.length} events`,
		text: eventLines(ordered, addressOf, LIST_CHARACTERS),
		link: isWork ? "/jobs" : "/budgets#alerts",
	};
}
