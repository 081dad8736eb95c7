import type { StatementSums } from "#server/domain/statement.ts";
import { LINE_WORDS, partialMonthLabels, SAVING_WORDS, SIDE_WORDS, WASTE_WORDS } from "#server/domain/statement-words.ts";
import { VARIANCE_WORDS } from "#server/domain/variance-cause.ts";
import { csvText } from "#server/kernel/csv.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decimal, exactDollars } from "./figures.ts";
import type { StatementView } from "./get.ts";

const HEAD = [
	"section",
	"item",
	"detail",
	"usd",
	"previous_usd",
	"billed_usd",
	"list_usd",
	"gpu_hours",
	"energy_kwh",
	"co2e_kg",
	"text",
	"currency",
	"amount",
] as const;
type Row = Partial<Record<(typeof HEAD)[number], string>> & { section: string; item: string };

/**
 * The statement as one plain table (RFC 4180): a row for every line, money in US dollars to the micro-dollar. Text that a
 * spreadsheet would interpret as a formula is prefixed with an apostrophe.
 */
export function statementCsv(view: StatementView): string {
	const rows = [...headRows(view), ...lineRows(view), ...currencyRows(view), ...judgementRows(view), ...moneyRows(view), ...endRows(view)];
	const head = view.content.inCurrency ? HEAD : HEAD.filter((name) => name !== "currency" && name !== "amount");
	return csvText([head, ...rows.map((row) => head.map((name) => row[name] ?? ""))]);
}

function headRows({ content, shown, state }: StatementView): Row[] {
	const fact = (item: string, text: string): Row => ({ section: "statement", item, text });
	const partial = partialMonthLabels(content);
	return [
		fact("month", content.month),
		fact("team", content.team),
		fact("state", state),
		fact("version", content.version === 0 ? "preview" : String(content.version)),
		fact("from", new Date(content.fromMs).toISOString()),
		fact("to", new Date(content.toMs).toISOString()),
		fact("time_zone", content.zone),
		fact("posted_until", new Date(content.postedUntilMs).toISOString()),
		fact("charges", String(content.charges)),
		...(partial.month ? [fact("partial_month", partial.month)] : []),
		...(partial.before ? [fact("previous_month", partial.before)] : []),
		fact("sha256", shown?.sha256 ?? ""),
		...(shown?.correction ? [fact("correction", shown.correction)] : []),
	];
}

function lineRows({ content }: StatementView): Row[] {
	const { totals, previousTotals } = content;
	return [
		...content.sides.map((s): Row => ({ section: "side", item: SIDE_WORDS[s.key], detail: s.key, ...figures(s.sums, s.previous) })),
		...content.lines.map((l): Row => ({ section: "line", item: LINE_WORDS[l.key], detail: l.key, ...figures(l.sums, l.previous) })),
		{ section: "total", item: "Total", ...figures(totals, previousTotals) },
		...(content.variance?.causes ?? []).map(
			({ cause, microUsd }): Row => ({ section: "variance", item: VARIANCE_WORDS[cause], detail: cause, usd: exactDollars(microUsd) }),
		),
		...content.byTeam.map((t): Row => ({ section: "team", item: t.key || "(no team)", ...figures(t.sums) })),
		...content.byProject.map((p): Row => ({ section: "project", item: p.key || "(no project)", ...figures(p.sums) })),
		...content.items.map((i): Row => {
			const detail = [i.project, i.provider, i.capacityType, i.accelerator].filter(Boolean).join("; ");
			return { section: "item", item: LINE_WORDS[i.line], detail, ...figures(i.sums) };
		}),
		...content.topJobs.map(
			(j): Row => ({ section: "job", item: j.jobId, detail: j.name, ...figures(j.sums), text: `${j.team}, ${j.state}` }),
		),
	];
}

/** Amounts in the reporting currency, with every rate. Without a reporting currency, the last two columns are absent. */
function currencyRows({ content: { inCurrency } }: StatementView): Row[] {
	if (!inCurrency) return [];
	const { currency, rates } = inCurrency;
	const row = (item: string, micro: string, detail = ""): Row => {
		return { section: "converted", item, detail, currency, amount: exactDollars(micro) };
	};
	return [
		...inCurrency.sides.map(({ key, micro }) => row(SIDE_WORDS[key], micro, key)),
		...inCurrency.lines.map(({ key, micro }) => row(LINE_WORDS[key], micro, key)),
		...inCurrency.byTeam.map(({ key, micro }) => row(key || "(no team)", micro, "team")),
		...inCurrency.byProject.map(({ key, micro }) => row(key || "(no project)", micro, "project")),
		row("Total", inCurrency.totalMicro, "total"),
		...rates.map(({ date, units, usd, source }): Row => {
			return { section: "rate", item: date, detail: source, currency, text: `${units} ${currency} = ${usd} USD` };
		}),
	];
}

