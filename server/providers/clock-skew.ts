import { z } from "zod";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** NTP keeps clocks much closer than this; providers reject signatures and tokens from about here on. */
const SKEW_MIN_MS = 5 * MINUTE_MS;

/** SDKs keep headers in a plain object or in a library class. */
const dateSchema = z.union([
	z.object({ headers: z.custom<{ get(name: string): unknown }>(hasGet) }).transform(({ headers }) => headers.get("date")),
	z.object({ headers: z.object({ date: z.string() }) }).transform(({ headers }) => headers.date),
]);

function hasGet(value: unknown): boolean {
	return typeof value === "object" && value !== null && "get" in value && typeof value.get === "function";
}

/**
 * How far a provider's clock is ahead of this computer's, in ms, by the `Date` header of its response; negative: behind. null if
 * there is no response or no time in it, or if the clocks agree well enough.
 * @param answer as the provider's SDK attaches it to an error
 */
export function clockSkew(answer: unknown, nowMs: number = Date.now()): number | null {
	const { data: date } = dateSchema.safeParse(answer);
	const providerMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
	if (Number.isNaN(providerMs) || Math.abs(providerMs - nowMs) < SKEW_MIN_MS) return null;
	return providerMs - nowMs;
}

/** The fix, as the end of a sentence. `skewMs` null: the provider does not report the difference. */
export function clockAdvice(skewMs: number | null): string {
	const apart =
		skewMs === null
			? "the clocks of this host and the provider differ too much"
			: `this host's clock is ${lengthOf(Math.abs(skewMs))} ${skewMs > 0 ? "behind" : "ahead of"} the provider's`;
	return `${apart}; synchronize it with NTP (timedatectl set-ntp true; timedatectl shows the status)`;
}

function lengthOf(ms: number): string {
	if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
	return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${(ms / HOUR_MS).toFixed(1)} h`;
}
