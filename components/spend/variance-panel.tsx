"use client";
import { Money } from "#components/money/money.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { type SpendView, spendHref, spendQuery } from "#components/spend/view.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ChangePanel } from "#components/variance/change-panel.tsx";
import { VARIANCE_CAUSES, VARIANCE_WORDS } from "#server/domain/variance-cause.ts";
import { datesLabel } from "./range.ts";
import { dateOf } from "./zone-days.ts";

/** Why the range cost more or less than the one before it. */
export function VariancePanel({ view }: { view: SpendView }) {
	const { fromMs, toMs, filters } = spendQuery(view, useHour());
	const { data } = useSuspenseQuery(useTRPC().spend.variance.queryOptions({ fromMs, toMs, filters }));
	if (data === null || (data.beforeMicroUsd === 0n && data.afterMicroUsd === 0n)) return null;
	const { beforeMicroUsd: beforeAmount, afterMicroUsd: afterAmount, byCause, sentence } = data;
	const parts = data.parts.map(({ microUsd, ...part }) => ({ ...part, amount: microUsd }));
	return (
		<ChangePanel
			change={{ beforeAmount, afterAmount, byCause, sentence, parts }}
			before={datesLabel({ from: dateOf(data.before.fromMs, view.zone), to: dateOf(data.before.toMs - 1, view.zone) })}
			order={VARIANCE_CAUSES}
			words={VARIANCE_WORDS}
			renderAmount={(amount, signed) => <Money value={amount} signed={signed} />}
			hrefOf={(team, project) => spendHref({ ...view, by: "job", filters: { team: [team], project: [project] } })}
			hrefWhat="jobs"
		/>
	);
}
