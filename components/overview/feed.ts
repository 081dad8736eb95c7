import type { inferRouterOutputs } from "@trpc/server";
import type { CapacityKind } from "#components/place/place.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

export type EventView = inferRouterOutputs<AppRouter>["overview"]["events"][number];

/** One activity line: a linked name, text and cost. */
export interface FeedLine {
	id: number;
	atMs: number;
	/** Text before the name, such as "The machine of". */
	before: string;
	name: string;
	text: string;
	href: string;
	capacity: CapacityKind | null;
	tone: "risk" | "ok" | null;
	/** Posted so far; null where cost is irrelevant. */
	costMicroUsd: string | null;
}

/** Events of one kind within this interval are merged. */
const TOGETHER_MS = MINUTE_MS;
const GROUP_FROM = 3;

const MANY: Partial<Record<EventView["kind"], string>> = {
	job_submitted: "submitted",
	job_placed: "placed",
	job_started: "started",
	job_succeeded: "finished",
	job_failed: "failed",
	job_cancelled: "cancelled",
	job_held: "held",
	job_interrupted: "interrupted",
	instance_terminated: "released their machines",
};

/** Newest first. Many events of one kind become one line so that a batch does not hide the rest. */
export function prepareFeed(events: readonly EventView[], most: number): FeedLine[] {
	const lines: FeedLine[] = [];
	for (let i = 0; i < events.length && lines.length < most; ) {
		const run = runFrom(events, i);
		const first = run[0];
		if (!first) break;
		if (run.length >= GROUP_FROM) {
			lines.push(groupLine(run, first));
			i += run.length;
		} else {
			if (!isReportedByAnother(first, events)) lines.push(lineOf(first));
			i += 1;
		}
	}
	return lines;
}

/** The placement already implies submission and start, and a job's interruption implies the end of its machine. */
function isReportedByAnother(e: EventView, events: readonly EventView[]): boolean {
	if (e.kind === "instance_terminated") {
		return events.some(
			(other) =>
				other.kind === "job_interrupted" &&
				other.jobId === e.jobId &&
				other.reason?.code === e.reason?.code &&
				Math.abs(Date.parse(other.at) - Date.parse(e.at)) <= TOGETHER_MS,
		);
	}
	if (e.kind !== "job_submitted" && e.kind !== "job_started") return false;
	return events.some((other) => other.jobId === e.jobId && (other.kind === "job_placed" || other.kind === "job_held"));
}

function runFrom(events: readonly EventView[], from: number): EventView[] {
	const first = events[from];
	if (!first || !MANY[first.kind]) return first ? [first] : [];
	const run: EventView[] = [];
	for (const e of events.slice(from)) {
		if (e.kind !== first.kind || e.siteId !== first.siteId || Date.parse(first.at) - Date.parse(e.at) > TOGETHER_MS) break;
		run.push(e);
	}
	return run;
}

function groupLine(run: readonly EventView[], first: EventView): FeedLine {
	const names = [...new Set(run.map((e) => e.jobName).filter((n) => n !== null))];
	const shown = names.slice(0, 2).join(", ");
	const rest = names.length - 2;
	return {
		id: run.at(-1)?.id ?? first.id,
		atMs: Date.parse(first.at),
		before: "",
		name: `${formatCount(run.length)} jobs`,
		text: `${MANY[first.kind] ?? ""}${shown ? `: ${shown}${rest > 0 ? ` and ${formatCount(rest)} more` : ""}` : ""}`,
		href: "/jobs",
		capacity: run.every((e) => capacityOf(e) === capacityOf(first)) ? capacityOf(first) : null,
		tone: first.kind === "job_failed" ? "risk" : null,
		costMicroUsd: null,
	};
}

/** Cost covers all attempts, so it is shown only when the job ends. */
const ENDS = new Set<EventView["kind"]>(["job_succeeded", "job_failed", "job_cancelled"]);

function lineOf(e: EventView): FeedLine {
	const job = e.jobName ?? e.jobId ?? "Job";
	const base = {
		id: e.id,
		atMs: Date.parse(e.at),
		before: "",
		href: e.jobId ? `/jobs/${e.jobId}` : "/sites",
		capacity: capacityOf(e),
		tone: e.kind === "job_failed" || e.kind === "orphan_terminated" || e.kind === "site_unhealthy" ? ("risk" as const) : null,
		costMicroUsd: ENDS.has(e.kind) && e.costMicroUsd !== null && e.costMicroUsd !== "0" ? e.costMicroUsd : null,
	};
	const why = e.reason ? sentenceText(e.reason.message) : "";
	switch (e.kind) {
		case "job_submitted":
			return { ...base, name: job, text: `submitted${e.team ? ` by team ${e.team}` : ""}`, capacity: null };
		case "instance_terminated":
			return { ...base, before: "The machine of", name: job, text: `was terminated${why ? `: ${why}` : ""}` };
		case "orphan_terminated":
			return { ...base, name: "Stray machine", text: why || "found and terminated", href: "/sites" };
		case "sweep_done":
			return {
				...base,
				before: "Site",
				name: e.siteId ?? "",
				text: why || "swept: machines compared with jobs",
				href: "/sites",
			};
		case "site_unhealthy":
			return { ...base, before: "Site", name: e.siteId ?? "", text: `is unreachable${why ? `: ${why}` : ""}`, href: "/sites" };
		case "site_healthy":
			return { ...base, before: "Site", name: e.siteId ?? "", text: "is reachable", href: "/sites", tone: "ok" };
		case "job_interrupted":
			// Some reasons describe the machine, some the job.
			return { ...base, name: job, text: why && !/^(the|its) /.test(why) ? why : `was interrupted${why && `: ${why}`}` };
		case "job_held":
			return { ...base, name: job, text: why || "is held", capacity: null };
		default:
			return { ...base, name: job, text: why || (MANY[e.kind] ?? e.kind.replace(/_/g, " ")) };
	}
}

/**
 * The kind of location of an event. A placement names it in its reason; other events only carry the job's current
 * location, which may differ, so they have none.
 */
function capacityOf(e: EventView): CapacityKind | null {
	if (e.kind === "job_placed") {
		const named = CAPACITY_TYPES.find((type) => type === e.reason?.facts.capacityType);
		return e.reason?.code === "placed_home" ? "owned" : (named ?? null);
	}
	const isNewest = e.kind === "job_succeeded" || e.kind === "job_failed" || e.kind === "job_cancelled";
	return isNewest && e.placement ? e.placement.capacityType : null;
}

/** Lower-cases a reason sentence to follow a name: "Placed at home." becomes "placed at home". */
export function sentenceText(sentence: string): string {
	const text = sentence.replace(/\.$/, "");
	return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
