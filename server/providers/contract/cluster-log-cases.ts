import { expect, it } from "vitest";
import { aStart, type ClusterHarness, READY, readAll, untilPhase, untilPrinted } from "./cluster-harness.ts";

const NOTHING = { stdout: 0, stderr: 0 };

export function logCases(site: () => ClusterHarness): void {
	it("has no logs for an unknown attempt", async () => {
		expect(await site().driver.readLogs("att_unknown_001", NOTHING, 1_000)).toEqual({ lines: [], cursor: NOTHING });
	});

	it("continues from a cursor without lost or repeated lines", async () => {
		const h = site();
		const stdout = Array.from({ length: 60 }, (_, i) => `out ${i} é`);
		const stderr = Array.from({ length: 40 }, (_, i) => `err ${i}`);
		const request = aStart(h, { print: { stdout, stderr }, end: { code: 0 } });
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		const lines = await readAll(h.driver, request.attemptId, 64);
		const of = (stream: "stdout" | "stderr") => {
			const texts = lines.filter((l) => l.stream === ((h.features.separateStreams ?? true) ? stream : "stdout")).map((l) => l.text);
			return h.features.separateStreams === false ? texts.filter((text) => text.startsWith(stream.slice(3))) : texts;
		};
		expect(of("stdout")).toEqual(stdout);
		expect(of("stderr")).toEqual(stderr);
		expect(lines).toHaveLength(stdout.length + stderr.length);
	});

	it("reads while the job runs; an old cursor remains valid", async () => {
		const h = site();
		const request = aStart(h, { print: { stdout: ["a", READY] }, end: null });
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		const first = await h.driver.readLogs(request.attemptId, NOTHING, 10_000);
		expect(first.lines.map((l) => [l.stream, l.text])).toEqual([
			["stdout", "a"],
			["stdout", READY],
		]);
		expect(first.lines.every((l) => Math.abs(l.atMs - h.nowMs()) < 3_600_000)).toBe(true);
		expect(await h.driver.readLogs(request.attemptId, first.cursor, 10_000)).toEqual({ lines: [], cursor: first.cursor });
		expect((await h.driver.readLogs(request.attemptId, NOTHING, 10_000)).cursor).toEqual(first.cursor);
	});

	it("keeps logs after the end, readable by a new driver from the same cursor", async () => {
		const h = site();
		const request = aStart(h, { print: { stdout: ["one", "two"] }, end: { code: 1 } });
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		const { cursor } = await h.driver.readLogs(request.attemptId, NOTHING, 10_000);
		const next = await h.restart();
		expect((await next.readLogs(request.attemptId, cursor, 10_000)).lines).toEqual([]);
		expect((await readAll(next, request.attemptId)).map((l) => l.text)).toEqual(["one", "two"]);
	});
}
