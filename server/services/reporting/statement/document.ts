import type { StatementContent, StatementItem, StatementSums } from "#server/domain/statement.ts";
import {
	CARBON_METHOD,
	differenceWords,
	LINE_WORDS,
	monthWords,
	partialMonthLabels,
	ratesWords,
	SAVING_WORDS,
	SIDE_WORDS,
	WASTE_METHOD,
	WASTE_WORDS,
} from "#server/domain/statement-words.ts";
import { VARIANCE_WORDS } from "#server/domain/variance-cause.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { dollars, gpuHours, kilograms, kilowattHours, moment } from "./figures.ts";
import type { StatementView } from "./get.ts";

/** A table column in the PDF; widths are shares of the page. */
export interface Column {
	label: string;
	width: number;
	/** Figures are right-aligned. */
	n?: boolean;
}

export type Block =
	| { kind: "heading"; text: string }
	| { kind: "text"; text: string }
	| { kind: "table"; columns: readonly Column[]; rows: readonly { cells: readonly string[]; as?: "total" | "group" | "note" }[] };

/** Amounts without GPU time, such as egress, show no hours. */
const hoursOrNone = (gpuMs: string): string => (gpuMs === "0" ? "" : gpuHours(gpuMs));

/** The body of a statement in the PDF, in order. Empty sections are omitted. */
export function statementBlocks(view: StatementView): Block[] {
	const { content } = view;
	return [
		...againstLastMonth(content),
		...whatChanged(content),
		...(content.team === "" ? shares("By team", "Team", "(no team)", content.byTeam) : []),
		...(content.team === "" ? shares("By project", "Project", "(no project)", content.byProject) : []),
		...items(content),
		...inCurrency(content),
		...savings(content),
		...waste(content),
		...topJobs(content),
		...budgets(content),
		...bills(content),
		...carbon(content),
		...corrections(view),
	];
}

const name = (month: string): string => monthWords(month).split(" ")[0] ?? month;

function before(month: string): string {
	const [year = 0, number = 1] = month.split("-").map(Number);
	return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}

function change(sums: StatementSums, previous: StatementSums | null): string {
	return dollars(BigInt(sums.effectiveMicroUsd) - BigInt(previous?.effectiveMicroUsd ?? 0));
}

function againstLastMonth(content: StatementContent): Block[] {
	const { month, sides, lines, totals, previousTotals } = content;
	const partial = partialMonthLabels(content);
	const comparable = previousTotals !== null && partial.before === null;
	const row = (label: string, sums: StatementSums, previous: StatementSums | null): string[] => [
		label,
		hoursOrNone(sums.gpuMs),
		dollars(sums.effectiveMicroUsd),
		previousTotals ? dollars(previous?.effectiveMicroUsd ?? "0") : "",
		comparable ? change(sums, previous) : "",
	];
	const columns = [
		{ label: "", width: 0.4 },
		{ label: "GPU-hours", width: 0.14, n: true },
		{ label: `${name(month)}, USD`, width: 0.17, n: true },
		{ label: previousTotals ? `${name(before(month))}, USD` : "", width: 0.17, n: true },
		{ label: comparable ? "Change" : "", width: 0.12, n: true },
	];
	return [
		{ kind: "heading", text: "On-prem against cloud" },
		...partialNotes(month, partial),
		{
			kind: "table",
			columns,
			rows: [
				...lines.map((l) => ({ cells: row(LINE_WORDS[l.key], l.sums, l.previous) })),
				...sides.map((s) => ({ cells: row(`${SIDE_WORDS[s.key]} total`, s.sums, s.previous), as: "group" as const })),
				{ cells: row("Total", totals, previousTotals), as: "total" },
			],
		},
	];
}

/** Notes on which of the two months is partial. */
function partialNotes(month: string, partial: ReturnType<typeof partialMonthLabels>): Block[] {
	const notes = [
		partial.month && `${monthWords(month)}: ${partial.month}.`,
		partial.before && `${monthWords(before(month))}: ${partial.before}.`,
	];
	return notes.filter(Boolean).map((text) => ({ kind: "text", text: String(text) }));
}

/** The causes of the change; they add up to it. */
function whatChanged({ month, variance }: StatementContent): Block[] {
	if (!variance || variance.causes.length === 0) return [];
	const columns = [
		{ label: "", width: 0.82 },
		{ label: "USD", width: 0.18, n: true },
	];
	const rows = variance.causes.map(({ cause, microUsd }) => ({ cells: [VARIANCE_WORDS[cause], dollars(microUsd)] }));
	const change = BigInt(variance.afterMicroUsd) - BigInt(variance.beforeMicroUsd);
	return [
		{ kind: "heading", text: `What changed since ${name(before(month))}` },
		...(variance.sentence === null ? [] : [{ kind: "text" as const, text: variance.sentence }]),
		{ kind: "table", columns, rows: [...rows, { cells: ["Change", dollars(change)], as: "total" }] },
	];
}

