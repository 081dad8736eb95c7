import { ManualClock } from "#server/kernel/clock.ts";

/** Calls back once at a point in time. The simulator uses its event heap, a server real timers, a test FakeTimers. */
export type Wake = (atMs: number, callback: () => void) => void;

/** A clock that advances only when set, and runs the callbacks that become due in between, in order of time. */
export class FakeTimers {
	readonly clock: ManualClock;
	#queue: { atMs: number; order: number; callback: () => void }[] = [];
	#order = 0;

	constructor(startMs: number) {
		this.clock = new ManualClock(startMs);
	}

	readonly wake: Wake = (atMs, callback) => {
		this.#queue.push({ atMs, order: this.#order++, callback });
	};

	advance(ms: number): void {
		const untilMs = this.clock.nowMs() + ms;
		for (;;) {
			const next = this.#queue.filter((t) => t.atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
			if (!next) break;
			this.#queue.splice(this.#queue.indexOf(next), 1);
			this.clock.advance(Math.max(0, next.atMs - this.clock.nowMs()));
			next.callback();
		}
		this.clock.advance(untilMs - this.clock.nowMs());
	}
}
