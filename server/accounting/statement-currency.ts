import { STATEMENT_LINES, type StatementInCurrency } from "#server/domain/statement.ts";
import { type Converter, formatRate } from "./exchange.ts";
import { type DayRow, lineOf } from "./statement-facts.ts";
import { compareText } from "./statement-sums.ts";

/**
 * A month in another currency, with the rates used. Each row is converted at the rate of its day and rounded; every
 * figure is a sum of these, so that lines, teams and projects add up to one total.
 * @param rows one per day, team, project and line, all within the month
 * @param team "" is the company
 * @throws SpillwayError `conflict` with currency and day when a rate is missing
 */
export function statementInCurrency(rows: readonly DayRow[], converter: Converter, team: string): StatementInCurrency {
	const parts = rows
		.filter((row) => team === "" || row.team === team)
		.map((row) => ({ ...row, micro: converter.convert(row.effectiveMicroUsd, row.day) }));
	const sum = (list: typeof parts) => list.reduce((total, { micro }) => total + micro, 0n);
	const by = (keyOf: (row: DayRow) => string) =>
		[...Map.groupBy(parts, keyOf)]
			.map(([key, list]) => ({ key, micro: sum(list) }))
			.sort((a, b) => (a.micro === b.micro ? compareText(a.key, b.key) : a.micro < b.micro ? 1 : -1))
			.map(({ key, micro }) => ({ key, micro: micro.toString() }));
	const isOwned = (row: DayRow) => row.capacityType === "owned";
	return {
		currency: converter.view().currency,
		rates: converter.used().map(({ date, units, usd, source }) => ({ date, units: formatRate(units), usd: formatRate(usd), source })),
		totalMicro: sum(parts).toString(),
		sides: [
			{ key: "owned", micro: sum(parts.filter(isOwned)).toString() },
			{ key: "cloud", micro: sum(parts.filter((row) => !isOwned(row))).toString() },
		],
		lines: STATEMENT_LINES.flatMap((key) => {
			const list = parts.filter((row) => lineOf(row) === key);
			return list.length === 0 ? [] : [{ key, micro: sum(list).toString() }];
		}),
		byTeam: team === "" ? by((row) => row.team) : [],
		byProject: by((row) => row.project),
	};
}
