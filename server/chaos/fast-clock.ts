import os from "node:os";
import path from "node:path";
import type { Clock } from "#server/kernel/clock.ts";

/** How much faster than real time a run's clock goes by default: a second is ten. A busy computer needs less. */
export const CLOCK_RATE = 10;

/** A clock that all parts of a run go by, in this process and in the machines' own. It starts at real time. */
export class FastClock implements Clock {
	readonly startMs: number;
	readonly rate: number;

	/** `startMs`: of a clock that another process has; absent: a new one. */
	constructor(rate = CLOCK_RATE, startMs = Date.now()) {
		this.startMs = startMs;
		this.rate = rate;
	}

	nowMs(): number {
		return this.at(Date.now());
	}

	/** What it shows at a moment of real time. */
	at(realMs: number): number {
		return Math.round(this.startMs + (realMs - this.startMs) * this.rate);
	}

	/** For fast-clock.mjs in the machines. */
	get environment(): Record<string, string> {
		// Spares every machine to compile the same agent again.
		const NODE_COMPILE_CACHE = path.join(os.tmpdir(), "spillway-chaos-compiled");
		const preload = new URL("./fast-clock.mjs", import.meta.url).href;
		return { NODE_OPTIONS: `--import=${preload}`, NODE_COMPILE_CACHE, SPILLWAY_CHAOS_CLOCK: `${this.startMs},${this.rate}` };
	}

	/** The line of user-data that sets the dead man's switch, by this clock. @throws Error when user-data has no such line */
	inUserData(script: string): string {
		const line = "left=$((X - $(date +%s)))";
		if (!script.includes(line)) throw new Error("the user-data has changed: the line that computes its life is not there");
		const start = Math.floor(this.startMs / 1_000);
		return script.replace(line, `left=$(((X - (${start} + ($(date +%s) - ${start}) * ${this.rate})) / ${this.rate}))`);
	}
}
