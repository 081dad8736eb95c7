import { expect, it } from "vitest";
import { bootTimeMs, Lease } from "./lease.ts";

it("is over from the start, and counts from the moment in which the beat was sent", () => {
	const lease = new Lease(10_000);
	expect(lease.isValid).toBe(false);
	const sentAtMs = bootTimeMs() - 4_000;
	lease.renew(sentAtMs);
	expect(lease.untilMs).toBe(sentAtMs + 10_000);
	expect(lease.isValid).toBe(true);
	lease.renew(sentAtMs - 20_000);
	expect(lease.untilMs).toBe(sentAtMs + 10_000);
});

it("is not begun by the answer of a beat that was sent too long ago", () => {
	const lease = new Lease(1_000);
	lease.renew(bootTimeMs() - 1_000);
	expect(lease.isValid).toBe(false);
});

it("is waited for no longer than the job is wanted", async () => {
	const lease = new Lease(1_000);
	const stop = new AbortController();
	const waiting = lease.untilValid(stop.signal);
	stop.abort(new Error("asked to stop"));
	await expect(waiting).rejects.toThrow("asked to stop");
	lease.renew(bootTimeMs());
	await lease.untilValid(new AbortController().signal);
});

it("goes by a clock that all processes of a machine share and no one puts", () => {
	const before = bootTimeMs();
	expect(bootTimeMs()).toBeGreaterThanOrEqual(before);
	// Not a process's own: the test began long after the computer did.
	expect(before).toBeGreaterThan(performance.now());
});
