import { STATEMENT_LINES, type StatementCarbon, type StatementContent, WASTE_KEYS } from "#server/domain/statement.ts";
import type { RollupSums } from "./rollup.ts";
import { statementInCurrency } from "./statement-currency.ts";
import { lineOf, type MonthFacts, type MonthRow } from "./statement-facts.ts";
import { savingsOf } from "./statement-savings.ts";
import { bothMonths, groupRows, itemsOf, sumRows, toStatementSums } from "./statement-sums.ts";
import { statementVariance } from "./statement-variance.ts";

export const TOP_JOBS = 20;

/**
 * The statement of a team ("" is the company) from the facts of a month. Equal facts give equal bytes.
 * @param version 0 for a preview
 */
export function buildStatement(facts: MonthFacts, at: { team: string; version: number; replaces: string | null }): StatementContent {
	const { month, fromMs, toMs, zone, postedUntilMs, postedUntilNumber, ledgerFromMs } = facts;
	const company = at.team === "";
	const own = (list: readonly MonthRow[]): readonly MonthRow[] => (company ? list : list.filter((r) => r.team === at.team));
	const thisMonth = (list: readonly MonthRow[]): MonthRow[] => own(list).filter((r) => r.month === "this");
	const all = own(facts.rows);
	const rows = thisMonth(facts.rows);
	const items = thisMonth(facts.itemRows);
	const { sums: totals, previous: previousTotals } = bothMonths(all);
	const variance = previousTotals ? statementVariance(facts, at.team) : undefined;
	const isOwned = (r: MonthRow): boolean => r.capacityType === "owned";
	return {
		...{ month, team: at.team, version: at.version, replaces: at.replaces, fromMs, toMs, zone, postedUntilMs },
		...(postedUntilNumber === undefined ? {} : { postedUntilNumber }),
		...(ledgerFromMs === undefined ? {} : { ledgerFromMs }),
		charges: rows.reduce((n, r) => n + r.charges, 0),
		...{ totals, previousTotals },
		...(variance === undefined ? {} : { variance }),
		...(facts.inCurrency ? { inCurrency: statementInCurrency(facts.inCurrency.rows, facts.inCurrency.converter, at.team) } : {}),
		sides: [
			{ key: "owned", ...bothMonths(all.filter(isOwned)) },
			{ key: "cloud", ...bothMonths(all.filter((r) => !isOwned(r))) },
		],
		lines: STATEMENT_LINES.flatMap((key) => {
			const ofLine = all.filter((r) => lineOf(r) === key);
			return ofLine.length === 0 ? [] : [{ key, ...bothMonths(ofLine) }];
		}),
		byTeam: company ? groupRows(rows, (r) => r.team).map(({ key, sums }) => ({ key, sums })) : [],
		byProject: groupRows(thisMonth(facts.projectRows), (r) => r.project).map(({ key, sums }) => ({ key, sums })),
		items: itemsOf(items, !company),
		topJobs: (facts.topJobs.get(at.team) ?? []).slice(0, TOP_JOBS).map(({ jobId, name, team, state, ...sums }) => {
			return { jobId, name, team, state, sums: toStatementSums(sums) };
		}),
		savings: savingsOf(items, facts.cheapest, company ? facts.burst : facts.burst.filter((b) => b.team === at.team), company),
		waste: wasteOf(facts, rows, at.team),
		carbon: carbonOf(sumRows(rows)),
		budgets: facts.budgets.filter((b) => company || b.team === at.team).map(({ team: _, ...budget }) => budget),
		bills: [...(facts.bills.get(at.team) ?? [])],
	};
}

function wasteOf(facts: MonthFacts, rows: readonly MonthRow[], team: string): StatementContent["waste"] {
	const idle = sumRows(rows.filter((r) => lineOf(r) === "idle"));
	return WASTE_KEYS.map((key) => {
		if (key === "idle") return { key, microUsd: idle.effectiveMicroUsd.toString(), gpuMs: idle.gpuMs.toString() };
		const own = facts.waste.filter((w) => w.key === key && (team === "" || w.team === team));
		return {
			key,
			microUsd: own.reduce((sum, w) => sum + w.microUsd, 0n).toString(),
			gpuMs: own.reduce((sum, w) => sum + w.gpuMs, 0n).toString(),
		};
	});
}

function carbonOf(sums: RollupSums): StatementCarbon {
	return {
		operationalMilligrams: sums.emissionsMilligrams.toString(),
		marketMilligrams: sums.marketEmissionsMilligrams.toString(),
		embodiedMilligrams: sums.embodiedMilligrams.toString(),
		energyMilliWh: sums.energyMilliWh.toString(),
		measuredEnergyMilliWh: sums.measuredEnergyMilliWh.toString(),
		hourlyGridMilliWh: sums.hourlyGridMilliWh.toString(),
		unknownGpuMs: sums.emissionsUnknownGpuMs.toString(),
		marketUnknownGpuMs: sums.marketUnknownGpuMs.toString(),
		embodiedUnknownGpuMs: sums.embodiedUnknownGpuMs.toString(),
	};
}
