import type { z } from "zod";
import type { pipelineQuoteSchema } from "#server/contract/pipeline.ts";
import type { CommandContext } from "../command.ts";
import { chance, count, duration, exactTime, money, NONE } from "./format.ts";
import { type Column, clean, fields, table } from "./table.ts";

type Quote = z.infer<typeof pipelineQuoteSchema>;
type Step = Quote["stepList"][number];

const COLUMNS: readonly Column<Step>[] = [
	{ head: "STEP", cell: ({ name, isCritical }) => `${name}${isCritical ? " *" : ""}` },
	{ head: "RUNS", cell: ({ runs }) => String(runs), right: true },
	{ head: "PLACE", cell: placeOf },
	{ head: "RUN TIME", cell: ({ runMs }) => duration(runMs), right: true },
	{ head: "FINISH P50", cell: ({ finish }) => exactTime(Date.parse(finish.p50)) },
	{ head: "SLACK", cell: ({ slackMs }) => (slackMs < 1_000 ? NONE : duration(slackMs)), right: true },
	{ head: "EXPECTED", cell: ({ expectedMicroUsd }) => money(expectedMicroUsd), right: true },
	{ head: "AT MOST", cell: ({ maximumMicroUsd }) => money(maximumMicroUsd), right: true },
	{ head: "CO2", cell: ({ emissionsGrams }) => grams(emissionsGrams), right: true },
];

function placeOf({ placement, outcome, reason }: Step): string {
	if (placement === null) return clean(reason ?? outcome);
	return clean(placement.capacityType === "owned" ? placement.siteId : `${placement.region} ${placement.capacityType}`);
}

function grams(amount: number | null): string {
	if (amount === null) return NONE;
	return amount >= 1_000 ? `${(amount / 1_000).toFixed(1)} kg` : `${amount.toFixed(amount < 10 ? 1 : 0)} g`;
}

/** The quote of a whole graph; steps on the critical path are starred. */
export function pipelineQuoteText({ io }: Pick<CommandContext, "io">, quote: Quote): string {
	const short = quote.budgets.filter(({ isEnough }) => !isEnough);
	const own = quote.budgetMicroUsd === null ? "" : ` of at most ${money(quote.budgetMicroUsd)}`;
	return [
		fields(io, [
			["start", exactTime(Date.parse(quote.start.p50))],
			["finish", `${exactTime(Date.parse(quote.finish.p50))}; 90% by ${exactTime(Date.parse(quote.finish.p90))}`],
			["missed deadline", quote.deadlineRisk === null ? null : chance(quote.deadlineRisk)],
			["expected cost", money(quote.expectedMicroUsd)],
			["at most", `${money(quote.maximumMicroUsd)}${own}${quote.isWithinBudget ? "" : ": over budget"}`],
			["emissions", quote.emissionsGrams === null ? null : grams(quote.emissionsGrams)],
			["not included", quote.unsizedResults === 0 ? null : `moving ${count(quote.unsizedResults, "result")} of unknown size`],
			...short.map(({ budgetId, freeMicroUsd, maximumMicroUsd }): [string, string] => [
				"short of money",
				`budget ${budgetId} has ${money(freeMicroUsd)} of ${money(maximumMicroUsd)}`,
			]),
		]),
		"\n",
		table(io, COLUMNS, quote.stepList, { empty: "No steps." }),
	].join("");
}
