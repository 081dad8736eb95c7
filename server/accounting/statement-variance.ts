import type { StatementVariance } from "#server/domain/statement.ts";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import type { MonthFacts } from "./statement-facts.ts";
import { explainVariance } from "./variance.ts";
import { describeVariance } from "./variance-sentence.ts";

/** Why a team's month ("" is the company's) differs from the previous one; undefined when either is incomplete. */
export function statementVariance({ varianceCells, ledgerFromMs, fromMs }: MonthFacts, team: string): StatementVariance | undefined {
	if (!varianceCells || (ledgerFromMs !== undefined && ledgerFromMs !== fromMs)) return undefined;
	const own = (cells: typeof varianceCells.before) => (team === "" ? cells : cells.filter((cell) => cell.team === team));
	const variance = explainVariance(own(varianceCells.before), own(varianceCells.after));
	return {
		sentence: describeVariance(variance),
		beforeMicroUsd: variance.beforeAmount.toString(),
		afterMicroUsd: variance.afterAmount.toString(),
		causes: VARIANCE_CAUSES.flatMap((cause) =>
			variance.byCause[cause] === 0n ? [] : [{ cause, microUsd: variance.byCause[cause].toString() }],
		),
	};
}
