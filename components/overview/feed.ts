import type { inferRouterOutputs } from "@trpc/server";
import type { CapacityKind } from "#components/place/place.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

export type EventView = inferRouterOutputs<AppRouter>["overview"]["events"][number];

/** One line of "Just happened": a name that leads on, the words behind it, and what it cost. */
export interface FeedLine {
	id: number;
	atMs: number;
	/** Set before the name: "The machine of". */
	before: string;
	name: string;
	text: string;
	href: string;
	capacity: CapacityKind | null;
	tone: "risk" | "ok" | null;
	/** Posted so far; null where money is not the point. */
	costMicroUsd: string | null;
}

/** Events of one kind closer together than this are told once. */
const TOGETHER_MS = MINUTE_MS;
const GROUP_FROM = 3;

const MANY: Partial<Record<EventView["kind"], string>> = {
	job_submitted: "were submitted",
	job_placed: "were placed",
	job_started: "started",
	job_succeeded: "finished",
	job_failed: "failed",
	job_cancelled: "were cancelled",
	job_held: "were held",
	job_interrupted: "were interrupted",
	instance_terminated: "gave their machines back",
};

/** Newest first. Many of a kind at once become one line, so that a batch does not push everything else out. */
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
			if (!toldByAnother(first, events)) lines.push(lineOf(first));
			i += 1;
		}
	}
	return lines;
}

/**
 * That a job was submitted, or began to run, is said well enough by where it was placed, and that its machine is gone by what that
 * did to the job.
 */
function toldByAnother(e: EventView, events: readonly EventView[]): boolean {
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

/** A job's cost is that of all its attempts, so it is said at its end and not before. */
const ENDS = new Set<EventView["kind"]>(["job_succeeded", "job_failed", "job_cancelled"]);

function lineOf(e: EventView): FeedLine {
	const job = e.jobName ?? e.jobId ?? "A job";
	const base = {
		id: e.id,
		atMs: Date.parse(e.at),
		before: "",
		href: e.jobId ? `/jobs/${e.jobId}` : "/sites",
		capacity: capacityOf(e),
		tone: e.kind === "job_failed" || e.kind === "orphan_terminated" || e.kind === "site_unhealthy" ? ("risk" as const) : null,
		costMicroUsd: ENDS.has(e.kind) && e.costMicroUsd !== null && e.costMicroUsd !== "0" ? e.costMicroUsd : null,
	};
	const why = e.reason ? said(e.reason.message) : "";
	switch (e.kind) {
		case "job_submitted":
			return { ...base, name: job, text: `submitted${e.team ? ` by team ${e.team}` : ""}`, capacity: null };
		case "instance_terminated":
			return { ...base, before: "The machine of", name: job, text: `is gone${why ? `: ${why}` : ""}` };
		case "orphan_terminated":
			return { ...base, name: "Stray machine", text: why || "found and ended", href: "/sites" };
		case "sweep_done":
			return {
				...base,
				before: "Site",
				name: e.siteId ?? "",
				text: why || "swept: what runs there was compared with the jobs",
				href: "/sites",
			};
		case "site_unhealthy":
			return { ...base, before: "Site", name: e.siteId ?? "", text: `does not answer${why ? `: ${why}` : ""}`, href: "/sites" };
		case "site_healthy":
			return { ...base, before: "Site", name: e.siteId ?? "", text: "answers", href: "/sites", tone: "ok" };
		case "job_interrupted":
			// Some reasons tell of the machine, and some of the job.
			return { ...base, name: job, text: why && !/^(the|its) /.test(why) ? why : `was interrupted${why && `: ${why}`}` };
		case "job_held":
			return { ...base, name: job, text: why || "is held", capacity: null };
		default:
			return { ...base, name: job, text: why || (MANY[e.kind] ?? e.kind.replace(/_/g, " ")) };
	}
}

/**
 * The kind of place that the event is about. An event's placement is where its job is by now, which for what happened on the
 * way there may be another: a placement names its own place in its reason, and of the rest nothing is claimed.
 */
function capacityOf(e: EventView): CapacityKind | null {
	if (e.kind === "job_placed") {
		const named = CAPACITY_TYPES.find((type) => type === e.reason?.facts.capacityType);
		return e.reason?.code === "placed_home" ? "owned" : (named ?? null);
	}
	const isNewest = e.kind === "job_succeeded" || e.kind === "job_failed" || e.kind === "job_cancelled";
	return isNewest && e.placement ? e.placement.capacityType : null;
}

/** A reason's sentence, to go on behind a name: "Placed at home." becomes "placed at home". */
export function said(sentence: string): string {
	const text = sentence.replace(/\.$/, "");
	return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
