import type { Tx } from "#server/db/client.ts";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import { forecastGrid, type Series } from "./forecast-grid.ts";
import { forecastPrices } from "./forecast-prices.ts";

export type Foretold = Pick<Snapshot, "gridForecast" | "priceForecast" | "foretoldBy">;

/** Newly imported data takes effect after this time at the latest. */
const AGE_MS = 10 * MINUTE_MS;
const NOTHING: Foretold = {};
const NO_SERIES: ReadonlyMap<string, Series> = new Map();

/** The coming hours, read again every hour and every ten minutes, and only for a policy that defers starts. */
export class ForetoldCache {
	#kept: { readAtMs: number; wants: string; foretold: Foretold } | null = null;

	async read(tx: Tx, { rules }: Policy, nowMs: number): Promise<Foretold> {
		const asked = new Set(rules.flatMap(({ effect }) => (effect.kind === "defer" ? [effect.to] : [])));
		if (asked.size === 0) return NOTHING;
		const wants = [...asked].sort().join(" ");
		const kept = this.#kept;
		const sameHour = kept !== null && Math.floor(kept.readAtMs / HOUR_MS) === Math.floor(nowMs / HOUR_MS);
		if (kept?.wants === wants && sameHour && nowMs >= kept.readAtMs && nowMs - kept.readAtMs < AGE_MS) return kept.foretold;
		const grid = asked.has("greener") ? await forecastGrid(tx, nowMs) : NO_SERIES;
		const prices = asked.has("cheaper") ? await forecastPrices(tx, nowMs) : NO_SERIES;
		const foretold: Foretold = {
			...(grid.size > 0 && { gridForecast: pick(grid, ({ hourly }) => hourly) }),
			...(prices.size > 0 && { priceForecast: pick(prices, ({ hourly }) => hourly) }),
			...(grid.size + prices.size > 0 && { foretoldBy: pick(new Map([...grid, ...prices]), ({ by }) => by) }),
		};
		this.#kept = { readAtMs: nowMs, wants, foretold };
		return foretold;
	}
}

function pick<T>(series: ReadonlyMap<string, Series>, of: (series: Series) => T): ReadonlyMap<string, T> {
	return new Map([...series].map(([key, value]) => [key, of(value)]));
}
