"use client";
import { VariancePanel } from "#components/spend/variance-panel.tsx";
import type { SpendView } from "#components/spend/view.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { ChangeBoundary } from "#components/variance/change-boundary.tsx";
import type { StatementContent } from "#server/domain/statement.ts";
import { partialMonthLabels } from "#server/domain/statement-words.ts";

/** Explains the change against the month before. Hidden if the ledger covers only a part of that month. */
export function MonthVariance({ content }: { content: Pick<StatementContent, "fromMs" | "toMs" | "zone" | "team" | "ledgerFromMs"> }) {
	const { fromMs, toMs, zone, team } = content;
	if (partialMonthLabels(content).before !== null) return null;
	const view: SpendView = {
		...{ range: "month", by: "team", bucket: null, zone, filters: team === "" ? {} : { team: [team] } },
		dates: { from: dateOf(fromMs, zone), to: dateOf(toMs - 1, zone) },
	};
	return (
		<ChangeBoundary>
			<VariancePanel view={view} />
		</ChangeBoundary>
	);
}
