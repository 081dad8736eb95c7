import type { RuleEffect } from "#server/domain/policy.ts";

export type PrewarmEffect = Extract<RuleEffect, { kind: "prewarm" }>;

/** Machines that jobs will use at once: at most p10, p50 and p90 with these probabilities. */
export interface MachinesNeeded {
	p10: number;
	p50: number;
	p90: number;
}

/** A machine without a job, running or stopped. Times are UTC ms. */
export interface IdleMachine {
	id: string;
	/** Price while it has no job: the machine's, or its disk's when it is stopped. */
	microUsdPerHour: bigint;
	/** Worst case reserved for it when it was launched or kept. */
	holdMicroUsd: bigint;
	/** Since it is ready. In the future while it boots. */
	idleSinceMs: number;
}

/** Money of the machine that would be launched. */
export interface PrewarmPrice {
	/** Price while it has no job. */
	microUsdPerHour: bigint;
	/** Price of its boot. */
	bootMicroUsd: bigint;
	/** Worst case reserved for it (holdOf). */
	holdMicroUsd: bigint;
}

/** What a prewarm rule is decided from. */
export interface PrewarmFacts {
	nowMs: number;
	/** Start of the rule's hours that include the moment at which a machine launched now would be ready. null: outside, or no hours. */
	scheduledSinceMs: number | null;
	/** Forecast of the machines in use at once in an hour to come. null: no forecast yet. */
	needed: MachinesNeeded | null;
	/** Machines of this kind that run jobs now. */
	inUse: number;
	/** Machines that the rule keeps now, those that boot included. */
	idle: readonly IdleMachine[];
	/** null: no offer is available. */
	price: PrewarmPrice | null;
	/** How much sooner a job starts on a kept machine than on a new one. */
	savedMs: number;
	/** The rule's cost in this calendar month so far, of machines that are no longer kept. */
	spentMicroUsd: bigint;
	/** When the idle limit last ended a machine, and when a job last needed one. null: never. */
	expiredAtMs: number | null;
	neededAtMs: number | null;
}

export interface PrewarmPlan {
	/** Machines that are worth keeping, and that are worth launching: never more. */
	target: number;
	launchTarget: number;
	/** Number to launch. */
	launch: number;
	/** Machines to end now. */
	end: readonly { id: string; why: "idle_limit" | "not_expected" | "budget" }[];
}
