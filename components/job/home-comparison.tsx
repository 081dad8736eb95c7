"use client";
import { formatShort, formatSpan } from "#components/time/format-time.ts";
import type { DecisionView } from "#components/trpc/outputs.ts";
import { lateness } from "./decision-rows.ts";

/** After a job was sent to a cloud: what waiting at home would have meant instead. */
export function HomeComparison({ decision, deadlineMs }: { decision: DecisionView; deadlineMs: number | null }) {
	if (decision.outcome !== "launch") return null;
	const chosen = decision.candidates.find((c) => c.outcome === "chosen");
	const home = decision.candidates.find((c) => c.placement.capacityType === "owned" && c.outcome === "passes");
	if (!chosen) return null;
	if (!home) return <>No place at home could take it.</>;
	const laterMs = home.finish.p50Ms - chosen.finish.p50Ms;
	const late = lateness(home.finish, deadlineMs);
	return (
		<>
			Waiting at home would have cost no new money, started at about <b>{formatShort(home.start.p50Ms, decision.decidedAtMs)}</b>
			{laterMs > 0 && (
				<>
					{" "}
					and ended <b>{formatSpan(laterMs)} later</b>
				</>
			)}
			{deadlineMs !== null && late === "late" && ", after its deadline"}
			{deadlineMs !== null && late === "at_risk" && ", with its deadline at risk"}.
		</>
	);
}
