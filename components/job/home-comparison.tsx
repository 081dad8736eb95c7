"use client";
import { formatShort, formatSpan } from "#components/time/format-time.ts";
import type { DecisionView } from "#components/trpc/outputs.ts";
import { lateness } from "../decision/decision-rows.ts";

/** For a job sent to a cloud: the forecast of staying on owned GPUs. */
export function HomeComparison({ decision, deadlineMs }: { decision: DecisionView; deadlineMs: number | null }) {
	if (decision.outcome !== "launch") return null;
	const chosen = decision.candidates.find((c) => c.outcome === "chosen");
	const home = decision.candidates.find((c) => c.placement.capacityType === "owned" && c.outcome === "passes");
	if (!chosen) return null;
	if (!home) return <>Owned GPUs could not run it.</>;
	const laterMs = home.finish.p50Ms - chosen.finish.p50Ms;
	const late = lateness(home.finish, deadlineMs);
	return (
		<>
			Owned alternative: no added cost, start about <b>{formatShort(home.start.p50Ms, decision.decidedAtMs)}</b>
			{laterMs > 0 && (
				<>
					, finish <b>{formatSpan(laterMs)} later</b>
				</>
			)}
			{deadlineMs !== null && late === "late" && ", after the deadline"}
			{deadlineMs !== null && late === "at_risk" && ", deadline at risk"}.
		</>
	);
}