function shares(title: string, label: string, none: string, list: StatementContent["byTeam"]): Block[] {
	if (list.length === 0) return [];
	const columns = [
		{ label, width: 0.48 },
		{ label: "GPU-hours", width: 0.18, n: true },
		{ label: "CO2e, kg", width: 0.16, n: true },
		{ label: "USD", width: 0.18, n: true },
	];
	const rows = list.map(({ key, sums }) => ({
		cells: [key || none, hoursOrNone(sums.gpuMs), kilograms(sums.emissionsMilligrams), dollars(sums.effectiveMicroUsd)],
	}));
	return [
		{ kind: "heading", text: title },
		{ kind: "table", columns, rows },
	];
}

function items(content: StatementContent): Block[] {
	if (content.items.length === 0) return [];
	const columns = [
		{ label: "Charge", width: 0.42 },
		{ label: "From", width: 0.12 },
		{ label: "GPU-hours", width: 0.15, n: true },
		{ label: "USD each", width: 0.13, n: true },
		{ label: "USD", width: 0.18, n: true },
	];
	const row = (i: StatementItem) => ({
		cells: [
			itemWords(i),
			i.provider === "local" ? "home" : i.provider,
			hoursOrNone(i.sums.gpuMs),
			unitPrice(i.sums),
			dollars(i.sums.effectiveMicroUsd),
		],
	});
	const byProject = content.team !== "";
	const rows = byProject
		? content.byProject.flatMap(({ key, sums }) => [
				{ cells: [key || "(no project)", "", "", "", ""], as: "group" as const },
				...content.items.filter((i) => i.project === key).map(row),
				{
					cells: [`Together, ${key || "(no project)"}`, "", hoursOrNone(sums.gpuMs), "", dollars(sums.effectiveMicroUsd)],
					as: "group" as const,
				},
			])
		: content.items.map(row);
	const total = { cells: ["Total for the month", "", "", "", dollars(content.totals.effectiveMicroUsd)], as: "total" as const };
	return [
		{ kind: "heading", text: byProject ? "Charges by project" : "What was used and bought" },
		{ kind: "table", columns, rows: [...rows, total] },
		{
			kind: "text",
			text: "Prices of a GPU-hour are worked out from the amounts and rounded to cents; the amounts are not rounded before they are added.",
		},
	];
}

export function itemWords({ line, accelerator, capacityType }: StatementItem): string {
	const machine = accelerator === "" ? "" : `${accelerator}, `;
	if (line === "idle") return `${machine}idle`;
	return line === capacityType
		? `${machine}${LABELS[capacityType]}`
		: `${machine}${LABELS[capacityType]}: ${LINE_WORDS[line].toLowerCase()}`;
}

function unitPrice({ effectiveMicroUsd, gpuMs }: StatementSums): string {
	const [cost, time] = [BigInt(effectiveMicroUsd), BigInt(gpuMs)];
	return time <= 0n || cost <= 0n ? "" : dollars((cost * 3_600_000n) / time);
}

/** The month's cost in the reporting currency, with the rates. */
function inCurrency({ inCurrency: converted }: StatementContent): Block[] {
	if (!converted) return [];
	const columns = [
		{ label: "", width: 0.82 },
		{ label: converted.currency, width: 0.18, n: true },
	];
	const row = (label: string, micro: string) => ({ cells: [label, dollars(micro)] });
	const group = (label: string, micro: string) => ({ ...row(label, micro), as: "group" as const });
	const rows = [
		...converted.lines.map(({ key, micro }) => row(LINE_WORDS[key], micro)),
		...converted.sides.map(({ key, micro }) => group(`${SIDE_WORDS[key]} total`, micro)),
		...converted.byTeam.map(({ key, micro }) => row(`Team: ${key || "(no team)"}`, micro)),
		...converted.byProject.map(({ key, micro }) => row(`Project: ${key || "(no project)"}`, micro)),
		{ ...row("Total", converted.totalMicro), as: "total" as const },
	];
	return [
		{ kind: "heading", text: `In ${converted.currency}` },
		{ kind: "text", text: ratesWords(converted) },
		{ kind: "table", columns, rows },
	];
}

function savings(content: StatementContent): Block[] {
	const columns = [
		{ label: "", width: 0.28 },
		{ label: "How it is computed", width: 0.54 },
		{ label: "Saved", width: 0.18, n: true },
	];
	const rows = content.savings.map((s) => {
		const amount = s.microUsd !== null ? `${dollars(s.microUsd)} USD` : s.hours !== null ? `${s.hours} h` : "not computed";
		return { cells: [SAVING_WORDS[s.key], s.reckoned, amount] };
	});
	return [
		{ kind: "heading", text: "Savings, estimated" },
		{ kind: "table", columns, rows },
	];
}

function waste(content: StatementContent): Block[] {
	const columns = [
		{ label: "", width: 0.6 },
		{ label: "GPU-hours", width: 0.2, n: true },
		{ label: "USD", width: 0.2, n: true },
	];
	return [
		{ kind: "heading", text: "Paid for nothing" },
		{
			kind: "table",
			columns,
			rows: content.waste.map((w) => ({ cells: [WASTE_WORDS[w.key], hoursOrNone(w.gpuMs), dollars(w.microUsd)] })),
		},
		{ kind: "text", text: WASTE_METHOD },
	];
}

