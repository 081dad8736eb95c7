import type { CurrentCapacity, DeadlineState, SpotZone } from "#server/scheduling/spot-guarantee/types.ts";

/** Conditions for every strategy. Times in ms; on-demand costs 1 per hour, spot `spotPrice`. */
export interface SpotTerms {
	workMs: number;
	bootMs: number;
	restoreMs: number;
	checkpointEveryMs: number;
	spotPrice: number;
}

/** A zone's availability by probe, and the rule's input from it. */
export interface ZoneFeed {
	up: Uint8Array;
	at(tick: number): SpotZone;
}

export type Choice = { on: "spot"; zoneId: string } | { on: "on_demand" } | { on: "home" } | { on: "wait" };

export interface RunResult {
	/** In hours of on-demand capacity. */
	cost: number;
	missed: boolean;
	starts: number;
}

const ON_DEMAND_PRICE = 1_000_000;

/** State of one job; all in ms. */
interface Job {
	savedMs: number;
	unsavedMs: number;
	on: CurrentCapacity;
	priceShare: number;
}

/**
 * One job from a probe of the trace to its end. At each probe the strategy sees which zones are up and chooses; spot lasts from probe to
 * probe. A new instance costs its price from the launch on and works after boot and restore. A checkpoint is saved after each
 * `checkpointEveryMs` of work, and when the strategy leaves on its own. An interruption loses the work after the last one.
 */
export function runJob(
	feeds: readonly ZoneFeed[],
	tickMs: number,
	start: number,
	deadlineFactor: number,
	terms: SpotTerms,
	choose: (state: DeadlineState) => Choice,
): RunResult {
	const deadlineMs = Math.round(deadlineFactor * terms.workMs);
	const changeover = terms.bootMs + terms.restoreMs;
	const job: Job = { savedMs: 0, unsavedMs: 0, on: { kind: "none" }, priceShare: 0 };
	let costMs = 0;
	let starts = 0;
	for (let tick = start, nowMs = 0; nowMs < 2 * deadlineMs; tick++, nowMs += tickMs) {
		const zones = feeds.map((feed) => feed.at(tick));
		interrupt(job, zones);
		const choice = choose({
			nowMs,
			deadlineMs,
			workLeftMs: terms.workMs - job.savedMs,
			unsavedMs: job.unsavedMs,
			checkpointEveryMs: terms.checkpointEveryMs,
			changeoverMs: { onDemand: changeover, spot: changeover, home: changeover },
			nextChoiceWithinMs: tickMs,
			on: job.on,
			zones,
			onDemandMicroUsdPerHour: ON_DEMAND_PRICE,
			home: null,
		});
		if (applyChoice(job, choice, zones, changeover)) starts++;
		if (job.on.kind === "none") continue;
		const workedMs = Math.max(0, tickMs - job.on.startingMs);
		const leftMs = terms.workMs - job.savedMs - job.unsavedMs;
		if (workedMs >= leftMs) {
			const usedMs = tickMs - (workedMs - leftMs);
			return { cost: (costMs + usedMs * job.priceShare) / 3_600_000, missed: nowMs + usedMs > deadlineMs, starts };
		}
		costMs += tickMs * job.priceShare;
		job.on = { ...job.on, startingMs: Math.max(0, job.on.startingMs - tickMs) };
		const sinceMs = job.unsavedMs + workedMs;
		job.savedMs += Math.floor(sinceMs / terms.checkpointEveryMs) * terms.checkpointEveryMs;
		job.unsavedMs = sinceMs % terms.checkpointEveryMs;
	}
	return { cost: costMs / 3_600_000, missed: true, starts };
}

function interrupt(job: Job, zones: readonly SpotZone[]): void {
	const { on } = job;
	if (on.kind !== "spot" || zones.some((zone) => zone.id === on.zoneId && zone.up)) return;
	job.unsavedMs = 0;
	job.on = { kind: "none" };
}

/** Applies the strategy's choice; returns whether an instance was started. */
function applyChoice(job: Job, choice: Choice, zones: readonly SpotZone[], changeoverMs: number): boolean {
	const { on } = job;
	if (choice.on === "home") throw new Error("A strategy chose home, and there is none in this benchmark: fix the strategy.");
	const same =
		choice.on === "spot" ? on.kind === "spot" && on.zoneId === choice.zoneId : choice.on === (on.kind === "none" ? "wait" : on.kind);
	if (same) return false;
	job.savedMs += job.unsavedMs;
	job.unsavedMs = 0;
	job.on = { kind: "none" };
	job.priceShare = 0;
	if (choice.on === "wait") return false;
	if (choice.on === "on_demand") {
		job.on = { kind: "on_demand", startingMs: changeoverMs };
		job.priceShare = 1;
		return true;
	}
	const zone = zones.find(({ id }) => id === choice.zoneId);
	if (!zone?.up) throw new Error(`A strategy chose zone ${choice.zoneId}, which is not up: fix the strategy.`);
	job.on = { kind: "spot", zoneId: zone.id, startingMs: changeoverMs };
	job.priceShare = zone.microUsdPerHour / ON_DEMAND_PRICE;
	return true;
}
