import type { Interval } from "#server/accounting/calendar.ts";
import { wholeHours } from "#server/accounting/cover-range.ts";
import { type Calendar, UTC } from "#server/accounting/zone.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** Ten years. A longer range is likely a mistake, and the limit bounds responses by day. */
const RANGE_MAX_MS = 3_660 * DAY_MS;

/**
 * The requested range in whole hours of the ledger's calendar.
 * @throws SpillwayError `invalid_input` when it is empty, backwards, too long or not in whole milliseconds.
 */
export function spendRange({ fromMs, toMs }: Interval, calendar: Calendar = UTC): Interval {
	const valid = Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs) && Math.abs(fromMs) < 8e15 && Math.abs(toMs) < 8e15;
	if (!valid || fromMs >= toMs || toMs - fromMs > RANGE_MAX_MS) {
		const message = `"from" must be before "to", at most ${RANGE_MAX_MS / DAY_MS} days apart`;
		throw new SpillwayError("invalid_input", `Invalid time range: ${message}.`, {
			fields: [{ path: "from", message }],
			fix: "Use ISO 8601 times, for example 2026-11-01T00:00:00Z.",
		});
	}
	return wholeHours({ fromMs, toMs }, calendar);
}
