import { formatMoney } from "#components/money/format-money.ts";
import type { Outputs } from "#components/trpc/outputs.ts";

type CapProposal = Pick<Outputs["budget"]["proposals"][number], "budgetId" | "added" | "fromMicroUsd" | "toMicroUsd">;

/** A proposed cap with the one that it replaces, or with the jobs and period of a new budget. */
export function CapChange({ proposal: { budgetId, added, fromMicroUsd, toMicroUsd } }: { proposal: CapProposal }) {
	return (
		<>
			<b className="font-semibold">{budgetId}</b>{" "}
			<span className="tabular">
				{!added && `${formatMoney(fromMicroUsd, "whole")} to `}
				<b className="font-semibold">{formatMoney(toMicroUsd, "whole")}</b>
				{added && ` per ${added.period}, ${added.scope === "true" ? "every job" : added.scope}`}
			</span>
		</>
	);
}