function topJobs({ topJobs: jobs }: StatementContent): Block[] {
	if (jobs.length === 0) return [];
	const columns = [
		{ label: "Job", width: 0.4 },
		{ label: "Team", width: 0.16 },
		{ label: "State", width: 0.13 },
		{ label: "GPU-hours", width: 0.14, n: true },
		{ label: "USD", width: 0.17, n: true },
	];
	const rows = jobs.map((j) => ({ cells: [j.name, j.team, j.state, hoursOrNone(j.sums.gpuMs), dollars(j.sums.effectiveMicroUsd)] }));
	return [
		{ kind: "heading", text: `The ${jobs.length} most expensive jobs` },
		{ kind: "table", columns, rows },
	];
}

function budgets({ budgets: list }: StatementContent): Block[] {
	if (list.length === 0) return [];
	const columns = [
		{ label: "Budget", width: 0.4 },
		{ label: "Cap, USD", width: 0.2, n: true },
		{ label: "Actual, USD", width: 0.2, n: true },
		{ label: "Over (+)", width: 0.2, n: true },
	];
	const rows = list.flatMap((b) => {
		const over = BigInt(b.varianceMicroUsd) > 0n ? `+${dollars(b.varianceMicroUsd)}` : dollars(b.varianceMicroUsd);
		const line = { cells: [`${b.id}, ${b.period} from ${b.periodKey}`, dollars(b.capMicroUsd), dollars(b.postedMicroUsd), over] };
		return b.note === null ? [line] : [line, { cells: [b.note, "", "", ""], as: "note" as const }];
	});
	return [
		{ kind: "heading", text: "Budget against actual" },
		{ kind: "table", columns, rows },
	];
}

function bills({ bills: list }: StatementContent): Block[] {
	if (list.length === 0) return [];
	const columns = [
		{ label: "Provider", width: 0.28 },
		{ label: "Ledger", width: 0.18, n: true },
		{ label: "Billed", width: 0.18, n: true },
		{ label: "Adjusted", width: 0.18, n: true },
		{ label: "Not explained", width: 0.18, n: true },
	];
	const rows = list.flatMap((b) => {
		const unknown = b.unknown === 0 ? "" : `, ${b.unknown} unknown`;
		const cells = [
			`${b.provider} (${b.resources} resources${unknown})`,
			...[b.estimatedMicroUsd, b.billedMicroUsd, b.adjustedMicroUsd, b.unexplainedMicroUsd].map(dollars),
		];
		return b.note === null ? [{ cells }] : [{ cells }, { cells: [b.note, "", "", "", ""], as: "note" as const }];
	});
	return [
		{ kind: "heading", text: "Reconciled with the bills of the providers" },
		{ kind: "table", columns, rows },
	];
}

function carbon({ carbon: c }: StatementContent): Block[] {
	const columns = [
		{ label: "", width: 0.7 },
		{ label: "", width: 0.3, n: true },
	];
	const unknown = (gpuMs: string): string => (gpuMs === "0" ? "" : `; not known for ${hoursOrNone(gpuMs)} GPU-hours`);
	const amount = (milligrams: string): string => (milligrams === "0" ? "none known" : `${kilograms(milligrams)} kg CO2e`);
	const rows = [
		[`Operational, location-based${unknown(c.unknownGpuMs)}`, amount(c.operationalMilligrams)],
		[`Operational, market-based${unknown(c.marketUnknownGpuMs)}`, amount(c.marketMilligrams)],
		[`Embodied${unknown(c.embodiedUnknownGpuMs)}`, amount(c.embodiedMilligrams)],
		["Energy", `${kilowattHours(c.energyMilliWh)} kWh`],
		["measured; the rest is estimated", `${kilowattHours(c.measuredEnergyMilliWh)} kWh`],
		["with the grid's hourly intensity", `${kilowattHours(c.hourlyGridMilliWh)} kWh`],
	];
	return [
		{ kind: "heading", text: "Carbon" },
		{ kind: "table", columns, rows: rows.map((cells) => ({ cells })) },
		{ kind: "text", text: CARBON_METHOD },
	];
}

function corrections({ shown }: StatementView): Block[] {
	if (!shown || shown.correction === null) return [];
	const columns = [
		{ label: "Line", width: 0.46 },
		{ label: "Before", width: 0.18, n: true },
		{ label: "Now", width: 0.18, n: true },
		{ label: "Difference", width: 0.18, n: true },
	];
	const amount = (value: string | null): string => (value === null ? "" : dollars(value));
	const rows = shown.differences.map((d) => ({
		cells: [differenceWords(d.section, d.key), amount(d.beforeMicroUsd), amount(d.afterMicroUsd), dollars(d.deltaMicroUsd)],
		...(d.section === "total" ? { as: "total" as const } : {}),
	}));
	return [
		{ kind: "heading", text: `What changed since version ${shown.version - 1}` },
		{ kind: "text", text: `${shown.correction} (${moment(shown.closedAt)})` },
		...(rows.length === 0 ? [] : [{ kind: "table" as const, columns, rows }]),
	];
}
