import { MINUTE_MS } from "#server/kernel/units.ts";
import { SPOT } from "./constants.ts";
import { type TableTerms, ValueTable } from "./value-table.ts";

/** Recently used tables, oldest first. The cache changes no result, because a table is a function of its key. */
const kept = new Map<string, ValueTable>();

/** The table for these terms, rounded so that many states share one. It takes some milliseconds to fill and some microseconds to read. */
export function tableFor(terms: TableTerms): ValueTable {
	const rounded: TableTerms = {
		market: terms.market,
		priceRatio: Math.min(0.98, Math.max(SPOT.ratioStep, Math.round(terms.priceRatio / SPOT.ratioStep) * SPOT.ratioStep)),
		changeoverMs: Math.max(1, Math.ceil(terms.changeoverMs / MINUTE_MS)) * MINUTE_MS,
		checkpointEveryMs: Math.max(1, Math.ceil(terms.checkpointEveryMs / MINUTE_MS)) * MINUTE_MS,
		anchorRatio: Math.min(1, Math.ceil(terms.anchorRatio / SPOT.ratioStep) * SPOT.ratioStep),
		delayRatio: terms.delayRatio < SPOT.ratioStep ? 0 : Math.exp(Math.round(10 * Math.log(terms.delayRatio)) / 10),
		leavesFirm: terms.leavesFirm,
		workMs: powerOfTwo(terms.workMs),
		slackMs: Math.min(powerOfTwo(terms.slackMs), powerOfTwo(terms.workMs)),
	};
	const { market, priceRatio, anchorRatio, changeoverMs, checkpointEveryMs, delayRatio, leavesFirm, workMs, slackMs } = rounded;
	const key = `${market.key} ${priceRatio.toFixed(2)} ${anchorRatio.toFixed(2)} ${delayRatio.toFixed(3)} ${leavesFirm} ${changeoverMs} ${checkpointEveryMs} ${workMs} ${slackMs}`;
	const table = kept.get(key) ?? new ValueTable(rounded);
	kept.delete(key);
	kept.set(key, table);
	const oldest = kept.keys().next();
	if (kept.size > SPOT.tables && !oldest.done) kept.delete(oldest.value);
	return table;
}

/** At least an hour. Slack beyond the amount of work changes nothing, so such a table uses as much slack as work. */
function powerOfTwo(ms: number): number {
	return 2 ** Math.ceil(Math.log2(Math.max(60 * MINUTE_MS, ms)));
}
