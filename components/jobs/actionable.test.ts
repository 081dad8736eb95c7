import { expect, it } from "vitest";
import { canHold, isHeldByPerson, isStuck, isWaiting } from "./actionable.ts";

const job = (
	state: "queued" | "held" | "running" | "failed",
	code: Parameters<typeof canHold>[0]["reason"]["code"] = "submitted",
	rest: { cancelRequestedAt?: string } = {},
) => ({
	...{ state, reason: { code }, cancelRequestedAt: null, finishedAt: state === "failed" ? "2026-11-29T12:00:00Z" : null },
	...rest,
});
const actionsOf = (one: Parameters<typeof canHold>[0]) => ({
	...{ waits: isWaiting(one), hold: canHold(one), release: isHeldByPerson(one), resume: isStuck(one) },
});

it("offers one of hold and release for a waiting job", () => {
	expect(actionsOf(job("queued"))).toEqual({ waits: true, hold: true, release: false, resume: false });
	expect(actionsOf(job("held", "held_by_person"))).toEqual({ waits: true, hold: false, release: true, resume: false });
});

it("lets a person also hold a job that a budget holds or that is stuck", () => {
	expect(actionsOf(job("held", "budget_exceeded"))).toEqual({ waits: true, hold: true, release: false, resume: false });
	expect(actionsOf(job("held", "no_progress"))).toEqual({ waits: true, hold: true, release: false, resume: true });
});

it("offers none for jobs that run, have ended or are being cancelled", () => {
	const none = { waits: false, hold: false, release: false, resume: false };
	expect(actionsOf(job("running"))).toEqual(none);
	expect(actionsOf(job("failed"))).toEqual(none);
	expect(actionsOf(job("queued", "submitted", { cancelRequestedAt: "2026-11-29T12:00:00Z" }))).toEqual(none);
});
