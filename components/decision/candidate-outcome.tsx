"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { CandidateView } from "#components/trpc/outputs.ts";
import { RemovalText } from "../job-state/reason-text.tsx";
import { type CandidateRow, comparedWith, REMOVAL_LABELS } from "./decision-rows.ts";

const SECOND = 1_000;

/** The outcome of a candidate: result first, then the reason. */
export function CandidateOutcome({ row, chosen }: { row: CandidateRow; chosen: CandidateView | null }) {
	const { candidate, alike } = row;
	if (candidate.removedBy) {
		return (
			<>
				<b className="text-ink">{REMOVAL_LABELS[candidate.removedBy.why]}.</b> <RemovalText removal={candidate.removedBy} />
				{alike > 0 && <span className="text-ink-3"> And {alike.toLocaleString("en-US")} more, all more expensive.</span>}
			</>
		);
	}
	if (candidate.outcome === "chosen") {
		return (
			<>
				<b>Selected.</b> {candidate.placement.capacityType === "owned" ? "Owned GPUs add no cost." : "Best eligible candidate."}
				<UnknownInterconnect candidate={candidate} />
			</>
		);
	}
	return <Passing candidate={candidate} chosen={chosen} />;
}

function Passing({ candidate, chosen }: { candidate: CandidateView; chosen: CandidateView | null }) {
	const owned = candidate.placement.capacityType === "owned";
	if (!chosen)
		return (
			<>
				<b>{owned ? "Queued for this." : "Eligible."}</b>
				<UnknownInterconnect candidate={candidate} />
			</>
		);
	const { extraMicroUsd, laterMs, withoutDisks } = comparedWith(candidate, chosen);
	const parts = [
		...(laterMs >= SECOND ? [`${formatSpan(laterMs)} later`] : []),
		...(extraMicroUsd !== 0n
			? [
					`${formatMoney(extraMicroUsd < 0n ? -extraMicroUsd : extraMicroUsd, "posted")} ${extraMicroUsd < 0n ? "cheaper" : "more expensive"}${withoutDisks ? " excluding disks" : ""}`,
				]
			: []),
	];
	return (
		<>
			<b>Eligible{parts.length > 0 ? `, ${parts.join(" and ")}` : ""}.</b>
			{owned && chosen.placement.capacityType !== "owned" && " No added cost."}
			{parts.length === 0 && " Same price and time."}
			{withoutDisks && candidate.storageMicroUsd === undefined && " Disk price unknown, so ranked at the highest disk price."}
			{!withoutDisks && extraMicroUsd < 0n && " Ranked lower."}
			<UnknownInterconnect candidate={candidate} />
		</>
	);
}

/** The job needs a high-bandwidth interconnect, and the pool's site declares nothing about it. */
function UnknownInterconnect({ candidate }: { candidate: CandidateView }) {
	return candidate.interconnectUnknown === true && " Interconnect unknown: declare it in the site's settings.";
}
