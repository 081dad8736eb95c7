import type { Policy } from "#server/domain/policy.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { spotRecord } from "./capacity.ts";
import type { RecordedHistory } from "./history.ts";
import { priceSteps } from "./price-steps.ts";
import type { BacktestHalf } from "./replay-half.ts";

interface Halves {
	published: BacktestHalf;
	draft: BacktestHalf;
}
interface Policies {
	published: Policy;
	draft: Policy;
}

/** What a recorded history lacks and what was assumed instead, as sentences. */
export function gapsOf(history: RecordedHistory, halves: Halves, policies: Policies): string[] {
	return [
		...recordGaps(history),
		...priceGaps(history),
		...capacityGaps(history),
		...workGaps(history),
		...endGaps(halves),
		...ruleGaps(history, halves, policies),
		"Jobs that no one submitted are not in it: under other rules people may submit other jobs, or at other times.",
	];
}

function recordGaps({ fromMs, toMs, firstJobAtMs, jobs }: RecordedHistory): string[] {
	if (firstJobAtMs === null || jobs.length === 0) return ["No job was recorded in this time."];
	if (firstJobAtMs <= fromMs + DAY_MS) return [];
	return [`The record begins ${day(firstJobAtMs)}: it covers ${days(toMs - firstJobAtMs)} of ${days(toMs - fromMs)} days.`];
}

function priceGaps(history: RecordedHistory): string[] {
	if (history.offers.length === 0) return ["No cloud offers are known, so no job could leave home."];
	const { knownShare, stepMs } = priceSteps(history);
	const sentences = ["The cloud offers and the pools are those of today."];
	const missing = Math.round((1 - knownShare) * 100);
	if (knownShare < 1)
		sentences.push(
			`Prices are not recorded for ${missing === 0 ? "less than 1" : missing} % of the time; there the first price that is on record stands.`,
		);
	if (stepMs !== null)
		sentences.push(`Prices change every ${Math.round(stepMs / MINUTE_MS)} minutes, since they were recorded too often to follow.`);
	return sentences;
}

function capacityGaps({ launches, offers, toMs }: RecordedHistory): string[] {
	const spot = offers.filter((offer) => offer.capacityType === "spot").map(({ id }) => id);
	const sentences: string[] = [];
	if (spot.length > 0) {
		const { instanceHours, interruptions } = spotRecord(launches, spot, toMs);
		sentences.push(
			instanceHours === 0
				? "No spot instance is on record, so none is reclaimed here: spot looks better than it is."
				: `Spot instances are reclaimed as often as on record, ${count(interruptions, "time")} in ${Math.round(instanceHours)} instance hours, but not at the recorded moments.`,
		);
	}
	if (launches.length === 0 && offers.length > 0) sentences.push("No launch is on record, so every one comes up.");
	return sentences;
}

function workGaps({ jobs, fromMs }: RecordedHistory): string[] {
	const of = (kind: string): number => jobs.filter(({ work }) => work.kind === kind).length;
	const sentences: string[] = [];
	const [soFar, unknown] = [of("so_far"), of("unknown")];
	const carried = jobs.filter(({ submittedAtMs }) => submittedAtMs < fromMs).length;
	if (soFar > 0) sentences.push(`${count(soFar, "job")} had not ended: the estimate, or what they ran so far, is taken as their run time.`);
	if (unknown > 0)
		sentences.push(`${count(unknown, "job")} never ran: the estimate, or the median of their team, is taken as their run time.`);
	if (carried > 0)
		sentences.push(
			`${count(carried, "job")} from before start again at the start with what was left to do; they are in the sums of money only.`,
		);
	return sentences;
}

function endGaps({ published, draft }: Halves): string[] {
	const cut = (half: BacktestHalf): number => half.sums.runningAtEnd + half.sums.waitingAtEnd;
	if (cut(published) + cut(draft) === 0) return [];
	const words = ({ sums }: BacktestHalf): string => `${sums.runningAtEnd} running and ${sums.waitingAtEnd} waiting`;
	return [
		`At the end jobs are cut off, under the published policy ${words(published)}, under the draft ${words(draft)}: what they would have cost after it is in no sum.`,
	];
}

function ruleGaps(history: RecordedHistory, halves: Halves, { published, draft }: Policies): string[] {
	const sentences: string[] = [];
	const either = [published, draft];
	const asked = Math.max(halves.published.sums.askedForApproval, halves.draft.sums.askedForApproval);
	if (asked > 0) sentences.push(`${count(asked, "job")} asked for an approval that no one gave then: they are held until the end.`);
	if (either.some(({ caps }) => caps.some(({ kind }) => kind === "egress")))
		sentences.push("Caps on data out are not counted: nothing is held back by them.");
	const measured = either.some(({ rules }) =>
		rules.some(({ effect }) => effect.kind === "limit" && (effect.idleMs !== null || effect.gpuUtilisationBelow !== null)),
	);
	if (measured) sentences.push("Limits on idle machines and on poorly used GPUs end nothing here: use is not replayed.");
	const otherModel = [...halves.published.courses].filter(([id, { accelerator }]) => {
		const other = halves.draft.courses.get(id)?.accelerator ?? null;
		return accelerator !== null && other !== null && other !== accelerator;
	}).length;
	if (otherModel > 0)
		sentences.push(`${count(otherModel, "job")} would run on another GPU model; the recorded run time is taken unchanged.`);
	const boots = history.timing.bootMs;
	if (boots === null && history.offers.length > 0)
		sentences.push(`No start in a cloud is on record: ${Math.round(history.timing.cloudStartMs.p50Ms / 1000)} s are taken for each.`);
	const waitsFor = (hour: "greener" | "cheaper"): boolean =>
		either.some(({ rules }) => rules.some(({ effect }) => effect.kind === "defer" && effect.to === hour));
	if (!history.grid && waitsFor("greener")) sentences.push("No hours of grids are on record, so no start is put off to a greener one.");
	if (waitsFor("cheaper")) sentences.push("Coming prices are not foretold here, so no start is put off to a cheaper hour.");
	if (history.zone !== "UTC") sentences.push(`Budgets are counted by months of UTC here, in the ledger by those of ${history.zone}.`);
	const grids = history.grid
		? "the hours of grids that are on record, the yearly average elsewhere,"
		: "the yearly average of each place's grid";
	sentences.push(`CO2 is by ${grids} and by the boards' power under load.`);
	return sentences;
}

function count(n: number, noun: string): string {
	return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function day(atMs: number): string {
	return `on ${new Date(atMs).toISOString().slice(0, 10)}`;
}

function days(ms: number): string {
	return ms < DAY_MS ? `${(ms / DAY_MS).toFixed(ms < HOUR_MS ? 2 : 1)}` : String(Math.round(ms / DAY_MS));
}
