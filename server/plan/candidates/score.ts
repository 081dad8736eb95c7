import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Family } from "../history/columns.ts";
import type { CandidateReason } from "../types.ts";
import type { GpuPrices } from "./prices.ts";

/** What is known about one family of jobs. */
export interface FamilyFacts {
	family: Family;
	jobs: number;
	gpuHours: number;
	overflowGpuHours: number;
	meanWaitMs: number | null;
	waitHours: number | null;
	p50RunMs: number;
	/** Whether the owned GPUs can hold one of its jobs. */
	fits: boolean;
	faster: GpuPrices["faster"];
}

/** Points of each fact, 100 in total: a choice of this project, documented in docs/plan.md. A missing fact counts half. */
export const WEIGHTS = { waits: 30, peak: 25, machine: 15, spot: 15, data: 10, sensitivity: 5 } as const;

/** A wait with the full score: half a working day. */
const LONG_WAIT_MS = 4 * HOUR_MS;
/** A cloud machine runs a command some 4 minutes after its launch (replay/default-scenario.ts): shorter waits gain little. */
const SHORT_WAIT_MS = 15 * MINUTE_MS;
/** Mean time until spot was reclaimed in the public probes: 1.5 to 6 hours (replay/default-scenario.ts, SPOT_HOURS). */
const SPOT_RUN_MS = 2 * HOUR_MS;
/** GPUs of the largest common cloud machine. */
const MACHINE_GPUS = 8;
/** At 600 MiB/s some 3 minutes. */
const LITTLE_DATA_GIB = 100;
const MUCH_DATA_GIB = 1000;

/** 0 to 100, a whole number. */
export function scoreOf(facts: FamilyFacts): number {
	const { family } = facts;
	if (family.isSensitive === true) return 0;
	const parts = {
		waits: facts.fits ? (facts.meanWaitMs === null ? 0.5 : Math.min(1, facts.meanWaitMs / LONG_WAIT_MS)) : 1,
		peak: facts.gpuHours === 0 ? 0 : Math.min(1, (2 * facts.overflowGpuHours) / facts.gpuHours),
		machine: family.gpus <= MACHINE_GPUS ? 1 : MACHINE_GPUS / family.gpus,
		spot: spotShare(facts),
		data: family.inputGiB === null ? 0.5 : clamp((MUCH_DATA_GIB - family.inputGiB) / (MUCH_DATA_GIB - LITTLE_DATA_GIB)),
		sensitivity: family.isSensitive === null ? 0.5 : 1,
	};
	return Math.round((Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).reduce((sum, key) => sum + WEIGHTS[key] * parts[key], 0));
}

/** Checkpoints make spot cheap at any length. Without them a run must end before its machine is reclaimed. */
function spotShare({ family, p50RunMs }: FamilyFacts): number {
	if (family.savesCheckpoints === true) return 1;
	const short = clamp(SPOT_RUN_MS / Math.max(1, p50RunMs));
	return family.savesCheckpoints === null ? 0.5 * short + 0.25 : short;
}

function clamp(share: number): number {
	return Math.min(1, Math.max(0, share));
}

/** Why it suits the cloud, or does not, in sentences. */
export function reasonsFor(facts: FamilyFacts): CandidateReason[] {
	return [...placeReasons(facts), ...runReasons(facts), ...dataReasons(facts)];
}

function placeReasons({ family, meanWaitMs, gpuHours, overflowGpuHours, fits }: FamilyFacts): CandidateReason[] {
	const reasons: CandidateReason[] = [];
	if (!fits) reasons.push({ code: "never_fits", effect: "for", text: `Never fits: ${family.gpus} GPUs are more than you own.` });
	else if (meanWaitMs !== null && meanWaitMs >= SHORT_WAIT_MS)
		reasons.push({ code: "waits_long", effect: "for", text: `Waited ${span(meanWaitMs)} on average.` });
	else if (meanWaitMs !== null)
		reasons.push({ code: "waits_short", effect: "against", text: `Waited only ${span(meanWaitMs)} on average.` });
	const share = gpuHours === 0 ? 0 : overflowGpuHours / gpuHours;
	if (share >= 0.1)
		reasons.push({ code: "asked_at_peak", effect: "for", text: `${Math.round(share * 100)}% of its work exceeded your capacity.` });
	if (family.gpus <= MACHINE_GPUS) reasons.push({ code: "one_machine", effect: "for", text: "Fits one cloud machine." });
	else
		reasons.push({
			code: "many_machines",
			effect: "against",
			text: `Needs ${Math.ceil(family.gpus / MACHINE_GPUS)} machines at once, which spot rarely has.`,
		});
	return reasons;
}

function runReasons({ family, p50RunMs, faster }: FamilyFacts): CandidateReason[] {
	const reasons: CandidateReason[] = [];
	if (family.savesCheckpoints === true)
		reasons.push({ code: "saves_checkpoints", effect: "for", text: "Saves checkpoints, so that a spot interruption costs little." });
	else if (family.savesCheckpoints === false)
		reasons.push({
			code: "no_checkpoints",
			effect: "against",
			text: "Saves no checkpoints: an interruption restarts it from the beginning.",
		});
	else reasons.push({ code: "checkpoints_unknown", effect: "unknown", text: "Checkpoints are not recorded." });
	if (p50RunMs <= SPOT_RUN_MS) reasons.push({ code: "suits_spot", effect: "for", text: `Half of its runs end within ${span(p50RunMs)}.` });
	else if (family.savesCheckpoints !== true)
		reasons.push({ code: "long_runs", effect: "against", text: `Half of its runs take more than ${span(p50RunMs)}.` });
	if (faster)
		reasons.push({
			code: "faster_elsewhere",
			effect: "for",
			text: `An ${faster.accelerator} runs it about ${faster.speed.toFixed(1)} times as fast, for less per job at list price.`,
		});
	return reasons;
}

function dataReasons({ family }: FamilyFacts): CandidateReason[] {
	const { inputGiB, isSensitive } = family;
	const reasons: CandidateReason[] = [];
	if (inputGiB === null) reasons.push({ code: "data_unknown", effect: "unknown", text: "Input sizes are not recorded." });
	else if (inputGiB <= LITTLE_DATA_GIB)
		reasons.push({ code: "little_data", effect: "for", text: `Reads at most ${Math.ceil(inputGiB)} GiB.` });
	else reasons.push({ code: "much_data", effect: "against", text: `Reads up to ${Math.round(inputGiB)} GiB, which must be copied first.` });
	if (isSensitive === true) reasons.push({ code: "sensitive", effect: "against", text: "Reads data that must stay home." });
	else if (isSensitive === null)
		reasons.push({ code: "sensitivity_unknown", effect: "unknown", text: "Whether its data may leave is not recorded." });
	return reasons;
}

/** Two units at most: "7 h 20 min". */
export function span(ms: number): string {
	const minutes = Math.round(ms / MINUTE_MS);
	if (minutes < 60) return `${minutes} min`;
	if (ms < DAY_MS) return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
	const hours = Math.round(ms / HOUR_MS);
	return `${Math.floor(hours / 24)} d${hours % 24 === 0 ? "" : ` ${hours % 24} h`}`;
}
