import { assert } from "./assert.ts";

/** Integer millionths of a US dollar. The only form of money in the code; JSON carries it as a decimal string. */
export type MicroUsd = bigint;

export const MICRO_PER_USD = 1_000_000n;
const MS_PER_HOUR = 3_600_000n;

/**
 * Parses a dollar amount such as "12", "0.526" or 50000 exactly. More than six decimals are rejected, not rounded.
 * @throws RangeError when the text is not a plain decimal amount
 */
export function usdToMicro(usd: string | number): MicroUsd {
	const text = typeof usd === "number" ? String(usd) : usd.trim();
	const match = /^(-?)(\d+)(?:\.(\d{1,6})0*)?$/.exec(text);
	if (!match) throw new RangeError(`not a dollar amount: ${JSON.stringify(usd)}`);
	const [, sign, whole = "0", fraction = ""] = match;
	const micro = BigInt(whole) * MICRO_PER_USD + BigInt(fraction.padEnd(6, "0"));
	return sign === "-" ? -micro : micro;
}

/** For charts and weights only; never convert it back to money. */
export function microToUsdNumber(micro: MicroUsd): number {
	return Number(micro) / 1e6;
}

/** Exact decimal text, e.g. 1234500n -> "1.2345". */
export function microToUsdText(micro: MicroUsd): string {
	const abs = micro < 0n ? -micro : micro;
	const fraction = (abs % MICRO_PER_USD).toString().padStart(6, "0").replace(/0+$/, "");
	const text = fraction === "" ? `${abs / MICRO_PER_USD}` : `${abs / MICRO_PER_USD}.${fraction}`;
	return micro < 0n ? `-${text}` : text;
}

/** floor(a × num / den) with its remainder, for non-negative values. Division happens only here. */
export function mulDivFloor(a: bigint, num: bigint, den: bigint): { quotient: bigint; remainder: bigint } {
	assert(den > 0n && a >= 0n && num >= 0n, "mulDivFloor takes non-negative values and a positive divisor");
	const product = a * num;
	return { quotient: product / den, remainder: product % den };
}

/** ceil(a × num / den), used for holds, which must never be too small. */
export function mulDivCeil(a: bigint, num: bigint, den: bigint): bigint {
	const { quotient, remainder } = mulDivFloor(a, num, den);
	return remainder === 0n ? quotient : quotient + 1n;
}

/**
 * Cost of `elapsedMs` at an hourly price, rounded down to the micro-dollar. To price an interval [a, b) of one usage,
 * subtract two of these (`costOfInterval`), so that parts add up to the whole.
 */
export function costOfElapsed(microUsdPerHour: MicroUsd, elapsedMs: number): MicroUsd {
	assert(Number.isSafeInteger(elapsedMs) && elapsedMs >= 0, `elapsedMs must be a whole number >= 0, got ${elapsedMs}`);
	return mulDivFloor(microUsdPerHour, BigInt(elapsedMs), MS_PER_HOUR).quotient;
}

/** Cost of the part [fromMs, toMs) of a usage that began at startMs; price(a,b) + price(b,c) = price(a,c) exactly. */
export function costOfInterval(microUsdPerHour: MicroUsd, startMs: number, fromMs: number, toMs: number): MicroUsd {
	assert(startMs <= fromMs && fromMs <= toMs, "interval must lie within the usage");
	return costOfElapsed(microUsdPerHour, toMs - startMs) - costOfElapsed(microUsdPerHour, fromMs - startMs);
}
