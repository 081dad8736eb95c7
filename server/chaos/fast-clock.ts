import os from "node:os";
import path from "node:path";
import type { Clock } from "#server/kernel/clock.ts";

/** Default speed of a run's clock: ten seconds per real second. A busy computer needs a lower rate. */
export const CLOCK_RATE = 10;

/** The clock of all parts of a run, in this process and in the machines' processes. It starts at real time. */
export class FastClock implements Clock {
	readonly startMs: number;
	readonly rate: number;

	/** `startMs`: start of a clock shared with another process; absent for a new one. */
	constructor(rate = CLOCK_RATE, startMs = Date.now()) {
		this.startMs = startMs;
		this.rate = rate;
	}

	nowMs(): number {
		return this.at(Date.now());
	}

	/** Converts real time to this clock's time. */
	at(realMs: number): number {
		return Math.round(this.startMs + (realMs - this.startMs) * this.rate);
	}

	/** Environment for fast-clock.mjs in the machines. */
	get environment(): Record<string, string> {
		// Saves every machine from compiling the same agent again.
		const NODE_COMPILE_CACHE = path.join(os.tmpdir(), "spillway-chaos-compiled");
		const preload = new URL("./fast-clock.mjs", import.meta.url).href;
		return { NODE_OPTIONS: `--import=${preload}`, NODE_COMPILE_CACHE, SPILLWAY_CHAOS_CLOCK: `${this.startMs},${this.rate}` };
	}

	/** Rewrites the line of user-data that sets the dead man's switch to this clock. @throws Error when user-data has no such line */
	inUserData(script: string): string {
		const line = "left=$((X - $(date +%s)))";
		if (!script.includes(line)) throw new Error("the user-data has changed: the line that computes its life is not there");
		const start = Math.floor(this.startMs / 1_000);
		return script.replace(line, `left=$(((X - (${start} + ($(date +%s) - ${start}) * ${this.rate})) / ${this.rate}))`);
	}
}
