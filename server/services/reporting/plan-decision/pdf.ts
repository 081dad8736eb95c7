import { formatDuration } from "#server/kernel/units.ts";
import type { Block } from "../statement/document.ts";
import { bytesOf, drawBlock, drawFigures, drawMargins, INKS, LEFT, newPaper, printable, rule, widthOf } from "../statement/pdf-paper.ts";
import type { PlanDecisionView } from "./get.ts";

/** Renders the decision on A4. The same view yields the same bytes. */
export async function planDecisionPdf(view: PlanDecisionView): Promise<Buffer> {
	const { study, sha256 } = view;
	const doc = newPaper({ title: `Decision: ${view.headline}`, author: study.createdBy, at: new Date(study.createdAt) });
	const width = widthOf(doc);
	doc.font("Helvetica-Bold").fontSize(18).fillColor(INKS.text).text(printable(view.headline), LEFT, doc.y, { width });
	const day = study.createdAt.slice(0, 10);
	doc
		.font("Helvetica")
		.fontSize(10)
		.text(printable(`${study.name}, studied ${day}`), LEFT, doc.y + 2, { width });
	doc.text(printable(view.summary), LEFT, doc.y + 6, { width });
	rule(doc, doc.y + 8, INKS.text, 1);
	doc.y += 8;
	const [recommended, asIs] = [view.recommended, "as_is"].map((id) => view.options.find((option) => option.id === id));
	if (recommended && asIs)
		drawFigures(doc, [
			{ label: "Time to model", value: spanOf(recommended.meanTimeToModelS), note: `today ${spanOf(asIs.meanTimeToModelS)}` },
			{ label: "Cloud per month", value: usd(recommended.cloudUsd), note: recommended.label },
			{ label: "Full cost per month", value: usd(recommended.totalUsd), note: `today ${usd(asIs.totalUsd)}` },
		]);
	for (const block of blocksOf(view)) drawBlock(doc, block);
	drawMargins(doc, { head: printable(view.headline), left: `${study.id}, ${day}`, middle: `sha256 ${sha256.slice(0, 16)}` });
	return bytesOf(doc);
}

function blocksOf(view: PlanDecisionView): Block[] {
	return [
		{ kind: "heading", text: "Tests" },
		{
			kind: "table",
			columns: [column("Requirement", 0.6), column("Result", 0.25, true), column("Met", 0.15, true)],
			rows: view.tests.map(({ test, found, passed }) => ({ cells: [test, found, passed ? "yes" : "no"] })),
		},
		...pilotOf(view),
		{ kind: "heading", text: "Options" },
		{
			kind: "table",
			columns: [
				...[column("Option", 0.36), column("GPUs", 0.1, true), column("Time to model", 0.16, true)],
				...[column("Cloud per month", 0.13, true), column("Total per month", 0.13, true), column("NPV", 0.12, true)],
			],
			rows: view.options.map((option) => ({
				...(option.id === view.recommended && { as: "group" as const }),
				cells: [
					...[option.label, String(option.ownedGpus), spanOf(option.meanTimeToModelS)],
					...[usd(option.cloudUsd), usd(option.totalUsd), usd(option.npvUsd)],
				],
			})),
		},
		...outcomeOf(view),
		{ kind: "heading", text: "Assumptions" },
		{
			kind: "table",
			columns: [column("", 0.22), column("Value", 0.28), column("Basis", 0.5)],
			rows: view.assumptions.map(({ name, value, source }) => ({ cells: [name, value, source] })),
		},
	];
}

function pilotOf({ pilot }: PlanDecisionView): Block[] {
	if (!pilot) return [];
	const { family, team, policy, weeks, capUsd, measure, stopWhen } = pilot;
	return [
		{ kind: "heading", text: "Proposed pilot" },
		{
			kind: "table",
			columns: [column("", 0.22), column("", 0.78)],
			rows: [
				{ cells: ["Jobs", `${family} (${team})`] },
				{ cells: ["Policy", policy] },
				{ cells: ["Time and cap", `${weeks} weeks, at most ${usd(capUsd)}`] },
				{ cells: ["Measure", `${measure.join("; ")}.`] },
				{ cells: ["Stop when", `${stopWhen.join("; ")}.`] },
			],
		},
	];
}

function outcomeOf({ outcome }: PlanDecisionView): Block[] {
	if (!outcome) return [];
	const { expected, months } = outcome;
	return [
		{ kind: "heading", text: "What happened since" },
		{
			kind: "table",
			columns: [column("Month", 0.4), column("Models", 0.12, true), column("Time to model", 0.16, true), ...MONTH_COLUMNS],
			rows: [
				{ as: "group", cells: [`Expected: ${expected.label}`, "", ...cellsOf(expected)] },
				...months.map((month) => ({ cells: [`${month.month}${month.isPart ? " (part)" : ""}`, String(month.models), ...cellsOf(month)] })),
			],
		},
	];
}

const MONTH_COLUMNS = [column("Mean wait", 0.16, true), column("Cloud", 0.16, true)];

function cellsOf(of: { meanTimeToModelS: number | null; meanWaitS: number | null; cloudUsd: number }): string[] {
	return [spanOf(of.meanTimeToModelS), spanOf(of.meanWaitS), usd(of.cloudUsd)];
}

function column(label: string, width: number, n = false) {
	return { label, width, n };
}

function spanOf(seconds: number | null): string {
	return seconds === null ? "none" : formatDuration(Math.round(seconds / 60) * 60_000);
}

function usd(value: number): string {
	return `${value < 0 ? "-" : ""}$${Math.abs(Math.round(value)).toLocaleString("en-US")}`;
}
