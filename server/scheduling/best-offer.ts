import { type CloudRun, leastScoreOfModel, scoreOf } from "./cost.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";

/** A better but excluded offer, with the reason for its exclusion. */
export interface PassedOver {
	row: OfferRow;
	removal: Removal;
}

export interface Best {
	row: OfferRow;
	scoreMicroUsd: number;
}

/**
 * The lowest-scoring row that is not excluded (ties: the earlier one), and the excluded rows that are better.
 * @param rows sorted by ranking price
 */
export function bestOf(
	rows: readonly OfferRow[],
	run: CloudRun,
	exclude: (row: OfferRow) => Removal | null,
): { best: Best | null; passedOver: PassedOver[] } {
	let best: Best | null = null;
	const passed: PassedOver[] = [];
	for (const group of groupsFor(rows, run)) {
		for (const row of group) {
			if (best !== null && leastScoreOfModel(row, run) >= best.scoreMicroUsd) break;
			if (best !== null && scoreOf(row, run) >= best.scoreMicroUsd) continue;
			const removal = exclude(row);
			if (removal) passed.push({ row, removal });
			else best = { row, scoreMicroUsd: scoreOf(row, run) };
		}
	}
	const most = best?.scoreMicroUsd ?? Number.POSITIVE_INFINITY;
	// Without a best offer all rows are better, whatever their scores.
	const better = best === null ? passed : passed.filter(({ row }) => scoreOf(row, run) <= most);
	return { best, passedOver: better.sort((a, b) => a.row.index - b.row.index) };
}

/** The rows with the lowest scores, lowest first, in the order of the choice. For lists. */
export function leastScores(rows: readonly OfferRow[], run: CloudRun, count: number): OfferRow[] {
	const best: Best[] = [];
	for (const group of groupsFor(rows, run)) {
		for (const row of group) {
			const last = best[count - 1];
			if (last && leastScoreOfModel(row, run) >= last.scoreMicroUsd) break;
			const scoreMicroUsd = scoreOf(row, run);
			if (last && scoreMicroUsd >= last.scoreMicroUsd) continue;
			let at = best.length;
			while (at > 0 && (best[at - 1]?.scoreMicroUsd ?? 0) > scoreMicroUsd) at--;
			best.splice(at, 0, { row, scoreMicroUsd });
			if (best.length > count) best.pop();
		}
	}
	return best.map((b) => b.row);
}

/** Rows among which a lower hourly price means a lower bound on the score: all rows, or those of one accelerator each. */
export function groupsFor(rows: readonly OfferRow[], run: CloudRun): readonly (readonly OfferRow[])[] {
	return run.speeds === null ? [rows] : rowsByModel(rows);
}

const byModel = new WeakMap<readonly OfferRow[], readonly (readonly OfferRow[])[]>();

function rowsByModel(rows: readonly OfferRow[]): readonly (readonly OfferRow[])[] {
	const known = byModel.get(rows);
	if (known) return known;
	const groups = new Map<string, OfferRow[]>();
	for (const row of rows) {
		const group = groups.get(row.machine.accelerator);
		if (group) group.push(row);
		else groups.set(row.machine.accelerator, [row]);
	}
	const fresh = [...groups.values()];
	byModel.set(rows, fresh);
	return fresh;
}
