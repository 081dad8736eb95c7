import { describe, expect, it } from "vitest";
import { KeptMoment } from "./kept-moment.ts";

/** Moments are numbered as they are read; a timer fires as its time is passed. */
function open({ isWorth = true } = {}) {
	let nowMs = 0;
	const timers: { atMs: number; run: () => void }[] = [];
	const reads: string[] = [];
	const failing = { behind: false };
	const kept = new KeptMoment<number>({
		read: async () => reads.push("asked"),
		readBehind: async () => {
			if (failing.behind) throw new Error("the database is away");
			return reads.push("behind");
		},
		isWorth: () => isWorth,
		nowMs: () => nowMs,
		later: (run, inMs) => timers.push({ atMs: nowMs + inMs, run }),
		...{ maxAgeMs: 3_000, renewMs: 1_500, askedMs: 30_000 },
	});
	const pass = async (ms: number): Promise<void> => {
		const untilMs = nowMs + ms;
		for (;;) {
			timers.sort((a, b) => a.atMs - b.atMs);
			const next = timers[0];
			if (!next || next.atMs > untilMs) break;
			timers.shift();
			nowMs = next.atMs;
			next.run();
			await new Promise((resolve) => setImmediate(resolve));
		}
		nowMs = untilMs;
	};
	return { kept, pass, reads, timers, failing, stall: (ms: number) => (nowMs += ms) };
}

describe("a moment that is kept", () => {
	it("is renewed behind the answers for half a minute after the last question, and then nothing is done any more", async () => {
		const { kept, pass, reads, timers } = open();
		expect(await kept.get()).toBe(1);
		await pass(1_400);
		expect(await kept.get()).toBe(1);
		await pass(200);
		expect(await kept.get()).toBe(2);
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

	it("is never answered from when it is older than three seconds, whatever kept the renewal", async () => {
		const { kept, reads, stall } = open();
		await kept.get();
		stall(3_000);
		expect(await kept.get()).toBe(1);
		stall(1);
		expect(await kept.get()).toBe(2);
		expect(reads).toEqual(["asked", "asked"]);
	});

	it("is one moment for all who ask while it is renewed", async () => {
		const { kept, reads, timers, stall } = open();
		await kept.get();
		stall(3_001);
		timers.shift()?.run();
		expect(await Promise.all([kept.get(), kept.get()])).toEqual([2, 2]);
		expect(reads).toEqual(["asked", "behind"]);
	});

	it("is read for each question where reading is cheap, and nothing is done behind it", async () => {
		const { kept, timers, reads } = open({ isWorth: false });
		expect([await kept.get(), await kept.get()]).toEqual([1, 2]);
		expect([reads, timers]).toEqual([["asked", "asked"], []]);
	});

	it("is forgotten when it cannot be renewed: who asks next reads it, and hears why not", async () => {
		const { kept, pass, failing, reads, timers } = open();
		await kept.get();
		failing.behind = true;
		await pass(1_600);
		expect(timers).toEqual([]);
		expect(await kept.get()).toBe(2);
		expect(reads).toEqual(["asked", "asked"]);
	});
});
