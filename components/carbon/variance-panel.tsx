"use client";
import { type CarbonView, carbonQuery, chargesOf } from "#components/carbon/range.ts";
import { Carbon, Grams } from "#components/emissions/carbon.tsx";
import { datesLabel } from "#components/spend/range.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ChangePanel } from "#components/variance/change-panel.tsx";
import { CARBON_CAUSE_WORDS, CARBON_CAUSES } from "#server/domain/variance-cause.ts";

/** Why the range emitted more or less than the one before it. */
export function CarbonVariancePanel({ view }: { view: CarbonView }) {
	const { fromMs, toMs } = carbonQuery(view, useHour());
	const { data } = useSuspenseQuery(useTRPC().carbon.variance.queryOptions({ fromMs, toMs }));
	if (data === null || (data.beforeMilligrams === 0n && data.afterMilligrams === 0n)) return null;
	const { beforeMilligrams: beforeAmount, afterMilligrams: afterAmount, byCause, sentence } = data;
	const parts = data.parts.map(({ milligrams, ...part }) => ({ ...part, amount: milligrams }));
	return (
		<ChangePanel
			change={{ beforeAmount, afterAmount, byCause, sentence, parts }}
			before={datesLabel({ from: dateOf(data.before.fromMs, view.zone), to: dateOf(data.before.toMs - 1, view.zone) })}
			order={CARBON_CAUSES}
			words={CARBON_CAUSE_WORDS}
			renderAmount={(amount, signed) => (signed ? <Carbon grams={Number(amount) / 1_000} signed /> : <Grams milligrams={amount} />)}
			hrefOf={(team, project) => chargesOf(view, {}, { team: [team], project: [project] })}
			hrefWhat="charges"
		/>
	);
}
