import { expect, it } from "vitest";
import { aStart, type ClusterHarness, find, READY, readAll, untilPhase, untilPrinted, untilStopped } from "./cluster-harness.ts";

export function restartCases(site: () => ClusterHarness): void {
	it("finds a running attempt with its slots and start time", async () => {
		const h = site();
		const request = aStart(h, untilStopped(), { slots: [2] });
		await h.driver.start(request);
		const before = await untilPhase(h, request.attemptId, "running");
		const next = await h.restart();
		expect(await find(next, request.attemptId)).toEqual(before);
	});

	it("does not start it twice when the start is repeated", async () => {
		const h = site();
		const request = aStart(h, untilStopped());
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		const next = await h.restart();
		await next.start(request);
		await next.stop(request.attemptId, 60_000);
		await untilPhase(h, request.attemptId, "exited", next);
		expect((await readAll(next, request.attemptId)).filter((l) => l.text === READY)).toHaveLength(1);
	});

	it("rejects other attempts on its slots", async () => {
		const h = site();
		const request = aStart(h, untilStopped());
		await h.driver.start(request);
		const next = await h.restart();
		await expect(next.start(aStart(h, { end: { code: 0 } }))).rejects.toMatchObject({ kind: "insufficient_capacity" });
	});

	it("stops an attempt that an earlier driver started", async () => {
		const h = site();
		const request = aStart(h, untilStopped({ exitCode: 9 }));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		const next = await h.restart();
		await next.stop(request.attemptId, 60_000);
		expect((await untilPhase(h, request.attemptId, "exited", next)).exit?.code).toBe(9);
	});

	it("reports an end that happened while no driver ran", async () => {
		const h = site();
		const request = aStart(h, { end: { code: 4 } });
		await h.driver.start(request);
		const next = await h.restart();
		expect((await untilPhase(h, request.attemptId, "exited", next)).exit?.code).toBe(4);
	});
}
