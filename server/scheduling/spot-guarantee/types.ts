/**
 * Terminology. **Firm** capacity is not reclaimed: on-demand, or home when it has room now. **Changeover**: from the decision
 * to start somewhere until work continues (boot and restore). **Slack**: time left − work left, ms. A **zone** is one spot
 * offer; it is **up** while an instance of it is available and is not reclaimed.
 */

/** Everything that the rule for one job with a deadline and checkpoints may know at one moment. Plain data. */
export interface DeadlineState {
	nowMs: number;
	deadlineMs: number;
	/** Work left from the last saved checkpoint, ms of run time: an upper bound (the job's maximum, not its median). */
	workLeftMs: number;
	/** The part done since that checkpoint by the running attempt. An interruption loses it; finishing the job does not repeat it. */
	unsavedMs: number;
	/** Longest stretch of work between two completed checkpoints, ms. */
	checkpointEveryMs: number;
	/** Longest time from a decision until work continues, ms: on an on-demand instance, a spot instance, at home. */
	changeoverMs: { onDemand: number; spot: number; home: number };
	/** Longest time until the next choice is made and applied, ms: the cycle's period and its delays. */
	nextChoiceWithinMs: number;
	on: CurrentCapacity;
	/** Spot offers that the job may use, in any order. Empty: firm capacity only. */
	zones: readonly SpotZone[];
	/** null: no on-demand capacity is allowed, so nothing can be guaranteed. */
	onDemandMicroUsdPerHour: number | null;
	/** Home, if it has room for the job now; the price is its marginal cost and may be 0. */
	home: { microUsdPerHour: number } | null;
	/** Value of finishing an hour earlier, in addition to prices. Absent: none, as long as the deadline holds. */
	delayMicroUsdPerHour?: number;
	/** Whether work on firm capacity may move to spot later. Absent: it may. */
	leavesFirm?: boolean;
	/** Mean time until a returned zone is requested again, ms. Absent: its return is seen immediately. */
	lookDelayMs?: number;
}

/** The job's current capacity. `startingMs`: the rest of its changeover, 0 once it works. */
export type CurrentCapacity =
	| { kind: "none" }
	| { kind: "spot"; zoneId: string; startingMs: number }
	| { kind: "on_demand"; startingMs: number }
	| { kind: "home"; startingMs: number };

export interface SpotZone {
	/** The offer's id. */
	id: string;
	microUsdPerHour: number;
	/** Whether an instance is available now. If unknown: true; a refused attempt sets it to false for the caller's back-off. */
	up: boolean;
	/** Time it has been up, or down, as far as observed, ms. */
	ageMs: number;
	/** Keep the same object until something is learned: values derived from it are cached with it. */
	model: ZoneModel;
}

/** Where the job should be from now on. */
export type DeadlineChoice = {
	/** The latest time at which the rule must run again for the guarantee to hold; null: it holds without another run (firm, or done). */
	reviewByMs: number | null;
	/**
	 * Time left − (work left from the last checkpoint + the changeover to firm capacity), ms: negative when the deadline cannot be
	 * guaranteed.
	 */
	marginMs: number;
	why: DeadlineWhy;
} & ({ on: "spot"; zoneId: string } | { on: "on_demand" } | { on: "home" } | { on: "wait" });

export const DEADLINE_WHYS = [
	/** Only firm capacity from now on meets the deadline whatever spot does. */
	"deadline_needs_firm",
	/** Firm capacity that costs no more than spot. */
	"firm_is_cheapest",
	/** Spot is the cheapest option, and the slack allows an interruption. */
	"spot_is_cheapest",
	/** Firm for now: spot is unavailable too long, or too short-lived, for the remaining slack. */
	"firm_saves_slack",
	/** Waiting for spot is worth the slack it uses. */
	"spot_is_worth_the_wait",
	/** There is no firm capacity to fall back on: spot, or waiting for it, is the only option. */
	"no_firm_capacity",
] as const;
export type DeadlineWhy = (typeof DEADLINE_WHYS)[number];

/**
 * Observations of one zone, by age: entry i counts hours, and endings, of runs that had lasted AGE_EDGES_MS[i] to
 * AGE_EDGES_MS[i+1]. Counts decay (learner.ts). JSON-safe, so that it can be stored.
 */
export interface ZoneRecord {
	/** Time of the last observation, whether it was up, and since when as far as observed. */
	atMs: number;
	up: boolean;
	sinceMs: number;
	upHours: readonly number[];
	upEnds: readonly number[];
	downHours: readonly number[];
	downEnds: readonly number[];
}

/** The learned semi-Markov model of a zone: rates at which an up run, or a down run, of that age ends, per hour. */
export interface ZoneModel {
	upEndsPerHour: readonly number[];
	downEndsPerHour: readonly number[];
}
