import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { ANY_SOURCE, learnLinkSpeed, linkKey, UNKNOWN_LINK } from "./link-speed.ts";
import { aJob, anOffer, aPolicy, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import type { PendingJob } from "./types.ts";

const MIB = 1024 ** 2;
const set = (sizeGiB: number): DataRef => ({ uri: "s3://acme/set", sizeGiB, mount: "/data", residency: [] });

/** The explained decision for one job with data, over a link with these measured transfers. */
function decideWith(job: PendingJob, transfers: { bytes: number; ms: number }[], lifeMs = 24 * HOUR_MS) {
	const offer = anOffer({ region: "us-east-1" });
	const link = learnLinkSpeed(transfers.map((transfer) => ({ ...transfer, atMs: NOON_MS })));
	const links = link.transfers === 0 ? new Map() : new Map([[linkKey(ANY_SOURCE, "aws:us-east-1"), link]]);
	const snapshot = aSnapshot({
		pools: [],
		offers: [offer],
		pending: [job],
		data: { replicas: new Map(), inboundMiBPerS: new Map(), links, unknownLink: UNKNOWN_LINK },
		policy: aPolicy({
			rules: [
				["burst", null, burstRule({ always: true })],
				["life", null, { kind: "limit", instanceMs: lifeMs, idleMs: null, gpuUtilisationBelow: null }],
			],
		}),
	});
	const [explanation] = decide(snapshot, { explain: new Set([job.jobId]) }).explanations;
	return {
		candidates: explanation?.candidates.filter(({ offerId }) => offerId !== null) ?? [],
		removal: explanation?.removed.find(({ why }) => why === "data_too_slow")?.cheapest?.removedBy ?? null,
	};
}

describe("the speed of a link", () => {
	it("starts from published figures, and learns nothing from 1 MiB", () => {
		expect(learnLinkSpeed([{ bytes: MIB, ms: 1_250, atMs: NOON_MS }])).toEqual(UNKNOWN_LINK);
		expect(learnLinkSpeed([{ bytes: 64 * MIB, ms: 4_999, atMs: NOON_MS }])).toEqual(UNKNOWN_LINK);
		expect(UNKNOWN_LINK).toMatchObject({ transfers: 0, newestAtMs: null, mibPerS: expect.closeTo(92) });
	});

	it("moves to the measured speed, with a smaller spread after each equal transfer", () => {
		const at200 = (count: number) =>
			learnLinkSpeed(Array.from({ length: count }, (_, i) => ({ bytes: 2_000 * MIB, ms: 10_000, atMs: NOON_MS + i })));
		expect(at200(50).mibPerS).toBeCloseTo(197, 0);
		expect(at200(50)).toMatchObject({ transfers: 50, newestAtMs: NOON_MS + 49 });
		const spread = (count: number) => at200(count).highMiBPerS / at200(count).lowMiBPerS;
		expect(spread(50)).toBeLessThan(spread(5));
	});

	it("quotes 200 GiB after a transfer of 1 MB by published figures, as a range, and the maximum covers its slow end", () => {
		const job = aJob("a").estimate(HOUR_MS).data(set(200)).build();
		const [candidate] = decideWith(job, [{ bytes: 1_000_000, ms: 1_200 }]).candidates;
		const staging = candidate?.staging ?? { lowMs: 0, expectedMs: 0, highMs: 0 };
		expect(staging.expectedMs / MINUTE_MS).toBeCloseTo(37, 0);
		expect(staging.lowMs).toBeLessThan(staging.expectedMs);
		expect(staging.highMs).toBeGreaterThan(staging.expectedMs);
		expect(BigInt(candidate?.worstCaseMicroUsd ?? 0)).toBeGreaterThan(BigInt(candidate?.totalMicroUsd ?? 0));
	});

	it("never shows a maximum below the expected value", () => {
		const transfer = fc.record({ bytes: fc.integer({ min: 1, max: 2 ** 40 }), ms: fc.integer({ min: 1, max: 10 * HOUR_MS }) });
		const job = fc.record({
			estimateMs: fc.option(fc.integer({ min: MINUTE_MS, max: 48 * HOUR_MS }), { nil: null }),
			gib: fc.integer({ min: 0, max: 5_000 }),
			checkpointMs: fc.option(fc.integer({ min: MINUTE_MS, max: HOUR_MS }), { nil: null }),
		});
		fc.assert(
			fc.property(
				fc.array(transfer, { maxLength: 5 }),
				job,
				fc.integer({ min: MINUTE_MS, max: 48 * HOUR_MS }),
				(transfers, drawn, lifeMs) => {
					const built = aJob("a").data(set(drawn.gib)).build();
					const checkpoint = drawn.checkpointMs === null ? null : { path: "c", intervalMs: drawn.checkpointMs };
					const duration = { estimateMs: drawn.estimateMs, maxMs: null };
					const { candidates } = decideWith({ ...built, spec: { ...built.spec, duration, checkpoint } }, transfers, lifeMs);
					for (const { worstCaseMicroUsd, totalMicroUsd, staging } of candidates) {
						expect(BigInt(worstCaseMicroUsd)).toBeGreaterThanOrEqual(BigInt(totalMicroUsd));
						if (staging) expect([staging.lowMs <= staging.expectedMs, staging.expectedMs <= staging.highMs]).toEqual([true, true]);
					}
				},
			),
			{ numRuns: cases(60, 1_000) },
		);
	});
});

describe("data that cannot be staged in time", () => {
	it("excludes a place where staging and the run do not fit into an instance's life", () => {
		const { removal } = decideWith(aJob("a").estimate(HOUR_MS).data(set(4_000)).build(), [], 8 * HOUR_MS);
		expect(removal && removalSentenceOf(removal)).toMatch(
			/^Copying the job's data there takes 12 ?h.*into the lifetime of an instance \(8 ?h\)/,
		);
		expect(decideWith(aJob("a").estimate(HOUR_MS).data(set(200)).build(), []).removal).toBeNull();
	});

	it("excludes a place where even fast staging misses the deadline that the run alone meets", () => {
		const job = aJob("a").estimate(HOUR_MS).data(set(4_000)).build();
		const due = (ms: number): PendingJob => ({ ...job, spec: { ...job.spec, deadlineMs: NOON_MS + ms } });
		const long = 400 * HOUR_MS;
		const { removal } = decideWith(due(2 * HOUR_MS), [], long);
		expect(removal && removalSentenceOf(removal)).toContain("before the job's deadline");
		expect(decideWith(due(300 * HOUR_MS), [], long).removal).toBeNull();
	});
});
