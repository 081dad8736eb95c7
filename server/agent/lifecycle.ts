import type { TransitionTable } from "#server/domain/states.ts";
import { assert } from "#server/kernel/assert.ts";
import type { AgentPhase, OWN_STOP_CAUSES } from "./protocol.ts";

/** Phases of the agent, from its first call to the machine's end. Every phase leads to `off`, directly or not. */
export const AGENT_TRANSITIONS: TransitionTable<AgentPhase> = {
	enrolling: ["staging", "off"],
	/** Downloads data and the checkpoint. If it is stopped or fails, the command has not run and there is nothing to save. */
	staging: ["running", "reporting", "off"],
	running: ["stopping", "saving", "off"],
	/** SIGTERM was sent. */
	stopping: ["saving", "off"],
	/** The command has ended; its last checkpoint is being uploaded. */
	saving: ["reporting", "off"],
	reporting: ["off"],
	off: [],
};

export type OwnStopCause = (typeof OWN_STOP_CAUSES)[number];
/** `ordered`: the control plane requested the stop. `over`: the attempt is over for the control plane. */
export type StopCause = OwnStopCause | "ordered" | "over";

export interface StopOrder {
	cause: StopCause;
	/** Longest time between SIGTERM and SIGKILL. */
	graceMs: number;
	/** When the machine ends regardless; null if it is not being reclaimed. */
	machineEndsAtMs: number | null;
}

export interface StopPlan {
	cause: StopCause;
	killAtMs: number;
	/** After this time no upload and no report is awaited. */
	giveUpAtMs: number | null;
}

/** Share of the remaining time that is kept for uploading the checkpoint, and its limits. */
const SAVING_SHARE = 0.25;
const SAVING_MIN_MS = 500;
export const SAVING_MAX_MS = 30_000;

/**
 * Divides the remaining time: the command gets its grace period, and a part is kept to upload what it saved. If the machine ends
 * too soon for both, SIGKILL is sent immediately.
 */
export function planStop(nowMs: number, order: StopOrder): StopPlan {
	if (order.cause === "over") return { cause: order.cause, killAtMs: nowMs, giveUpAtMs: nowMs };
	const graceEndsAtMs = nowMs + order.graceMs;
	if (order.machineEndsAtMs === null) return { cause: order.cause, killAtMs: graceEndsAtMs, giveUpAtMs: null };
	const killAtMs = Math.max(nowMs, Math.min(graceEndsAtMs, order.machineEndsAtMs - savingReserveMs(order.machineEndsAtMs - nowMs)));
	return { cause: order.cause, killAtMs, giveUpAtMs: order.machineEndsAtMs };
}

export function savingReserveMs(leftMs: number): number {
	return Math.min(SAVING_MAX_MS, Math.max(SAVING_MIN_MS, leftMs * SAVING_SHARE));
}

/** Keeps the first cause and the earlier of each limit. `over` overrides everything, because what it forbids must not happen. */
export function tighten(before: StopPlan, after: StopPlan): StopPlan {
	return {
		cause: after.cause === "over" ? "over" : before.cause,
		killAtMs: Math.min(before.killAtMs, after.killAtMs),
		giveUpAtMs: before.giveUpAtMs === null ? after.giveUpAtMs : Math.min(before.giveUpAtMs, after.giveUpAtMs ?? before.giveUpAtMs),
	};
}

/** The agent's state: one phase, and the requested stop, if any. */
export class Lifecycle {
	#phase: AgentPhase = "enrolling";
	#plan: StopPlan | null = null;
	readonly #stop = new AbortController();
	readonly #giveUp = new AbortController();
	readonly #nowMs: () => number;
	readonly #log: (text: string) => void;

	constructor(options: { nowMs(): number; log(text: string): void }) {
		this.#nowMs = options.nowMs;
		this.#log = options.log;
	}

	get phase(): AgentPhase {
		return this.#phase;
	}

	get plan(): StopPlan | null {
		return this.#plan;
	}

	/** Aborted when a stop is requested. */
	get stopSignal(): AbortSignal {
		return this.#stop.signal;
	}

	/** Aborted when nothing may be awaited any more: the machine ends now. */
	get giveUpSignal(): AbortSignal {
		return this.#giveUp.signal;
	}

	move(to: AgentPhase): void {
		assert(AGENT_TRANSITIONS[this.#phase].includes(to), `the agent cannot go from ${this.#phase} to ${to}`);
		this.#log(`${this.#phase} -> ${to}`);
		this.#phase = to;
	}

	/** Requests a stop. A repeated request can only make it sooner. */
	requestStop(order: StopOrder): void {
		const plan = planStop(this.#nowMs(), order);
		if (this.#plan === null) this.#log(`stop: ${order.cause}, grace ${order.graceMs} ms`);
		this.#plan = this.#plan === null ? plan : tighten(this.#plan, plan);
		this.#stop.abort();
		if (this.#plan.cause === "over") this.giveUp();
	}

	giveUp(): void {
		this.#giveUp.abort();
	}
}
