import type { StatementItem, StatementSums } from "#server/domain/statement.ts";
import { STATEMENT_LINES } from "#server/domain/statement.ts";
import { addSums, NO_SUMS, type RollupSums } from "./rollup.ts";
import { lineOf, type MonthRow } from "./statement-facts.ts";

export const sumRows = (rows: readonly RollupSums[]): RollupSums => rows.reduce(addSums, NO_SUMS);

export function toStatementSums(sums: RollupSums): StatementSums {
	return {
		effectiveMicroUsd: sums.effectiveMicroUsd.toString(),
		billedMicroUsd: sums.billedMicroUsd.toString(),
		listMicroUsd: sums.listMicroUsd.toString(),
		gpuMs: sums.gpuMs.toString(),
		energyMilliWh: sums.energyMilliWh.toString(),
		emissionsMilligrams: sums.emissionsMilligrams.toString(),
	};
}

/** By a key, most expensive first, ties by name, so that equal facts give equal bytes. */
export function groupRows(
	rows: readonly MonthRow[],
	keyOf: (row: MonthRow) => string,
): { key: string; rows: MonthRow[]; sums: StatementSums }[] {
	return [...Map.groupBy(rows, keyOf)]
		.map(([key, group]) => ({ key, rows: group, total: sumRows(group) }))
		.sort((a, b) => compareBig(b.total.effectiveMicroUsd, a.total.effectiveMicroUsd) || compareText(a.key, b.key))
		.map(({ key, rows: group, total }) => ({ key, rows: group, sums: toStatementSums(total) }));
}

/** Sums of this month and the previous one; null when the previous month has no charges. */
export function bothMonths(rows: readonly MonthRow[]): { sums: StatementSums; previous: StatementSums | null } {
	const before = rows.filter((r) => r.month === "previous");
	return {
		sums: toStatementSums(sumRows(rows.filter((r) => r.month === "this"))),
		previous: before.length === 0 ? null : toStatementSums(sumRows(before)),
	};
}

/** Each project (for the company: one group), with its lines in the statement's order, most expensive first within each. */
export function itemsOf(rows: readonly MonthRow[], byProject: boolean): StatementItem[] {
	const projects = groupRows(rows, (r) => (byProject ? r.project : ""));
	return projects.flatMap(({ key: project, rows: own }) =>
		STATEMENT_LINES.flatMap((line) =>
			groupRows(
				own.filter((r) => lineOf(r) === line),
				(r) => JSON.stringify([r.provider, r.capacityType, r.accelerator]),
			).flatMap(({ rows: [first], sums }) =>
				first ? [{ project, line, provider: first.provider, capacityType: first.capacityType, accelerator: first.accelerator, sums }] : [],
			),
		),
	);
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const compareBig = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
