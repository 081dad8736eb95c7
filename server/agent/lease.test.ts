import { expect, it } from "vitest";
import { bootTimeMs, Lease } from "./lease.ts";

it("is expired at first, and counts from the time the beat was sent", () => {
	const lease = new Lease(10_000);
	expect(lease.isValid).toBe(false);
	const sentAtMs = bootTimeMs() - 4_000;
	lease.renew(sentAtMs);
	expect(lease.untilMs).toBe(sentAtMs + 10_000);
	expect(lease.isValid).toBe(true);
	lease.renew(sentAtMs - 20_000);
	expect(lease.untilMs).toBe(sentAtMs + 10_000);
});

it("is not started by the response to a beat that was sent too long ago", () => {
	const lease = new Lease(1_000);
	lease.renew(bootTimeMs() - 1_000);
	expect(lease.isValid).toBe(false);
});

it("is awaited only until the signal is aborted", async () => {
	const lease = new Lease(1_000);
	const stop = new AbortController();
	const waiting = lease.untilValid(stop.signal);
	stop.abort(new Error("asked to stop"));
	await expect(waiting).rejects.toThrow("asked to stop");
	lease.renew(bootTimeMs());
	await lease.untilValid(new AbortController().signal);
});

it("uses a clock that all processes of a machine share and that cannot be set", () => {
	const before = bootTimeMs();
	expect(bootTimeMs()).toBeGreaterThanOrEqual(before);
	// It is not the process's own clock: the test started long after the computer did.
	expect(before).toBeGreaterThan(performance.now());
});
