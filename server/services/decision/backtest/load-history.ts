import type { Db } from "#server/db/client.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { hash32 } from "#server/kernel/random.ts";
import { listAccelerators } from "#server/rates/accelerators.ts";
import { discounted } from "#server/scheduling/discount.ts";
import { readMountNames } from "#server/services/capacity/site/mounts.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { listMarketOffers } from "#server/services/pricing/offer/list.ts";
import { reservedOffersSince } from "#server/services/pricing/offer/reserved.ts";
import type { RecordedHistory } from "#server/simulation/backtest/history.ts";
import { loadGrid } from "./load-grid.ts";
import { loadJobs } from "./load-jobs.ts";
import { firstJobAtMs, loadLaunches, loadPools, loadPrices, loadPriorRuns, loadSpentBefore, loadTiming } from "./load-outside.ts";

export interface HistoryRequest {
	fromMs: number;
	toMs: number;
	/** The version in force, which also seeds the live loop. */
	version: number;
	/** Policies with budgets that need earlier spending. */
	policies: readonly Policy[];
	timing: Pick<Timing, "cloudStartMs" | "offerCooldownMs">;
	/** Jobs read so far. */
	onJobs?: (read: number) => void;
}

/**
 * Reads the site's records of a time range. It is not one snapshot: ended items no longer change, and the rest is reported as
 * open.
 */
export async function loadHistory(db: Db, request: HistoryRequest): Promise<RecordedHistory> {
	const { version, policies, timing, onJobs = () => {}, ...span } = request;
	const calendar = await ledgerCalendar(db);
	const grid = await loadGrid(db, span);
	const mounts = await readMountNames(db);
	const market = await listMarketOffers(db, span.toMs);
	const periods = [...new Set(policies.flatMap(({ budgets }) => budgets.map(({ period }) => period)))];
	return {
		...span,
		seed: hash32(`${version}`),
		pools: await loadPools(db),
		...(mounts ? { mounts } : {}),
		offers: [...market, ...(await reservedOffersSince(db, market, span.fromMs))],
		prices: contracted(await loadPrices(db, span), market),
		launches: await loadLaunches(db, span),
		timing: await loadTiming(db, span, { cloudStartMs: timing.cloudStartMs, cooldownMs: timing.offerCooldownMs }),
		priorRuns: await loadPriorRuns(db, span),
		spentBefore: await loadSpentBefore(db, span, periods, calendar),
		boardWatts: Object.fromEntries(listAccelerators().map((a) => [a.name, a.boardWatts])),
		firstJobAtMs: await firstJobAtMs(db),
		zone: calendar.zone,
		...(grid ? { grid } : {}),
		jobs: await loadJobs(db, span, onJobs),
	};
}

/** Prices as listed by the providers, less the discounts in today's offers. */
function contracted(prices: RecordedHistory["prices"], offers: readonly Offer[]): RecordedHistory["prices"] {
	for (const { id, discount } of offers) {
		const changes = discount && prices.get(id);
		if (changes)
			prices.set(
				id,
				changes.map(({ atMs, microUsdPerHour }) => ({ atMs, microUsdPerHour: discounted(microUsdPerHour, discount.partsPerMillion) })),
			);
	}
	return prices;
}
