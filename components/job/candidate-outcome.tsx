"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { CandidateView } from "#components/trpc/outputs.ts";
import { type CandidateRow, comparedWith, REMOVAL_LABELS } from "./decision-rows.ts";
import { RemovalText } from "./reason-text.tsx";

const SECOND = 1_000;

/** What became of a candidate: bold the fact, then what it means. */
export function CandidateOutcome({ row, chosen }: { row: CandidateRow; chosen: CandidateView | null }) {
	const { candidate, alike } = row;
	if (candidate.removedBy) {
		return (
			<>
				<b className="text-ink">{REMOVAL_LABELS[candidate.removedBy.why]}.</b> <RemovalText removal={candidate.removedBy} />
				{alike > 0 && <span className="text-ink-3"> And {alike.toLocaleString("en-US")} more, dearer.</span>}
			</>
		);
	}
	if (candidate.outcome === "chosen") {
		return (
			<>
				<b>Chosen.</b>{" "}
				{candidate.placement.capacityType === "owned" ? "A slot at home costs no new money." : "The best that passes every rule."}
			</>
		);
	}
	return <Passing candidate={candidate} chosen={chosen} />;
}

function Passing({ candidate, chosen }: { candidate: CandidateView; chosen: CandidateView | null }) {
	const owned = candidate.placement.capacityType === "owned";
	if (!chosen) return <b>{owned ? "Waits for this." : "Passes every rule."}</b>;
	const { dearerMicroUsd, laterMs, withoutDisks } = comparedWith(candidate, chosen);
	const parts = [
		...(laterMs >= SECOND ? [`${formatSpan(laterMs)} later`] : []),
		...(dearerMicroUsd !== 0n
			? [
					`${formatMoney(dearerMicroUsd < 0n ? -dearerMicroUsd : dearerMicroUsd, "posted")} ${dearerMicroUsd < 0n ? "cheaper" : "dearer"}${withoutDisks ? " without disks" : ""}`,
				]
			: []),
	];
	return (
		<>
			<b>Passes{parts.length > 0 ? `, ${parts.join(" and ")}` : ""}.</b>
			{owned && chosen.placement.capacityType !== "owned" && " But no new money."}
			{parts.length === 0 && " The same price and time."}
			{withoutDisks && candidate.storageMicroUsd === undefined && " Its disk's price is not known, and weighs as the dearest."}
			{!withoutDisks && dearerMicroUsd < 0n && " But it weighs more."}
		</>
	);
}
