import { expect, it } from "vitest";
import { aStart, type ClusterHarness, eventually, find, READY, untilPhase, untilPrinted, untilStopped } from "./cluster-harness.ts";

export function stopCases(site: () => ClusterHarness): void {
	it("ignores an attempt that is unknown or has ended", async () => {
		const h = site();
		await h.driver.stop("att_unknown_001", 1_000);
		const request = aStart(h, { end: { code: 3 } });
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		await h.driver.stop(request.attemptId, 0);
		expect((await find(h.driver, request.attemptId))?.exit?.code).toBe(3);
	});

	it("sends SIGTERM and reports the job's own exit code", async () => {
		const h = site();
		const request = aStart(h, untilStopped({ exitCode: 7 }));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 60_000);
		await h.driver.stop(request.attemptId, 60_000);
		expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: 7, signal: null, error: null });
	});

	it("reports SIGTERM for a job that does not handle it", async () => {
		const h = site();
		const request = aStart(h, untilStopped("die"));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 60_000);
		expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: null, signal: "SIGTERM", error: null });
	});

	it("kills a job that ignores SIGTERM after the grace period, not before", async () => {
		const h = site();
		const graceMs = 300;
		const request = aStart(h, untilStopped("ignore"));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		const askedAtMs = h.nowMs();
		await h.driver.stop(request.attemptId, graceMs);
		expect((await find(h.driver, request.attemptId))?.phase).toBe("stopping");
		const ended = await untilPhase(h, request.attemptId, "exited");
		expect(ended.exit).toEqual({ code: null, signal: "SIGKILL", error: null });
		expect((ended.finishedAtMs ?? 0) - askedAtMs).toBeGreaterThanOrEqual(graceMs - (h.features.timeStepMs ?? 10));
	});

	it("shortens the grace period when a repeated stop asks for less", async () => {
		const h = site();
		const request = aStart(h, untilStopped("ignore"));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 3_600_000);
		await h.driver.stop(request.attemptId, 0);
		expect((await untilPhase(h, request.attemptId, "exited")).exit?.signal).toBe("SIGKILL");
	});

	it("stops an attempt immediately after its start", async () => {
		const h = site();
		const request = aStart(h, untilStopped("die"));
		await h.driver.start(request);
		await h.driver.stop(request.attemptId, 60_000);
		expect((await untilPhase(h, request.attemptId, "exited")).exit?.signal).toBe("SIGTERM");
	});

	it("calls subscribers on changes, if the driver supports it, until they unsubscribe", async (context) => {
		const h = site();
		if (!h.driver.capabilities.pushesChanges) context.skip("this site does not have it");
		let calls = 0;
		const unsubscribe = h.driver.subscribe(() => {
			calls += 1;
		});
		const request = aStart(h, untilStopped("die"));
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		await eventually(h, "the start was called back", async () => calls > 0);
		calls = 0;
		await h.driver.stop(request.attemptId, 60_000);
		await eventually(h, "the end was called back", async () => calls > 0 && (await find(h.driver, request.attemptId))?.phase === "exited");
		unsubscribe();
		calls = 0;
		const next = aStart(h, { end: { code: 0 } });
		await h.driver.start(next);
		await untilPhase(h, next.attemptId, "exited");
		expect(calls).toBe(0);
	});

	it("leaves jobs running when it is closed without a stop", async () => {
		const h = site();
		const request = aStart(h, untilStopped());
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "running");
		await h.driver.close({ stopJobs: false, graceMs: 0 });
		const next = await h.restart();
		expect(await find(next, request.attemptId)).toMatchObject({ phase: "running" });
	});

	it("stops jobs with their grace period when it is closed with a stop", async () => {
		const h = site();
		const polite = aStart(h, untilStopped({ exitCode: 5 }));
		const deaf = aStart(h, untilStopped("ignore"), { slots: [1] });
		await h.driver.start(polite);
		await h.driver.start(deaf);
		await untilPrinted(h, polite.attemptId, READY);
		await untilPrinted(h, deaf.attemptId, READY);
		await h.driver.close({ stopJobs: true, graceMs: 100 });
		const next = await h.restart();
		expect((await untilPhase(h, polite.attemptId, "exited", next)).exit?.code).toBe(5);
		expect((await untilPhase(h, deaf.attemptId, "exited", next)).exit?.signal).toBe("SIGKILL");
	});
}
