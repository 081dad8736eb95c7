import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GpuMinutes, parseReading } from "./gpu-minutes.ts";
import { sampleGpus } from "./gpu-sampler.ts";

const MINUTE = 60_000;

describe("readings of nvidia-smi", () => {
	it.each([
		["0, 97, 412.50", { index: 0, utilisationPercent: 97, watts: 412.5 }],
		["7, 0, [N/A]", { index: 7, utilisationPercent: 0, watts: null }],
		["NVIDIA-SMI has failed", null],
		["0, [N/A], 30.00", null],
		["", null],
	])("%j", (line, reading) => expect(parseReading(line)).toEqual(reading));

	it("are gathered by minute: two GPUs at 100 % and 50 %, 400 W and 200 W, are 75 % and 600 W", () => {
		const minutes = new GpuMinutes(10);
		for (const at of [5_000, 35_000]) {
			minutes.add({ index: 0, utilisationPercent: 100, watts: 400 }, at);
			minutes.add({ index: 1, utilisationPercent: 50, watts: 200 }, at);
		}
		expect(minutes.complete(9)).toEqual([]);
		minutes.add({ index: 0, utilisationPercent: 0, watts: 50 }, MINUTE);
		expect(minutes.complete(9)).toEqual([{ minuteMs: 0, gpus: 2, utilisationPermille: 750, milliwatts: 600_000 }]);
		minutes.forget(minutes.complete(9));
		expect(minutes.complete(9)).toEqual([]);
	});

	it("without watts of every reading have no power, and while reports fail the oldest minutes are dropped", () => {
		const minutes = new GpuMinutes(2);
		for (let i = 0; i < 6; i++) minutes.add({ index: 0, utilisationPercent: 10, watts: i === 4 ? null : 100 }, i * MINUTE);
		expect(minutes.complete(9).map((m) => [m.minuteMs / MINUTE, m.milliwatts])).toEqual([
			[3, 100_000],
			[4, null],
		]);
	});
});

describe("the sampler", () => {
	it("reads what the command prints until it is asked to end", async () => {
		const file = path.join(mkdtempSync(path.join(os.tmpdir(), "spillway-smi-")), "nvidia-smi");
		writeFileSync(file, '#!/bin/sh\necho "0, 80, 300.00"\necho "1, 60, 200.00"\nexec sleep 60\n');
		chmodSync(file, 0o755);
		const minutes = new GpuMinutes(5);
		const over = new AbortController();
		let readings = 0;
		const nowMs = (): number => {
			if (++readings === 2) setImmediate(() => over.abort());
			return 0;
		};
		await sampleGpus(minutes, { nowMs, signal: over.signal, log: () => {}, command: file });
		minutes.add({ index: 0, utilisationPercent: 0, watts: 1 }, MINUTE);
		expect(minutes.complete(1)).toEqual([{ minuteMs: 0, gpus: 2, utilisationPermille: 700, milliwatts: 500_000 }]);
	});

	it("ends at once where there is no such command, and says so", async () => {
		const said: string[] = [];
		const { signal } = new AbortController();
		await sampleGpus(new GpuMinutes(5), { nowMs: () => 0, signal, log: (text) => said.push(text), command: "/nonexistent/nvidia-smi" });
		expect(said.join()).toContain("not measured");
	});
});
