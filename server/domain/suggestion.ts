import { formatDuration } from "../kernel/units.ts";
import type { Placement } from "./capacity.ts";
import type { TimeRange } from "./decision.ts";
import { PLAIN_FORMATTERS, plural, type SentenceFormatters } from "./sentence-facts.ts";

/** The single change. Durations in ms, a deadline as UTC ms. */
export type JobChange =
	| { kind: "accelerator"; accelerator: string }
	| { kind: "deadline"; deadlineMs: number; laterMs: number }
	| { kind: "checkpoint"; intervalMs: number }
	/** All GPUs of a gang on one machine. */
	| { kind: "one_node"; gpus: number }
	/** Half of the machines, or half of the GPUs of a single machine, for twice as long. */
	| { kind: "half"; nodes: number; gpus: number }
	/** The machines and GPUs per machine that it scales to, and the speedup factor. */
	| { kind: "scale"; nodes: number; gpus: number; speedup: number }
	/** No more CPUs and memory than the cheapest machine with these GPUs has. */
	| { kind: "machine"; instanceType: string; cpus: number | null; memoryGiB: number | null }
	/** A limit on the run time, and therefore on the budget hold. */
	| { kind: "max_duration"; maxMs: number };

/** A field of the job file under `spec`, and its suggested value. */
export interface ChangedField {
	path: string[];
	value: string | number | string[] | Record<string, string>;
}

/** Where a job would start and what it would cost. Amounts are estimates, decimal strings of micro-dollars. */
export interface Prospect {
	placement: Placement;
	start: TimeRange;
	finish: TimeRange;
	/** New spend: 0 at home. */
	cashMicroUsd: string;
	/** Probability of missing its deadline, 0 to 1; null without a deadline. */
	deadlineRisk: number | null;
}

/** A change that would make a job cheaper or start sooner: the same quote with one thing changed. */
export interface Suggestion {
	change: JobChange;
	fields: ChangedField[];
	/** The outcome of the changed job. */
	prospect: Prospect;
	/** Compared with the unchanged job: above 0 is sooner, or cheaper. null: the unchanged job has no forecast start. */
	startsEarlierMs: number | null;
	finishesEarlierMs: number | null;
	savesMicroUsd: string | null;
}

/** "Allow A100-80GB: starts 1h10m earlier, $3.20 less." */
export function suggestionSentence(s: Suggestion, formatters: SentenceFormatters = PLAIN_FORMATTERS): string {
	return `${changeWords(s.change, formatters)}: ${gainWords(s, formatters)}.`;
}

export function changeWords(change: JobChange, f: SentenceFormatters = PLAIN_FORMATTERS): string {
	switch (change.kind) {
		case "accelerator":
			return `Allow ${change.accelerator}`;
		case "deadline":
			return `Set the deadline ${f.duration(change.laterMs)} later`;
		case "checkpoint":
			return `Save a checkpoint every ${f.duration(change.intervalMs)}`;
		case "one_node":
			return `Ask for one machine of ${change.gpus} GPUs`;
		case "half":
			return `Ask for ${change.nodes > 1 ? `${change.nodes} machines of ` : ""}${plural(change.gpus, "GPU")}, for twice as long`;
		case "scale":
			return `Ask for ${change.nodes > 1 ? `${change.nodes} machines of ` : ""}${plural(change.gpus, "GPU")}, ${change.speedup} times as fast`;
		case "machine":
			return `Ask for no more than ${change.instanceType} has${machineWords(change)}`;
		case "max_duration":
			return `Set a maximum of ${formatDuration(change.maxMs)}`;
	}
}

function machineWords({ cpus, memoryGiB }: { cpus: number | null; memoryGiB: number | null }): string {
	const parts = [cpus === null ? null : plural(cpus, "CPU"), memoryGiB === null ? null : `${memoryGiB} GiB of memory`];
	return ` (${parts.filter((part) => part !== null).join(", ")})`;
}

function gainWords(s: Suggestion, f: SentenceFormatters): string {
	const { prospect } = s;
	if (s.startsEarlierMs === null || s.finishesEarlierMs === null || s.savesMicroUsd === null) {
		return `could start at ${f.instant(prospect.start.p50Ms)}${prospect.cashMicroUsd === "0" ? ", at home" : `, for ${f.money(prospect.cashMicroUsd)}`}`;
	}
	const starts = timeWords("starts", s.startsEarlierMs, f);
	// The end is included only if it does not follow from the start.
	const shifted = Math.abs(s.finishesEarlierMs - s.startsEarlierMs) >= LEAST_SHOWN_MS;
	const ends = starts === null || shifted ? timeWords("ends", s.finishesEarlierMs, f) : null;
	return [starts, ends, moneyWords(s.savesMicroUsd, f)].filter((part) => part !== null).join(", ") || "no difference";
}

const LEAST_SHOWN_MS = 60_000;

function timeWords(verb: string, earlierMs: number, f: SentenceFormatters): string | null {
	if (Math.abs(earlierMs) < LEAST_SHOWN_MS) return null;
	return `${verb} ${f.duration(Math.abs(earlierMs))} ${earlierMs > 0 ? "earlier" : "later"}`;
}

function moneyWords(savesMicroUsd: string, f: SentenceFormatters): string | null {
	const saves = BigInt(savesMicroUsd);
	if (saves === 0n) return null;
	return saves > 0n ? `${f.money(savesMicroUsd)} less` : `${f.money(String(-saves))} more`;
}