function judgementRows({ content }: StatementView): Row[] {
	return [
		...content.savings.map((s): Row => {
			const amount = s.microUsd === null ? {} : { usd: exactDollars(s.microUsd) };
			return {
				section: "saving",
				item: SAVING_WORDS[s.key],
				...amount,
				detail: s.hours === null ? "" : `${s.hours} hours`,
				text: s.reckoned,
			};
		}),
		...content.waste.map((w): Row => {
			return { section: "waste", item: WASTE_WORDS[w.key], usd: exactDollars(w.microUsd), gpu_hours: hours(w.gpuMs) };
		}),
		{
			section: "carbon",
			item: "Operational, location-based",
			co2e_kg: kg(content.carbon.operationalMilligrams),
			energy_kwh: kwh(content.carbon.energyMilliWh),
		},
		{
			section: "carbon",
			item: "Operational, market-based",
			co2e_kg: kg(content.carbon.marketMilligrams),
			text: unknown(content.carbon.marketUnknownGpuMs),
		},
		{
			section: "carbon",
			item: "Embodied",
			co2e_kg: kg(content.carbon.embodiedMilligrams),
			text: unknown(content.carbon.embodiedUnknownGpuMs),
		},
		{ section: "carbon", item: "Energy that was measured", energy_kwh: kwh(content.carbon.measuredEnergyMilliWh) },
	];
}

function moneyRows({ content }: StatementView): Row[] {
	return [
		...content.budgets.flatMap((b): Row[] => [
			{ section: "budget", item: b.id, detail: `cap of the ${b.period} from ${b.periodKey}`, usd: exactDollars(b.capMicroUsd) },
			{ section: "budget", item: b.id, detail: "posted", usd: exactDollars(b.postedMicroUsd) },
			{ section: "budget", item: b.id, detail: "variance", usd: exactDollars(b.varianceMicroUsd), text: b.note ?? "" },
		]),
		...content.bills.flatMap((b): Row[] => [
			{ section: "bill", item: b.provider, detail: "estimated", usd: exactDollars(b.estimatedMicroUsd) },
			{ section: "bill", item: b.provider, detail: "billed", usd: exactDollars(b.billedMicroUsd) },
			{ section: "bill", item: b.provider, detail: "adjusted", usd: exactDollars(b.adjustedMicroUsd) },
			{ section: "bill", item: b.provider, detail: "unexplained", usd: exactDollars(b.unexplainedMicroUsd), text: b.note ?? "" },
		]),
	];
}

function endRows({ shown }: StatementView): Row[] {
	if (!shown) return [];
	return [
		...shown.differences.map((d): Row => {
			return {
				section: "difference",
				item: d.section,
				detail: d.key,
				usd: exactDollars(d.deltaMicroUsd),
				...(d.beforeMicroUsd === null ? {} : { previous_usd: exactDollars(d.beforeMicroUsd) }),
			};
		}),
		...shown.signatures.map((s): Row => {
			return {
				section: "signature",
				item: s.name,
				detail: s.role,
				text: `${s.signedAt.toISOString()}${s.closedItToo ? ", closed it too" : ""}`,
			};
		}),
	];
}

const hours = (gpuMs: string): string => decimal(gpuMs, BigInt(HOUR_MS) / 10_000n, 4);
const kg = (milligrams: string): string => decimal(milligrams, 1_000n, 3);
const kwh = (milliWh: string): string => decimal(milliWh, 1_000n, 3);
const unknown = (gpuMs: string): string => (gpuMs === "0" ? "" : `not known for ${hours(gpuMs)} GPU-hours`);

function figures(sums: StatementSums, previous: StatementSums | null = null): Partial<Row> {
	return {
		usd: exactDollars(sums.effectiveMicroUsd),
		...(previous ? { previous_usd: exactDollars(previous.effectiveMicroUsd) } : {}),
		billed_usd: exactDollars(sums.billedMicroUsd),
		list_usd: exactDollars(sums.listMicroUsd),
		gpu_hours: hours(sums.gpuMs),
		energy_kwh: kwh(sums.energyMilliWh),
		co2e_kg: kg(sums.emissionsMilligrams),
	};
}
