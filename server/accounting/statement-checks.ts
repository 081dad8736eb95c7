import type { StatementContent } from "#server/domain/statement.ts";

export const STATEMENT_CHECKS = ["lines_add_up", "projects_add_up", "teams_add_up", "bills_explained"] as const;
export type StatementCheckKey = (typeof STATEMENT_CHECKS)[number];

/** A property that readers can rely on, verified from the statement itself. `ok` null: nothing to verify. */
export interface StatementCheck {
	key: StatementCheckKey;
	ok: boolean | null;
	/** The difference when it fails; "0" when it holds. */
	offMicroUsd: string;
}

export function checkStatement(content: StatementContent): StatementCheck[] {
	const total = BigInt(content.totals.effectiveMicroUsd);
	const off = (list: readonly { sums: { effectiveMicroUsd: string } }[]): bigint =>
		list.reduce((sum, { sums }) => sum + BigInt(sums.effectiveMicroUsd), 0n) - total;
	const check = (key: StatementCheckKey, offMicroUsd: bigint, applies = true): StatementCheck => {
		return { key, ok: applies ? offMicroUsd === 0n : null, offMicroUsd: applies ? offMicroUsd.toString() : "0" };
	};
	const lines = off(content.lines) || off(content.items) || off(content.sides);
	const unexplained = content.bills.reduce((sum, b) => sum + abs(BigInt(b.unexplainedMicroUsd)), 0n);
	return [
		check("lines_add_up", lines),
		check("projects_add_up", off(content.byProject)),
		check("teams_add_up", off(content.byTeam), content.team === ""),
		check("bills_explained", unexplained, content.bills.length > 0),
	];
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);
