import { describe, expect, it } from "vitest";
import { KeptMoment } from "./kept-moment.ts";

/**
 * Moments are numbered in the order they are read; a timer fires when its time is passed; preparing a moment takes 900 ms, 200 ms of it
 * processor time.
 */
function open({ isWorth = true } = {}) {
	let [nowMs, cpuMs] = [0, 0];
	const timers: { atMs: number; run: () => void }[] = [];
	const reads: string[] = [];
	const state = { away: false, few: false, replaced: 0 };
	const kept = new KeptMoment<number>({
		read: async () => reads.push("asked"),
		readBehind: async () => {
			if (state.away) throw new Error("the database is unavailable");
			if (state.few) return null;
			nowMs += 900;
			cpuMs += 200;
			return reads.push("behind");
		},
		isWorth: () => isWorth,
		isCurrent: async (moment) => moment > state.replaced,
		nowMs: () => nowMs,
		cpuMs: () => cpuMs,
		later: (run, inMs) => timers.push({ atMs: nowMs + inMs, run }),
		restMs: (tookCpuMs, isAsked) => Math.min(20 * tookCpuMs, isAsked ? 2_000 : Number.POSITIVE_INFINITY),
		...{ maxAgeMs: 6_000, askedMs: 30_000, lookMs: 10_000 },
	});
	const pass = async (ms: number): Promise<void> => {
		const untilMs = nowMs + ms;
		for (;;) {
			timers.sort((a, b) => a.atMs - b.atMs);
			const next = timers[0];
			if (!next || next.atMs > untilMs) break;
			timers.shift();
			nowMs = Math.max(nowMs, next.atMs);
			next.run();
			await new Promise((resolve) => setImmediate(resolve));
		}
		nowMs = Math.max(nowMs, untilMs);
	};
	return { kept, pass, reads, timers, state, stall: (ms: number) => (nowMs += ms) };
}

describe("a cached moment", () => {
	it("is refreshed in the background for half a minute after the last question, and not after that", async () => {
		const { kept, pass, reads, timers } = open();
		expect(await kept.get()).toBe(1);
		// Reading it took no time: it is prepared immediately, and then every 2.9 s.
		await pass(100);
		expect(await kept.get()).toBe(2);
		await pass(2_900);
		expect(await kept.get()).toBe(3);
		await pass(29_000);
		expect(reads.filter((by) => by === "asked")).toHaveLength(1);
		const before = reads.length;
		await pass(3_600_000);
		expect(reads.length - before).toBeLessThanOrEqual(1);
		expect(timers).toEqual([]);
		await kept.get();
		expect(reads.at(-1)).toBe("asked");
		expect(timers).toHaveLength(1);
	});

	it("is never used beyond its maximum age, whatever delayed the refresh", async () => {
		const { kept, reads, stall } = open();
		await kept.get();
		stall(6_000);
		expect(await kept.get()).toBe(1);
		stall(1);
		expect(await kept.get()).toBe(2);
		expect(reads).toEqual(["asked", "asked"]);
	});

	it("is not used after it is replaced, however recent", async () => {
		const { kept, reads, state } = open();
		expect([await kept.get(), await kept.get()]).toEqual([1, 1]);
		state.replaced = 1;
		expect([await kept.get(), await kept.get()]).toEqual([2, 2]);
		expect(reads).toEqual(["asked", "asked"]);
	});

	it("is shared by all questions during a refresh", async () => {
		const { kept, reads, timers, stall } = open();
		await kept.get();
		stall(6_001);
		timers.shift()?.run();
		expect(await Promise.all([kept.get(), kept.get()])).toEqual([2, 2]);
		expect(reads).toEqual(["asked", "behind"]);
	});

	it("is read for each question where reading is cheap, without background work", async () => {
		const { kept, timers, reads } = open({ isWorth: false });
		expect([await kept.get(), await kept.get()]).toEqual([1, 2]);
		expect([reads, timers]).toEqual([["asked", "asked"], []]);
	});

	it("is dropped when it cannot be refreshed: the next question reads it and gets the error", async () => {
		const { kept, pass, state, reads, timers } = open();
		await kept.get();
		state.away = true;
		await pass(1_600);
		expect(timers).toEqual([]);
		expect(await kept.get()).toBe(2);
		expect(reads).toEqual(["asked", "asked"]);
	});
});

describe("a moment that is kept warm", () => {
	it("is ready for the first question after hours, and uses a twentieth of the time", async () => {
		const { kept, pass, reads } = open();
		kept.keepReady(new AbortController().signal);
		await pass(3_600_000);
		expect(reads.length).toBe(Math.ceil(3_600_000 / (900 + 20 * 200)));
		expect(await kept.get()).toBe(reads.length);
		await pass(3_000);
		expect(await kept.get()).toBe(reads.length);
		expect(reads).not.toContain("asked");
	});

	it("is checked occasionally until it is worth caching, and again after a failure", async () => {
		const { kept, pass, reads, state } = open();
		state.few = true;
		kept.keepReady(new AbortController().signal);
		await pass(60_000);
		expect(reads).toEqual([]);
		state.few = false;
		await pass(10_000);
		expect(reads[0]).toBe("behind");
		state.away = true;
		await pass(20_000);
		const before = reads.length;
		state.away = false;
		await pass(10_000);
		expect(reads.length).toBeGreaterThan(before);
	});

	it("ends with its signal", async () => {
		const { kept, pass, reads, timers } = open();
		const end = new AbortController();
		kept.keepReady(end.signal);
		await pass(10_000);
		end.abort();
		const before = reads.length;
		await pass(3_600_000);
		expect([reads.length, timers]).toEqual([before, []]);
	});
});
