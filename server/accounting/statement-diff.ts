import type { StatementContent } from "#server/domain/statement.ts";
import { canonicalJson } from "./statement-json.ts";

/** A money line that differs between two versions of a statement. */
export interface StatementDifference {
	section: "line" | "team" | "project" | "waste" | "saving" | "budget" | "bill" | "total";
	key: string;
	/** null if that version does not have the line. */
	beforeMicroUsd: string | null;
	afterMicroUsd: string | null;
	deltaMicroUsd: string;
}

/** Changes in the newer version by line, with the total last. Only lines that differ. */
export function diffStatements(before: StatementContent, after: StatementContent): StatementDifference[] {
	return [
		...compare("line", linesOf(before), linesOf(after)),
		...compare("team", sumsOf(before.byTeam), sumsOf(after.byTeam)),
		...compare("project", sumsOf(before.byProject), sumsOf(after.byProject)),
		...compare("waste", amountsOf(before.waste), amountsOf(after.waste)),
		...compare("saving", amountsOf(before.savings), amountsOf(after.savings)),
		...compare("budget", budgetsOf(before), budgetsOf(after)),
		...compare("bill", billsOf(before), billsOf(after)),
		...compare("total", [["total", before.totals.effectiveMicroUsd]], [["total", after.totals.effectiveMicroUsd]]),
	];
}

type Amount = readonly [key: string, microUsd: string];

const linesOf = (c: StatementContent): Amount[] => sumsOf(c.lines);
const sumsOf = (list: readonly { key: string; sums: { effectiveMicroUsd: string } }[]): Amount[] =>
	list.map(({ key, sums }) => [key, sums.effectiveMicroUsd]);
const amountsOf = (list: readonly { key: string; microUsd: string | null }[]): Amount[] =>
	list.flatMap(({ key, microUsd }): Amount[] => (microUsd === null ? [] : [[key, microUsd]]));
const budgetsOf = (c: StatementContent): Amount[] => c.budgets.map((b) => [b.id, b.postedMicroUsd]);
const billsOf = (c: StatementContent): Amount[] => c.bills.map((b) => [b.provider, b.billedMicroUsd]);

function compare(section: StatementDifference["section"], before: readonly Amount[], after: readonly Amount[]): StatementDifference[] {
	const [old, now] = [new Map(before), new Map(after)];
	return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
		const [was, is] = [old.get(key) ?? null, now.get(key) ?? null];
		const delta = BigInt(is ?? 0) - BigInt(was ?? 0);
		if (delta === 0n && (was === null) === (is === null)) return [];
		return [{ section, key, beforeMicroUsd: was, afterMicroUsd: is, deltaMicroUsd: delta.toString() }];
	});
}

/**
 * Whether a new closing would differ in content. Closing time and version are ignored, and so are rates imported
 * later: a version keeps the rates it was closed with.
 */
export function isEquivalent(a: StatementContent, b: StatementContent): boolean {
	const bare = ({ postedUntilNumber: _, ledgerFromMs: __, variance: ___, inCurrency: ____, ...c }: StatementContent) => ({
		...c,
		version: 0,
		replaces: null,
		postedUntilMs: 0,
	});
	return canonicalJson(bare(a)) === canonicalJson(bare(b));
}
