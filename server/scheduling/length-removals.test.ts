import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aSnapshot, burstRule } from "./testing/builders.ts";
import type { PendingJob } from "./types.ts";

const BURST: [string, string | null, RuleEffect] = ["burst", null, burstRule({ always: true })];

/** The decision for a job on instances with this maximum life. */
function decideWith(life: number, job: PendingJob) {
	const limit: RuleEffect = { kind: "limit", instanceMs: life, idleMs: null, gpuUtilisationBelow: null };
	const snapshot = aSnapshot({
		pools: [],
		offers: [anOffer()],
		policy: aPolicy({ rules: [BURST, ["life", null, limit]] }),
		pending: [job],
	});
	const { actions, explanations } = decide(snapshot, { explain: new Set([job.jobId]) });
	const removed = explanations[0]?.removed.find((r) => r.why === "life_too_short");
	return { launches: actions.some((a) => a.kind === "launch"), removal: removed?.cheapest?.removedBy ?? null };
}

const anHour = aJob("a").estimate(HOUR_MS);
const saving = (everyMs: number): PendingJob => {
	const job = anHour.build();
	return { ...job, spec: { ...job.spec, checkpoint: { path: "c", intervalMs: everyMs } } };
};

describe("the life of an instance", () => {
	it("excludes the offer when it ends before the job, and the sentence gives the missing time", () => {
		const { launches, removal } = decideWith(6 * MINUTE_MS, anHour.build());
		expect(launches).toBe(false);
		expect(removal && removalSentenceOf(removal)).toMatch(
			/^The instance lifetime of 6 ?m.* is too short for the job to finish: it needs 1 ?h/,
		);
	});

	it("excludes nothing when it is long enough for the expected run", () => {
		expect(decideWith(2 * HOUR_MS, anHour.build())).toEqual({ launches: true, removal: null });
	});

	it("may be shorter than the run when each life reaches a checkpoint", () => {
		expect(decideWith(30 * MINUTE_MS, saving(10 * MINUTE_MS))).toEqual({ launches: true, removal: null });
		const { launches, removal } = decideWith(6 * MINUTE_MS, saving(10 * MINUTE_MS));
		expect(launches).toBe(false);
		expect(removal && removalSentenceOf(removal)).toContain("too short for the job to reach its next checkpoint");
	});

	it("does not exclude a job with an unknown run time", () => {
		const job = anHour.build();
		const unknown = { ...job, spec: { ...job.spec, duration: { estimateMs: null, maxMs: null } } };
		expect(decideWith(6 * MINUTE_MS, unknown).removal).toBeNull();
	});
});
