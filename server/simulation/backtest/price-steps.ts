import type { RecordedHistory } from "./history.ts";

/** Most distinct moments at which prices may change in one replay: each of them rescores every job's offers. */
const STEPS_MAX = 600;

export interface PriceSteps {
	prices: Map<string, { atMs: number; microUsdPerHour: bigint }[]>;
	/** Prices are constant for this long, ms; null: they change as recorded. */
	stepMs: number | null;
	/** Share of the offers' time that has a recorded price, 0 to 1; 1 without offers. */
	knownShare: number;
}

/**
 * Prices for a replay. Changes outside the period are dropped, except the price in effect at its start. Before an offer's first
 * observation, its first price applies.
 */
export function priceSteps({ fromMs, toMs, offers, prices }: Pick<RecordedHistory, "fromMs" | "toMs" | "offers" | "prices">): PriceSteps {
	const inTime = new Map(offers.map(({ id }) => [id, within(prices.get(id) ?? [], fromMs, toMs)]));
	const moments = new Set([...inTime.values()].flat().map(({ atMs }) => atMs));
	const stepMs = moments.size <= STEPS_MAX ? null : Math.ceil((toMs - fromMs) / STEPS_MAX);
	const taken = [...inTime].map(([id, changes]) => [id, stepMs === null ? changes : stepped(changes, fromMs, stepMs)] as const);
	const knownMs = offers.reduce((sum, { id }) => sum + toMs - Math.min(toMs, Math.max(fromMs, prices.get(id)?.[0]?.atMs ?? toMs)), 0);
	const allMs = offers.length * (toMs - fromMs);
	return { prices: new Map(taken.filter(([, changes]) => changes.length > 0)), stepMs, knownShare: allMs === 0 ? 1 : knownMs / allMs };
}

type Changes = { atMs: number; microUsdPerHour: bigint }[];

/** The first price applies from the start. */
function within(changes: Changes, fromMs: number, toMs: number): Changes {
	const firstIn = changes.findIndex(({ atMs }) => atMs > fromMs);
	const rest = firstIn < 0 ? [] : changes.slice(firstIn).filter(({ atMs }) => atMs < toMs);
	const before = firstIn < 0 ? changes.at(-1) : (changes[firstIn - 1] ?? changes[0]);
	if (!before) return [];
	return [{ ...before, atMs: fromMs }, ...rest.filter((change) => change !== before)];
}

/** Each change takes effect at the next step. If several fall into one step, the last one wins. */
function stepped(changes: Changes, fromMs: number, stepMs: number): Changes {
	const byStep = new Map<number, Changes[number]>();
	for (const change of changes) {
		const atMs = fromMs + Math.ceil((change.atMs - fromMs) / stepMs) * stepMs;
		byStep.set(atMs, { ...change, atMs });
	}
	const steps = [...byStep.values()];
	return steps.filter(({ microUsdPerHour }, i) => i === 0 || steps[i - 1]?.microUsdPerHour !== microUsdPerHour);
}
