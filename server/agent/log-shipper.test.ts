import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LogShipper, takeBatch } from "./log-shipper.ts";
import { AGENT_LIMITS, type LogsAnswer, type LogsRequest } from "./protocol.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-shipper-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Stores lines as the control plane does: skips lines that it has and rejects a gap. */
class Store {
	lines: string[] = [];
	/** How many lines of a call it stores before it responds; null: all. */
	takes: number | null = null;

	answer({ firstNumber, lines }: LogsRequest): LogsAnswer {
		expect(firstNumber).toBeLessThanOrEqual(this.lines.length + 1);
		const fresh = lines.slice(this.lines.length - (firstNumber - 1));
		this.lines.push(...fresh.slice(0, this.takes ?? fresh.length).map((l) => l.text));
		return { stored: this.lines.length, full: false };
	}
}

function newShipper(
	send: (r: LogsRequest) => Promise<LogsAnswer>,
	limits: { memoryBytesMax?: number; spillBytesMax?: number } = {},
): LogShipper {
	return new LogShipper({
		send,
		nowMs: () => 0,
		mask: (line) => line,
		spillFile: path.join(folder, `${++files}.jsonl`),
		memoryBytesMax: 1_000_000,
		spillBytesMax: 1_000_000,
		...limits,
	});
}

const finish = (shipper: LogShipper) => shipper.run(new AbortController().signal, { untilIdle: () => true });

describe("LogShipper", () => {
	it("delivers every line once and in order, however small the memory and however much of each call is stored", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.string({ maxLength: 80 }), { maxLength: 120 }),
				fc.integer({ min: 1, max: 5_000 }),
				fc.option(fc.integer({ min: 1, max: 7 })),
				async (lines, memoryBytesMax, takes) => {
					const store = new Store();
					store.takes = takes;
					const shipper = newShipper(async (r) => store.answer(r), { memoryBytesMax });
					const half = Math.floor(lines.length / 2);
					for (const line of lines.slice(0, half)) shipper.add("stdout", line);
					await finish(shipper);
					for (const line of lines.slice(half)) shipper.add("stdout", line);
					await finish(shipper);
					expect(store.lines).toEqual(lines);
					expect(shipper.idle).toBe(true);
					shipper.close();
				},
			),
			{ numRuns: 50 },
		);
	});

	it("asks the producer to pause when memory and disk are full, and calls back when there is room", async () => {
		const store = new Store();
		const shipper = newShipper(async (r) => store.answer(r), { memoryBytesMax: 1_000, spillBytesMax: 2_000 });
		let room = 0;
		shipper.onRoom(() => room++);
		let added = 0;
		while (!shipper.full && added < 1_000) shipper.add("stdout", `line ${++added}`);
		expect(added).toBeLessThan(100);
		await finish(shipper);
		expect([shipper.full, room > 0, store.lines.length]).toEqual([false, true, added]);
		shipper.close();
	});

	it("drops lines after the control plane has reported that it is full", async () => {
		let calls = 0;
		const shipper = newShipper(async () => ({ stored: ++calls, full: true }), { memoryBytesMax: 500 });
		for (let i = 0; i < 100; i++) shipper.add("stdout", "x");
		await finish(shipper);
		shipper.add("stdout", "later");
		await finish(shipper);
		expect([calls, shipper.idle, shipper.full]).toEqual([1, true, false]);
		shipper.close();
	});
});

describe("takeBatch", () => {
	const line = (text: string) => ({ atMs: 0, stream: "stdout" as const, text });

	it("stays within the limits of one call", () => {
		expect(takeBatch(Array.from({ length: 5_000 }, () => line("x")))).toHaveLength(AGENT_LIMITS.logLinesPerCall);
		const large = takeBatch(Array.from({ length: 100 }, () => line("é".repeat(8_192))));
		expect(large).toHaveLength(AGENT_LIMITS.logBytesPerCall / 16_384);
	});

	it("takes at least one line, so that none can block the others", () => {
		expect(takeBatch([line("x".repeat(AGENT_LIMITS.logBytesPerCall + 1)), line("y")])).toHaveLength(1);
	});
});
