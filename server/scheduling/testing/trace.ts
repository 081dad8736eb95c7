import type { Candidate, Explanation } from "#server/domain/decision.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { PLAIN_FORMATTERS } from "#server/domain/sentence-facts.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import type { Plan, Snapshot } from "../types.ts";

const { money, duration } = PLAIN_FORMATTERS;

/** A readable form of a plan: each job's outcome in a sentence, then its considered candidates. */
export function traceOf(title: string, snapshot: Snapshot, plan: Plan): string {
	const explained = new Map(plan.explanations.map((e) => [e.jobId, e]));
	const lines = [title, ""];
	for (const action of plan.actions) {
		if (!("attemptId" in action)) continue;
		lines.push(`${action.kind.toUpperCase()} ${action.attemptId}`, `  ${sentenceOf(action.reason)}`, "");
	}
	const order = [...explained.values()];
	for (const e of order) lines.push(...jobLines(e, snapshot, plan), "");
	return `${lines.join("\n").trimEnd()}\n`;
}

function jobLines(e: Explanation, snapshot: Snapshot, plan: Plan): string[] {
	const action = plan.actions.find((a) => a.jobId === e.jobId && !("attemptId" in a));
	const lines = [`${e.jobId}: ${action ? action.kind : "wait"}${action?.kind === "place_home" ? `, slots ${action.slots.join(" ")}` : ""}`];
	lines.push(`  ${sentenceOf(e.reason)}`);
	if (action?.kind === "launch")
		lines.push(
			`  lives at most ${duration(action.lifeMs)}, holds ${money(String(action.holdMicroUsd))} of ${action.budgetIds.join(", ") || "no budget"}`,
		);
	for (const c of e.candidates) lines.push(`    ${candidateLine(c, snapshot.nowMs)}`);
	for (const g of e.removed) lines.push(`    ${g.count} removed by ${g.ruleId ?? "fact"} (${g.why}), cheapest ${placeOf(g.cheapest)}`);
	return lines;
}

function candidateLine(c: Candidate, nowMs: number): string {
	const start =
		c.outcome === "removed" && c.offerId === null
			? "never"
			: c.start.p90Ms === nowMs
				? "now"
				: `in ${duration(c.start.p50Ms - nowMs)} to ${duration(c.start.p90Ms - nowMs)}`;
	const numbers = `${start}, ${money(c.totalMicroUsd)} (cash ${money(c.cashMicroUsd)}, at most ${money(c.worstCaseMicroUsd)}), ${c.emissionsGrams === null ? "CO2 unknown" : `${Math.round(c.emissionsGrams)} g CO2`}, score ${money(c.scoreMicroUsd)}`;
	return `${c.outcome.padEnd(7)} ${placeOf(c)}: ${numbers}${c.removedBy ? `. ${removalSentenceOf(c.removedBy)}` : ""}`;
}

function placeOf(c: Candidate): string {
	return c.offerId ?? c.placement.poolId ?? c.placement.siteId;
}
