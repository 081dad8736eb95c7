import type { instance } from "#server/db/schema/instance.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Billing } from "#server/providers/driver.ts";

type Row = typeof instance.$inferSelect;

/** The metered time of an instance. */
export type BilledTime = Pick<Row, "billedFrom" | "billedFromSlackMs" | "billedUntil" | "billedUntilSlackMs">;

/** What is known about the machine before this observation. */
export type Known = BilledTime & Pick<Row, "launchedAt" | "lastSeenAt" | "lastHeardAt" | "readyAt">;

/**
 * The largest accepted difference between a provider's clock and ours. A time further off is ignored: it would charge a
 * machine for years, or for nothing.
 */
const CLOCKS_APART_MS = 15 * MINUTE_MS;

/** The provider's launch time if it is plausible: not before the intent and not after the observation. */
export function launchedAt(wordMs: number, { intendedAt }: { intendedAt: Date }, answeredMs: number): Date {
	return new Date(within(wordMs, intendedAt.getTime(), answeredMs) ?? intendedAt.getTime());
}

function within(wordMs: number | null, fromMs: number, untilMs: number): number | null {
	if (wordMs === null || !(wordMs >= fromMs - CLOCKS_APART_MS && wordMs <= untilMs + CLOCKS_APART_MS)) return null;
	return wordMs;
}

/** The provider took its observation between these times. */
export interface Look {
	askedMs: number;
	answeredMs: number;
}

/**
 * The metered time after this observation. A time that the provider reports is used as is. Without one, all time that it may
 * have billed is metered: from the last observation before billing until the first one after it. The slack bounds the
 * overestimate. A later report by the provider corrects it.
 */
export function billedTime(known: Known, said: Billing, look: Look): BilledTime {
	const billing = plausibleBilling(said, known, look);
	const { billedFrom, billedFromSlackMs, billedUntil, billedUntilSlackMs } = known;
	const begun = { billedFrom, billedFromSlackMs };
	const open = { billedUntil: null, billedUntilSlackMs: 0 };
	switch (billing.phase) {
		case "not_yet":
			return { ...begun, ...open };
		case "never":
			// A heartbeat of the agent is more precise.
			if (billedFrom === null && known.lastHeardAt === null) return { ...begun, ...open };
			return billedTime(known, { phase: "over", fromMs: null, untilMs: null }, look);
		case "now":
			return { ...(billedFrom ? begun : beginning(known, billing.fromMs, look)), ...open };
		case "over": {
			const from = billedFrom ? begun : beginning(known, billing.fromMs, look);
			if (billedUntil && (billing.untilMs === null || billedUntilSlackMs === 0)) return { ...from, billedUntil, billedUntilSlackMs };
			const until =
				billing.untilMs === null ? asSeen(known, look, billing.endedBetween) : { billedUntil: billing.untilMs, billedUntilSlackMs: 0 };
			// By the provider's clock it may end before it starts by ours.
			const untilMs = Math.max(until.billedUntil, from.billedFrom?.getTime() ?? 0);
			return { ...from, billedUntil: new Date(untilMs), billedUntilSlackMs: until.billedUntilSlackMs };
		}
	}
}

/** The same for a machine that was recorded as terminated but is observed again: it is metered until it has ended. */
export function billedAfterItsEnd(row: Known, billing: Billing, look: Look): BilledTime {
	const known = isGuessed(row) ? { ...row, billedFromSlackMs: slackOfGuess(row, look) } : row;
	const { billedUntil } = known;
	if (billing.phase !== "now") return billedTime(known, billing, look);
	const { billedFrom, billedFromSlackMs } = billedTime(known, billing, look);
	const untilMs = Math.max(look.answeredMs, billedFrom?.getTime() ?? 0);
	return {
		...{ billedFrom, billedFromSlackMs, billedUntil: new Date(untilMs) },
		billedUntilSlackMs: Math.max(0, untilMs - (billedUntil ?? billedFrom ?? new Date(untilMs)).getTime()),
	};
}

/** Whether it was closed without ever being seen running. It is then charged from its launch until it was first missing. */
function isGuessed({ billedFrom, billedUntil, billedFromSlackMs, billedUntilSlackMs }: Known): boolean {
	if (billedFrom === null || billedUntil === null || billedFromSlackMs === 0) return false;
	return billedFromSlackMs === billedUntilSlackMs && billedFrom.getTime() + billedFromSlackMs === billedUntil.getTime();
}

/** The latest possible start: this first observation, or when its agent enrolled. */
function slackOfGuess({ billedFrom, billedFromSlackMs, readyAt }: Known, { answeredMs }: Look): number {
	const latestMs = Math.min(answeredMs, readyAt?.getTime() ?? answeredMs);
	return Math.max(billedFromSlackMs, latestMs - (billedFrom?.getTime() ?? latestMs));
}

/** Not after its agent enrolled, and not before the launch call. */
function beginning(known: Known, wordMs: number | null, look: Look): Pick<BilledTime, "billedFrom" | "billedFromSlackMs"> {
	if (wordMs !== null) return { billedFrom: new Date(wordMs), billedFromSlackMs: 0 };
	const latestMs = Math.min(look.answeredMs, known.readyAt?.getTime() ?? look.answeredMs);
	const earliestMs = Math.min(latestMs, Math.max(known.launchedAt?.getTime() ?? 0, known.lastSeenAt?.getTime() ?? 0));
	return { billedFrom: new Date(earliestMs), billedFromSlackMs: latestMs - earliestMs };
}

/** Drops implausible times. */
function plausibleBilling(billing: Billing, known: Known, look: Look): Billing {
	if (billing.phase !== "now" && billing.phase !== "over") return billing;
	const launchedMs = known.launchedAt?.getTime() ?? look.answeredMs;
	const fromMs = within(billing.fromMs, launchedMs, look.answeredMs);
	return billing.phase === "now"
		? { ...billing, fromMs }
		: { ...billing, fromMs, untilMs: within(billing.untilMs, launchedMs, look.answeredMs) };
}

/** Not before it was last seen or its agent was last heard. If our call terminated it, during that call. */
function asSeen(known: Known, look: Look, call?: Look): { billedUntil: number; billedUntilSlackMs: number } {
	const seenMs = Math.max(known.launchedAt?.getTime() ?? 0, known.lastSeenAt?.getTime() ?? 0, known.lastHeardAt?.getTime() ?? 0);
	// A heartbeat after the call means that the machine kept running.
	const during = call && call.answeredMs >= seenMs && call.answeredMs <= look.answeredMs ? call : null;
	const untilMs = during?.answeredMs ?? look.answeredMs;
	// Never 0: that marks a time reported by the provider, which later observations do not change.
	return { billedUntil: untilMs, billedUntilSlackMs: Math.max(1, untilMs - Math.max(seenMs, during?.askedMs ?? 0)) };
}
