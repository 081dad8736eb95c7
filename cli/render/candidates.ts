import { REMOVAL_CODES, type RemovalCode } from "#server/domain/decision.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import type { Io } from "../io.ts";
import type { Candidate, Decision } from "../response-types.ts";
import { about, chance, count, duration, grams, hourly, place, startRange } from "./format.ts";
import { styled } from "./style.ts";
import { table } from "./table.ts";

/** Candidates of a decision or a quote; quotes also show the chance of a missed deadline. */
type Considered = Pick<Decision, "removed" | "consideredCount" | "policy"> & { candidates: Candidate[] };

/** Staging time from fast to slow: 10% of transfers are faster than the range, 10% slower. */
function stagingRange({ staging }: Candidate): string {
	return staging ? `${duration(staging.lowMs)}–${duration(staging.highMs)}` : "–";
}

/** The candidates with their prices and exclusions. Every amount is an estimate. */
export function candidateText(io: Io, explanation: Considered, atMs: number): string {
	const places = table<Candidate>(
		io,
		[
			{ head: "", cell: (c) => ({ chosen: "→", passes: " ", removed: "×" })[c.outcome] },
			{
				head: "PLACE",
				cell: (c) => `${place(c.placement)}${c.instances > 1 ? ` ×${c.instances}` : ""}`,
				style: (c) => (c.outcome === "removed" ? "dim" : null),
			},
			{ head: "START", cell: (c) => startRange(c.start, atMs), right: true },
			{ head: "DONE", cell: (c) => `in ${duration(Math.max(0, c.finish.p50Ms - atMs))}`, right: true },
			...(explanation.candidates.some(({ staging }) => staging)
				? [{ head: "STAGING", cell: (c: Candidate) => stagingRange(c), right: true as const }]
				: []),
			{ head: "PRICE", cell: (c) => hourly(c.hourlyMicroUsd), right: true },
			{ head: "COST", cell: (c) => about(c.totalMicroUsd), right: true },
			{ head: "EGRESS", cell: (c) => about(c.egressMicroUsd), right: true },
			{ head: "DISK", cell: diskCost, right: true },
			{ head: "AT MOST", cell: (c) => (c.placement.capacityType === "owned" ? "–" : about(c.worstCaseMicroUsd)), right: true },
			...(explanation.candidates.some(isAtRisk)
				? [{ head: "LATE", cell: (c: Candidate) => (isAtRisk(c) ? chance(c.deadlineRisk) : "–"), right: true as const }]
				: []),
			{ head: "CO2", cell: (c) => (c.emissionsGrams === null ? "–" : `≈${grams(c.emissionsGrams)}`), right: true },
			{ head: "WHY NOT", cell: (c) => (c.removedBy === null ? "" : removalText(c.removedBy)) },
		],
		explanation.candidates,
		{ empty: "No place was considered." },
	);
	const removed = explanation.removed.map(
		(r) =>
			`${count(r.count, "place")} excluded: ${removalText({ ...r, facts: r.cheapest.removedBy?.facts ?? {} })}${cheapestText(r.cheapest)}\n`,
	);
	const considered = styled(
		io,
		"dim",
		`${count(explanation.consideredCount, "place")} considered under policy ${explanation.policy.name} v${explanation.policy.version}`,
	);
	return `${places}${removed.join("")}${considered}\n`;
}

/** Deadline risk is shown for candidates of a quote if the job has a deadline. */
function isAtRisk(c: Candidate): c is Candidate & { deadlineRisk: number } {
	return typeof c.deadlineRisk === "number";
}

/** The rule and the cheapest candidate that it excludes; empty when there is no cost. */
function cheapestText(c: Candidate): string {
	if (c.placement.capacityType === "owned" || c.totalMicroUsd === "0") return "";
	return ` Cheapest: ${place(c.placement)}, ${about(c.totalMicroUsd)}.`;
}

export function removalText(removal: NonNullable<Candidate["removedBy"]>): string {
	const { ruleId, why, facts } = removal;
	return isRemovalCode(why) ? removalSentenceOf({ ruleId, why, facts }) : `${why}${ruleId === null ? "" : ` (rule ${ruleId})`}`;
}

function isRemovalCode(why: string): why is RemovalCode {
	return (REMOVAL_CODES as readonly string[]).includes(why);
}

/** Part of the cost; cloud disks with an unknown price are in no cost. */
function diskCost({ placement, storageMicroUsd }: Candidate): string {
	if (placement.capacityType === "owned") return "–";
	return storageMicroUsd === undefined ? "not counted" : about(storageMicroUsd);
}
