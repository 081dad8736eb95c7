import { z } from "zod";

/** A hundred times as fast or as slow as another machine for the same job, to catch a misplaced decimal point. */
const [LEAST, MOST] = [0.01, 100] as const;
const SAID = `a number from ${LEAST} to ${MOST}, such as 2 for a pool on which jobs take half the time`;

/** For one pool. */
export const poolSpeedSchema = z.number(SAID).min(LEAST, SAID).max(MOST, SAID);

/**
 * The site setting `speeds`: how fast jobs run in its pools, relative to a machine of speed 1, keyed by pool id or
 * accelerator. Clouds and unlisted pools have speed 1. Forms send the numbers as texts.
 */
export const poolSpeedsSchema = z.record(
	z.string().min(1),
	z.preprocess((given) => (typeof given === "string" && given.trim() !== "" ? Number(given) : given), poolSpeedSchema),
);
export type PoolSpeeds = z.output<typeof poolSpeedsSchema>;

/** The keys of `speeds` that match none of these pools. `canonical`: maps alternative names of an accelerator to one. */
export function defaultSpeeds(
	speeds: PoolSpeeds | undefined,
	pools: readonly { id: string; accelerator: string }[],
	canonical: (accelerator: string) => string = (name) => name,
): string[] {
	return Object.keys(speeds ?? {}).filter(
		(name) => !pools.some(({ id, accelerator }) => id === name || canonical(accelerator) === canonical(name)),
	);
}

/** The speed of a pool: by its id, else by its accelerator, else 1. */
export function speedOfPool(
	speeds: PoolSpeeds | undefined,
	pool: { id: string | null; accelerator: string | null },
	canonical: (accelerator: string) => string = (name) => name,
): number {
	return valueOfPool(speeds, pool, canonical) ?? 1;
}

/** The value of a site setting by pool: for its id, else for its accelerator. */
export function valueOfPool<T>(
	values: Readonly<Record<string, T>> | undefined,
	pool: { id: string | null; accelerator: string | null },
	canonical: (accelerator: string) => string = (name) => name,
): T | undefined {
	if (!values) return undefined;
	if (pool.id !== null && Object.hasOwn(values, pool.id)) return values[pool.id];
	if (pool.accelerator === null) return undefined;
	const model = canonical(pool.accelerator);
	return Object.entries(values).find(([name]) => canonical(name) === model)?.[1];
}
