import type { instance } from "#server/db/schema/instance.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Billing } from "#server/providers/driver.ts";

type Row = typeof instance.$inferSelect;

/** The columns of an instance that say which time of it is metered. */
export type BilledTime = Pick<Row, "billedFrom" | "billedFromSlackMs" | "billedUntil" | "billedUntilSlackMs">;

/** What is known of the machine's life before this look at it. */
export type Known = BilledTime & Pick<Row, "launchedAt" | "lastSeenAt" | "lastHeardAt" | "readyAt">;

/**
 * How far a provider's clock may be from ours. A time that is further off, or none at all, is no word: by it a machine would be
 * charged for years, or for nothing.
 */
const CLOCKS_APART_MS = 15 * MINUTE_MS;

/** When a machine was launched, by the provider's word if that can be: not before it was intended, and not after it was seen. */
export function launchedAt(wordMs: number, { intendedAt }: { intendedAt: Date }, answeredMs: number): Date {
	return new Date(within(wordMs, intendedAt.getTime(), answeredMs) ?? intendedAt.getTime());
}

function within(wordMs: number | null, fromMs: number, untilMs: number): number | null {
	if (wordMs === null || !(wordMs >= fromMs - CLOCKS_APART_MS && wordMs <= untilMs + CLOCKS_APART_MS)) return null;
	return wordMs;
}

/** Somewhere between these the provider saw what it says. */
export interface Look {
	askedMs: number;
	answeredMs: number;
}

/**
 * Which time of a machine is metered after this look. A provider's own word counts as it is. Where it gives none, time that
 * it may have billed is metered: from the last look at which it did not bill yet until the first at which it did no more, so
 * that no second is left out; the slack says how much too long that may be. A word that comes later corrects what was seen.
 */
export function billedTime(known: Known, said: Billing, look: Look): BilledTime {
	const billing = believed(said, known, look);
	const { billedFrom, billedFromSlackMs, billedUntil, billedUntilSlackMs } = known;
	const begun = { billedFrom, billedFromSlackMs };
	const open = { billedUntil: null, billedUntilSlackMs: 0 };
	switch (billing.phase) {
		case "not_yet":
			return { ...begun, ...open };
		case "never":
			// An agent that was heard knows better.
			if (billedFrom === null && known.lastHeardAt === null) return { ...begun, ...open };
			return billedTime(known, { phase: "over", fromMs: null, untilMs: null }, look);
		case "now":
			return { ...(billedFrom ? begun : beginning(known, billing.fromMs, look)), ...open };
		case "over": {
			const from = billedFrom ? begun : beginning(known, billing.fromMs, look);
			if (billedUntil && (billing.untilMs === null || billedUntilSlackMs === 0)) return { ...from, billedUntil, billedUntilSlackMs };
			const until =
				billing.untilMs === null ? asSeen(known, look, billing.endedBetween) : { billedUntil: billing.untilMs, billedUntilSlackMs: 0 };
			// By the provider's clock it may have ended before it began by ours.
			const untilMs = Math.max(until.billedUntil, from.billedFrom?.getTime() ?? 0);
			return { ...from, billedUntil: new Date(untilMs), billedUntilSlackMs: until.billedUntilSlackMs };
		}
	}
}

/**
 * The same for a machine whose row was closed already: what is seen of it afterwards is metered too, until it is seen to be
 * over.
 */
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

/** Whether nobody had seen it run when its row was closed: it is charged from its launch until it was missed, all of it on suspicion. */
function isGuessed({ billedFrom, billedUntil, billedFromSlackMs, billedUntilSlackMs }: Known): boolean {
	if (billedFrom === null || billedUntil === null || billedFromSlackMs === 0) return false;
	return billedFromSlackMs === billedUntilSlackMs && billedFrom.getTime() + billedFromSlackMs === billedUntil.getTime();
}

/** It may have begun as late as this first sight of it, and at the latest when its agent was let in. */
function slackOfGuess({ billedFrom, billedFromSlackMs, readyAt }: Known, { answeredMs }: Look): number {
	const latestMs = Math.min(answeredMs, readyAt?.getTime() ?? answeredMs);
	return Math.max(billedFromSlackMs, latestMs - (billedFrom?.getTime() ?? latestMs));
}

/** At the latest when its agent was let in, and not before it was asked for. */
function beginning(known: Known, wordMs: number | null, look: Look): Pick<BilledTime, "billedFrom" | "billedFromSlackMs"> {
	if (wordMs !== null) return { billedFrom: new Date(wordMs), billedFromSlackMs: 0 };
	const latestMs = Math.min(look.answeredMs, known.readyAt?.getTime() ?? look.answeredMs);
	const earliestMs = Math.min(latestMs, Math.max(known.launchedAt?.getTime() ?? 0, known.lastSeenAt?.getTime() ?? 0));
	return { billedFrom: new Date(earliestMs), billedFromSlackMs: latestMs - earliestMs };
}

/** Without the times that cannot be. */
function believed(billing: Billing, known: Known, look: Look): Billing {
	if (billing.phase !== "now" && billing.phase !== "over") return billing;
	const launchedMs = known.launchedAt?.getTime() ?? look.answeredMs;
	const fromMs = within(billing.fromMs, launchedMs, look.answeredMs);
	return billing.phase === "now"
		? { ...billing, fromMs }
		: { ...billing, fromMs, untilMs: within(billing.untilMs, launchedMs, look.answeredMs) };
}

/** Not before it was last seen or its agent was last heard, and when our own call ended it, during that call. */
function asSeen(known: Known, look: Look, call?: Look): { billedUntil: number; billedUntilSlackMs: number } {
	const seenMs = Math.max(known.launchedAt?.getTime() ?? 0, known.lastSeenAt?.getTime() ?? 0, known.lastHeardAt?.getTime() ?? 0);
	// An agent that was heard after the call was on a machine that went on.
	const during = call && call.answeredMs >= seenMs && call.answeredMs <= look.answeredMs ? call : null;
	const untilMs = during?.answeredMs ?? look.answeredMs;
	// Never 0, which is the provider's word and stands against a later one.
	return { billedUntil: untilMs, billedUntilSlackMs: Math.max(1, untilMs - Math.max(seenMs, during?.askedMs ?? 0)) };
}
