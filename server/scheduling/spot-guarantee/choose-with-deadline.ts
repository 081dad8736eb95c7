import { SPOT } from "./constants.ts";
import { ageIndex } from "./learner.ts";
import { effectivePrice, marketOf } from "./market.ts";
import { phaseOf } from "./phases.ts";
import { allowsSpot, allowsSpotStart, marginMs } from "./safety.ts";
import { tableFor } from "./tables.ts";
import type { DeadlineChoice, DeadlineState, SpotZone } from "./types.ts";
import type { NextStepCosts } from "./value-table.ts";

type Firm = { on: "on_demand" | "home"; microUsdPerHour: number };

/**
 * Where a job with a deadline and checkpoints should be from now until the next choice.
 * 1. Firm capacity, when nothing else guarantees the deadline whatever spot does (safety.ts), or when spot is not cheaper.
 * 2. On spot, stay, unless cheaper spot that is up is worth the changeover.
 * 3. When all spot that is up is more expensive than unavailable spot: wait, if that is expected to cost less.
 * 4. Otherwise the least expected cost of {start on the best spot that is up, start or stay on firm capacity, wait}, by a value table of
 * the zones' learned model.
 * Total and pure: the same state gives the same choice, whatever the order of its zones.
 */
export function chooseWithDeadline(state: DeadlineState): DeadlineChoice {
	const margin = marginMs(state);
	const firm = firmOf(state);
	if (!firm) return withoutFirm(state, margin);
	const toFirm = (why: DeadlineChoice["why"]): DeadlineChoice => ({ on: firm.on, why, marginMs: margin, reviewByMs: null });
	if (!allowsSpot(state)) return toFirm("deadline_needs_firm");
	const zones = state.zones.filter((zone) => zone.microUsdPerHour > 0 && zone.microUsdPerHour < firm.microUsdPerHour);
	const here = current(state, zones);
	const reviewByMs = state.nowMs + margin;
	if (here) {
		const zoneId = cheaperThan(here, state, zones, firm)?.id ?? here.id;
		return { on: "spot", zoneId, why: "spot_is_cheapest", marginMs: margin, reviewByMs };
	}
	if (zones.length === 0) return toFirm("firm_is_cheapest");
	const best = bestZone(state, zones);
	const onFirm = state.on.kind === "on_demand" || state.on.kind === "home";
	// Lets a boot finish: an aborted start is paid for without a result.
	if (onFirm && isStarting(state)) return toFirm("firm_saves_slack");
	if (!onFirm && best.up && isWorthTheWait(best, state, zones, firm))
		return { on: "wait", why: "spot_is_worth_the_wait", marginMs: margin, reviewByMs };
	const ways = waysOn(state, best, zones, firm);
	const spot = best.up && allowsSpotStart(state) ? ways.startSpot : Number.POSITIVE_INFINITY;
	const stay = onFirm ? ways.stayFirm : ways.startFirm;
	// Waiting while spot is up would only delay the end: the benchmark finds no saving in it.
	if (spot < stay) return { on: "spot", zoneId: best.id, why: "spot_is_cheapest", marginMs: margin, reviewByMs };
	if (!onFirm && ways.wait < stay - SPOT.waitSavesMs) return { on: "wait", why: "spot_is_worth_the_wait", marginMs: margin, reviewByMs };
	return toFirm("firm_saves_slack");
}

/** The firm capacity to use: the current one, unless the other is cheaper even after a changeover that the deadline allows. */
function firmOf(state: DeadlineState): Firm | null {
	const { home, onDemandMicroUsdPerHour, changeoverMs, on } = state;
	const atHome: Firm | null = home && { on: "home", microUsdPerHour: home.microUsdPerHour };
	const onDemand: Firm | null = onDemandMicroUsdPerHour === null ? null : { on: "on_demand", microUsdPerHour: onDemandMicroUsdPerHour };
	if (!atHome || !onDemand) return on.kind === "home" ? (atHome ?? { on: "home", microUsdPerHour: 0 }) : (onDemand ?? atHome);
	const leftMs = (kind: "home" | "on_demand"): number =>
		on.kind === kind
			? on.startingMs + state.workLeftMs - state.unsavedMs
			: state.workLeftMs + (kind === "home" ? changeoverMs.home : changeoverMs.onDemand);
	const inTime = (kind: "home" | "on_demand"): boolean => state.nowMs + leftMs(kind) <= state.deadlineMs;
	if (inTime("home") !== inTime("on_demand")) return inTime("home") ? atHome : onDemand;
	const homeCost = atHome.microUsdPerHour * leftMs("home");
	const onDemandCost = onDemand.microUsdPerHour * leftMs("on_demand");
	return homeCost <= onDemandCost ? atHome : onDemand;
}

