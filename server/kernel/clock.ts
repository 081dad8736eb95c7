/** The source of time: UTC milliseconds since 1970. The pure folders get `nowMs` as data instead. */
export interface Clock {
	nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that moves only when set, for tests and the simulator. */
export class ManualClock implements Clock {
	#nowMs: number;
	constructor(startMs: number) {
		this.#nowMs = startMs;
	}
	nowMs(): number {
		return this.#nowMs;
	}
	advance(ms: number): void {
		this.#nowMs += ms;
	}
}
