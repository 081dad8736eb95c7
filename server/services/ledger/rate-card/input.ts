import type { z } from "zod";
import { type Calendar, dayStartMs } from "#server/accounting/zone.ts";
import type { rateCardInput } from "#server/contract/inputs/rates.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";

export type RateCardInput = z.input<typeof rateCardInput>;

/** How far into the past and the future a card may start. */
const PAST_MAX_MS = 400 * DAY_MS;
const FUTURE_MAX_MS = 3_660 * DAY_MS;
const MICRO = 1_000_000n;

/** @throws SpillwayError `invalid_input` when it is too far in the past or future. */
export function effectiveFromMs(text: string | undefined, calendar: Calendar, nowMs: number): number {
	const atMs = text === undefined ? nowMs : instantOf(text, calendar);
	if (atMs >= nowMs - PAST_MAX_MS && atMs <= nowMs + FUTURE_MAX_MS) return atMs;
	throw new SpillwayError("invalid_input", `A rate card cannot take effect at ${new Date(atMs).toISOString()}.`, {
		fields: [{ path: "effectiveFrom", message: "must be at most 400 days ago and ten years ahead" }],
		fix: "Use a later date. The in-service dates of assets may be earlier.",
	});
}

/**
 * The limits for cards also apply to a file of hours.
 * @throws SpillwayError `invalid_input` when it begins too long ago or ends too far ahead.
 */
export function requireWithinReach(fromMs: number, toMs: number, nowMs: number): void {
	if (fromMs >= nowMs - PAST_MAX_MS && toMs <= nowMs + FUTURE_MAX_MS) return;
	throw new SpillwayError("invalid_input", `The hours go from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}.`, {
		fields: [{ path: "text", message: "hours must be at most 400 days ago and ten years ahead" }],
		fix: "Remove the hours outside that range.",
	});
}

/** Dates begin with the day of the ledger's calendar. */
export function instantOf(text: string, calendar: Calendar): number {
	const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
	return isDate ? dayStartMs(calendar, Date.parse(`${text}T00:00:00Z`) / DAY_MS) : Date.parse(text);
}

/**
 * Checks that span several fields, which a schema cannot express.
 * @throws SpillwayError `invalid_input` naming every such field.
 */
export function validateCard(card: OwnedRateCard): void {
	const fields: FieldProblem[] = [];
	const seen = new Set<string>();
	for (const [i, asset] of card.assets.entries()) {
		const path = `card.assets.${i}`;
		if (seen.has(asset.id)) fields.push({ path: `${path}.id`, message: `"${asset.id}" is there twice` });
		seen.add(asset.id);
		if (usdToMicro(asset.residualUsd) > usdToMicro(asset.priceUsd)) {
			fields.push({ path: `${path}.residualUsd`, message: `at most the price, ${asset.priceUsd}` });
		}
		const { method } = asset;
		if (method.kind === "declining_balance" && (usdToMicro(method.ratePerYear) === 0n || usdToMicro(method.ratePerYear) > MICRO)) {
			fields.push({ path: `${path}.method.ratePerYear`, message: "above 0 and at most 1 (all of the book value in a year)" });
		}
	}
	const { power, perYear } = card;
	if (usdToMicro(power.pue) < MICRO) fields.push({ path: "card.power.pue", message: "at least 1" });
	if (usdToMicro(power.idleWattsPerGpu) > usdToMicro(power.busyWattsPerGpu)) {
		fields.push({ path: "card.power.idleWattsPerGpu", message: `at most what a busy GPU draws, ${power.busyWattsPerGpu}` });
	}
	const amounts = [...card.assets.map((a) => a.priceUsd), ...Object.values(perYear), power.busyWattsPerGpu, power.electricityUsdPerKwh];
	if (amounts.every((amount) => usdToMicro(amount) === 0n)) {
		fields.push({ path: "card", message: "must have at least one cost" });
	}
	if (fields.length === 0) return;
	throw new SpillwayError("invalid_input", "The rate card has errors and was not set.", { fields });
}