/** Nothing can be guaranteed: use spot if there is any, else wait for it. */
function withoutFirm(state: DeadlineState, margin: number): DeadlineChoice {
	const base = { why: "no_firm_capacity", marginMs: margin, reviewByMs: null } as const;
	const here = current(state, state.zones);
	if (here) return { on: "spot", zoneId: here.id, ...base };
	const best = state.zones.length > 0 ? bestZone(state, state.zones) : null;
	return best?.up ? { on: "spot", zoneId: best.id, ...base } : { on: "wait", ...base };
}

/** The zone that the job is on, unless it was reclaimed. */
function current(state: DeadlineState, zones: readonly SpotZone[]): SpotZone | null {
	const { on } = state;
	return on.kind === "spot" ? (zones.find((zone) => zone.id === on.zoneId && zone.up) ?? null) : null;
}

/** Up before down; then the lowest price of kept work; then by id. */
function bestZone(state: DeadlineState, zones: readonly SpotZone[]): SpotZone {
	const lostMs = state.changeoverMs.spot + state.checkpointEveryMs / 2;
	const workMs = state.workLeftMs - state.unsavedMs;
	const price = (zone: SpotZone): number =>
		zone.up ? effectivePrice(zone, lostMs, workMs) : effectivePrice({ ...zone, ageMs: 0 }, lostMs, workMs);
	return zones.reduce((best, zone) => {
		if (zone.up !== best.up) return zone.up ? zone : best;
		const [a, b] = [price(zone), price(best)];
		if (Math.abs(a - b) > SPOT.samePriceShare * b) return a < b ? zone : best;
		return zone.id < best.id ? zone : best;
	});
}

function isStarting(state: DeadlineState): boolean {
	return state.on.kind !== "none" && state.on.startingMs > 0;
}

/** The best of the cheaper zones that are up, if moving there from spot is expected to cost less than staying. */
function cheaperThan(here: SpotZone, state: DeadlineState, zones: readonly SpotZone[], firm: Firm): SpotZone | null {
	if (isStarting(state) || !allowsSpotStart(state)) return null;
	const cheaper = zones.filter((zone) => zone.up && zone.microUsdPerHour < here.microUsdPerHour * CHEAPER_SHARE);
	if (cheaper.length === 0) return null;
	const best = bestZone(state, cheaper);
	const ways = waysOn(state, best, cheaper, firm, here.microUsdPerHour);
	return ways.startSpot < ways.stayFirm ? best : null;
}

/** Whether waiting for cheaper zones that are unavailable is expected to cost less than starting on the best one that is up. */
function isWorthTheWait(up: SpotZone, state: DeadlineState, zones: readonly SpotZone[], firm: Firm): boolean {
	const away = zones.filter((zone) => !zone.up && zone.microUsdPerHour < up.microUsdPerHour * CHEAPER_SHARE);
	if (away.length === 0 || !allowsSpotStart(state)) return false;
	const ways = waysOn(state, bestZone(state, away), away, firm, up.microUsdPerHour);
	return ways.wait < ways.startFirm - SPOT.waitSavesMs;
}

/** Below this share of the price, spot counts as cheaper than other spot. Smaller differences do not pay for a changeover. */
const CHEAPER_SHARE = 0.98;

/** `anchor`: the price of spot that is up and more expensive than these zones. */
function waysOn(
	state: DeadlineState,
	best: SpotZone,
	zones: readonly SpotZone[],
	firm: Firm,
	anchor = firm.microUsdPerHour,
): NextStepCosts {
	const workMs = Math.max(0, state.workLeftMs - state.unsavedMs);
	const slackMs = Math.max(0, state.deadlineMs - state.nowMs - workMs);
	const table = tableFor({
		market: marketOf(best, zones, state.lookDelayMs),
		priceRatio: best.microUsdPerHour / firm.microUsdPerHour,
		anchorRatio: anchor / firm.microUsdPerHour,
		changeoverMs: Math.max(state.changeoverMs.onDemand, state.changeoverMs.spot),
		checkpointEveryMs: state.checkpointEveryMs,
		delayRatio: (state.delayMicroUsdPerHour ?? 0) / firm.microUsdPerHour,
		leavesFirm: state.leavesFirm ?? true,
		workMs,
		slackMs,
	});
	return table.at(phaseOf(best.up, ageIndex(best.ageMs)), workMs, slackMs * SPOT.plannedSlackShare);
}
