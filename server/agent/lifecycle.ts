import type { TransitionTable } from "#server/domain/states.ts";
import { assert } from "#server/kernel/assert.ts";
import type { AgentPhase, OWN_STOP_CAUSES } from "./protocol.ts";

/** What the agent does, from its first call to the machine's end. Every phase can only end in `off`, directly or not. */
export const AGENT_TRANSITIONS: TransitionTable<AgentPhase> = {
	enrolling: ["staging", "off"],
	/** Fetching data and the checkpoint. Stopped or failed: nothing ran, so there is nothing to save. */
	staging: ["running", "reporting", "off"],
	running: ["stopping", "saving", "off"],
	/** SIGTERM was sent. */
	stopping: ["saving", "off"],
	/** The command no longer exists; its last checkpoint is uploaded. */
	saving: ["reporting", "off"],
	reporting: ["off"],
	off: [],
};

export type OwnStopCause = (typeof OWN_STOP_CAUSES)[number];
/** `ordered`: the control plane says so; `over`: it wants nothing of this attempt any more. */
export type StopCause = OwnStopCause | "ordered" | "over";

export interface StopOrder {
	cause: StopCause;
	/** What the command gets at most between SIGTERM and SIGKILL. */
	graceMs: number;
	/** When the machine no longer exists, whatever we do; null when no one takes it. */
	machineEndsAtMs: number | null;
}

export interface StopPlan {
	cause: StopCause;
	killAtMs: number;
	/** After this no upload and no report is waited for any more. */
	giveUpAtMs: number | null;
}

/** Share of the time that is left which is kept for the upload of the checkpoint, and its bounds. */
const SAVING_SHARE = 0.25;
const SAVING_MIN_MS = 500;
export const SAVING_MAX_MS = 30_000;

/**
 * Divides what time is left: the command has its grace, but a part is kept to upload what it saved. With an end of the
 * machine that leaves less than that, SIGKILL comes at once.
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

/** The first cause stays, each limit is the nearer one. `over` beats all: what it forbids must not happen. */
export function tighten(before: StopPlan, after: StopPlan): StopPlan {
	return {
		cause: after.cause === "over" ? "over" : before.cause,
		killAtMs: Math.min(before.killAtMs, after.killAtMs),
		giveUpAtMs: before.giveUpAtMs === null ? after.giveUpAtMs : Math.min(before.giveUpAtMs, after.giveUpAtMs ?? before.giveUpAtMs),
	};
}

/** The agent's state: one phase, and the stop that was asked for, if one was. */
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

	/** Aborted as soon as a stop is asked for. */
	get stopSignal(): AbortSignal {
		return this.#stop.signal;
	}

	/** Aborted when nothing may be waited for any more: the machine ends now. */
	get giveUpSignal(): AbortSignal {
		return this.#giveUp.signal;
	}

	move(to: AgentPhase): void {
		assert(AGENT_TRANSITIONS[this.#phase].includes(to), `the agent cannot go from ${this.#phase} to ${to}`);
		this.#log(`${this.#phase} -> ${to}`);
		this.#phase = to;
	}

	/** Asks for a stop; asking again can only make it sooner. */
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
