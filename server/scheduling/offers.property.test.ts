import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Offer } from "#server/domain/capacity.ts";
import type { CapRule } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import { leastScores } from "./best-offer.ts";
import { scoreOf } from "./cost.ts";
import { decide } from "./decide.ts";
import { emptyRecord, withHours, withInterruption, withRefusal } from "./records.ts";
import { areasOf } from "./residency.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, denyRule, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { Action, OfferRecord, PendingJob, Snapshot } from "./types.ts";

/** Snapshots without running jobs at home, with offers that vary in every field. */

const rarely = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
	fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: of });

const record: fc.Arbitrary<OfferRecord> = fc
	.record({ interruptions: fc.nat(6), hours: fc.nat(40), refusals: fc.nat(4), agoMs: fc.nat(3 * HOUR_MS) })
	.map(({ interruptions, hours, refusals, agoMs }) => {
		const atMs = NOON_MS - agoMs;
		let r = withHours(emptyRecord(atMs), hours, atMs);
		for (let i = 0; i < interruptions; i++) r = withInterruption(r, atMs);
		for (let i = 0; i < refusals; i++) r = withRefusal(r, atMs);
		return r;
	});

/** A quota that counts cores of several models, with 30 free in each region: 5 GPUs with 6 cores each. */
const CORES = { name: "cores", unit: "cores", limit: 100, used: 70 } as const;
const CORES_FREE = CORES.limit - CORES.used;

/** Free machines of the one commitment, which several offers share. */
const COMMITTED_FREE = 3;

const offer = fc
	.record({
		region: fc.constantFrom("us-east-1", "eu-west-1", "eu-west-2", "nowhere-1"),
		instanceType: fc.constantFrom("g5.xlarge", "p4d.24xlarge"),
		gpus: fc.constantFrom(1, 4, 8),
		capacityType: fc.constantFrom("on_demand" as const, "spot" as const, "reserved" as const),
		usd: fc.option(fc.integer({ min: 0, max: 12 }).map(String), { freq: 8 }),
		observedHoursAgo: fc.nat(30),
		gangs: fc.boolean(),
		reservedFree: fc.option(fc.nat(4)),
		ofCommitment: fc.boolean(),
		quotaGpusFree: rarely(fc.nat(24)),
		inCores: rarely(fc.constantFrom("us-east-1", "eu-west-1")),
		availableForMs: rarely(fc.nat(12 * HOUR_MS)),
		billedMinimumMs: fc.constantFrom(0, MINUTE_MS),
		gridGramsPerKwh: fc.option(fc.integer({ min: 0, max: 900 })),
		onDemand: rarely(fc.integer({ min: 1, max: 12 })),
	})
	.map(({ observedHoursAgo, availableForMs, onDemand, ofCommitment, inCores, ...o }) =>
		anOffer({
			...o,
			...(inCores !== null && { quota: CORES, region: inCores, vcpus: o.gpus * 6, quotaGpusFree: CORES_FREE / 6 }),
			...(o.capacityType === "reserved" && ofCommitment && { commitmentId: "cr-1", reservedFree: COMMITTED_FREE }),
			priceObservedAtMs: NOON_MS - observedHoursAgo * HOUR_MS,
			availableUntilMs: availableForMs === null ? null : NOON_MS + availableForMs,
			onDemandMicroUsdPerHour: onDemand === null ? null : usdToMicro(onDemand),
		}),
	);

const job = fc
	.record({
		team: fc.constantFrom("risk", "vision"),
		gpus: fc.integer({ min: 1, max: 8 }),
		nodes: fc.constantFrom(1, 1, 2, 3),
		estimateMs: fc.integer({ min: 1, max: 20 }).map((n) => n * 30 * MINUTE_MS),
		maxMs: rarely(fc.integer({ min: 1, max: 20 }).map((n) => n * HOUR_MS)),
		checkpoints: fc.boolean(),
		checkpointGiB: fc.constantFrom(undefined, 0.001, 3),
		residency: fc.constantFrom<string[]>([], [], ["eu"], ["us", "uk"]),
		sizeGiB: fc.option(fc.nat(2000)),
	})
	.map((j) => j);

const caps = fc
	.record({
		burnUsd: rarely(fc.integer({ min: 0, max: 60 })),
		machines: rarely(fc.nat(6)),
		egressGiB: rarely(fc.nat(3000)),
	})
	.map(({ burnUsd, machines, egressGiB }): CapRule[] => [
		...(burnUsd === null ? [] : [{ id: "burn", scope: "true", line: 1, kind: "burn_rate" as const, microUsdPerHour: usdToMicro(burnUsd) }]),
		...(machines === null ? [] : [{ id: "machines", scope: 'job.team == "risk"', line: 2, kind: "instances" as const, count: machines }]),
		...(egressGiB === null
			? []
			: [{ id: "egress", scope: "true", line: 3, kind: "egress" as const, period: "month" as const, gib: egressGiB }]),
	]);

const anyCloud: fc.Arbitrary<Snapshot> = fc
	.record({
		offers: fc.uniqueArray(offer, { maxLength: 14, selector: (o) => o.id }),
		records: fc.option(fc.array(record, { minLength: 14, maxLength: 14 })),
		jobs: fc.array(job, { minLength: 1, maxLength: 8 }),
		caps,
		capUsd: fc.integer({ min: 0, max: 1500 }),
		weights: fc.record({ delay: fc.nat(20), carbon: fc.nat(300) }),
		deny: fc.subarray(["aws:eu-*", "aws:us-east-1"], { maxLength: 1 }),
		outGiB: fc.constantFrom(0, 20),
		costAtMost: rarely(fc.integer({ min: 0, max: 80 })),
		seen: fc.boolean(),
	})
	.map((s) => {
		const pending = s.jobs.map((j, i): PendingJob => {
			const built = aJob(`j${i}`)
				.team(j.team)
				.gpus(j.gpus)
				.nodes(j.nodes)
				.waited(100 - i)
				.build();
			const data = j.residency.length > 0 ? [{ uri: `s3://set/${i}`, sizeGiB: j.sizeGiB, mount: "/d", residency: j.residency }] : [];
			const checkpoint = j.checkpoints ? { path: "/c", intervalMs: 15 * MINUTE_MS } : null;
			const size = j.checkpointGiB === undefined ? {} : { checkpointGiB: j.checkpointGiB };
			return { ...built, ...size, spec: { ...built.spec, data, checkpoint, duration: { estimateMs: j.estimateMs, maxMs: j.maxMs } } };
		});
		const { records } = s;
		return aSnapshot({
			pools: [aPool({ freeSlots: [] })],
			offers: s.offers,
			pending,
			priceMaxAgeMs: DAY_MS,
			boardWatts: { "A10G-24GB": 300 },
			budgets: [aBudget("month", { cap: s.capUsd })],
			policy: aPolicy({
				rules: [
					["leave", null, burstRule({ always: true, costAtMostMicroUsd: s.costAtMost === null ? null : usdToMicro(s.costAtMost) })],
					["deny", 'job.team == "vision"', denyRule({ regions: s.deny })],
				],
				budgets: [{ id: "month", capMicroUsd: usdToMicro(s.capUsd) }],
				caps: s.caps,
				weights: { delayMicroUsdPerHour: usdToMicro(s.weights.delay), carbonMicroUsdPerTonne: usdToMicro(s.weights.carbon) },
			}),
			...(records ? { offerRecords: new Map(s.offers.map((o, i) => [o.id, records[i] ?? emptyRecord(NOON_MS)])) } : {}),
			...(s.seen
				? {
						data: {
							replicas: new Map([["s3://set/0", ["aws:us-east-1"]]]),
							inboundMiBPerS: new Map([["aws:eu-west-1", 200]]),
							outGiB: s.outGiB,
						},
					}
				: {}),
		});
	});

const RUNS = { numRuns: cases(80, 400) };

function always(check: (launches: Extract<Action, { kind: "launch" }>[], snapshot: Snapshot) => void): void {
	fc.assert(
		fc.property(anyCloud, (snapshot) => {
			const { actions } = decide(snapshot, { brief: true });
			check(
				actions.filter((a) => a.kind === "launch"),
				snapshot,
			);
		}),
		RUNS,
	);
}

const specOf = (snapshot: Snapshot, jobId: string) => {
	const found = snapshot.pending.find((p) => p.jobId === jobId);
	if (!found) throw new Error(`a launch of a job that is not pending: ${jobId}`);
	return found.spec;
};
const pays = ({ microUsdPerHour: price }: Offer): bigint => price ?? 0n;

/** Total size of its checkpoints, GiB, with one per quarter of an hour of its maximum life. */
function savedGiB({ pending }: Snapshot, { jobId, lifeMs }: { jobId: string; lifeMs: number }): number {
	const job = pending.find((p) => p.jobId === jobId);
	return job?.spec.checkpoint ? Math.floor(lifeMs / (15 * MINUTE_MS)) * (job.checkpointGiB ?? 0) : 0;
}

describe("whatever the offers", () => {
	it("are exercised in cases with many launches, including gangs, reserved and free capacity", () => {
		const seen = fc.sample(anyCloud, { numRuns: 400, seed: 7 }).flatMap((s) => decide(s, { brief: true }).actions);
		const launches = seen.filter((a) => a.kind === "launch");
		expect(launches.length).toBeGreaterThan(200);
		expect(launches.some((a) => a.instances > 1)).toBe(true);
		expect(launches.some((a) => a.offer.capacityType === "reserved" && a.offer.microUsdPerHour === 0n)).toBe(true);
	});

	it("never uses one that a rule denies, or that is outside the data's areas", () => {
		always((launches, snapshot) => {
			for (const { jobId, offer: taken } of launches) {
				const spec = specOf(snapshot, jobId);
				expect(judgePlace(judgeJob(snapshot.policy, spec), { ...taken })).toBeNull();
				const areas = areasOf(taken.provider, taken.region);
				for (const set of spec.data) expect(set.residency.some((area) => areas.includes(area))).toBe(true);
			}
		});
	});

	it("never uses a missing price, or a zero or stale one except for free reserved capacity", () => {
		always((launches) => {
			for (const { offer: taken } of launches) {
				expect(taken.microUsdPerHour).not.toBeNull();
				if (taken.capacityType === "reserved" && (taken.reservedFree ?? 0) > 0) continue;
				expect(pays(taken)).toBeGreaterThan(0n);
				expect(NOON_MS - taken.priceObservedAtMs).toBeLessThanOrEqual(DAY_MS);
			}
		});
	});

	it("never exceeds a cap, a quota, or the free reserved capacity, counting all launches of the plan", () => {
		always((launches, snapshot) => {
			for (const cap of snapshot.policy.caps) {
				const counted = launches.filter((a) => judgeJob(snapshot.policy, specOf(snapshot, a.jobId)).caps.some((c) => c.id === cap.id));
				if (cap.kind === "burn_rate")
					expect(counted.reduce((sum, a) => sum + pays(a.offer) * BigInt(a.instances), 0n)).toBeLessThanOrEqual(cap.microUsdPerHour);
				if (cap.kind === "instances") expect(counted.reduce((sum, a) => sum + a.instances, 0)).toBeLessThanOrEqual(cap.count);
				if (cap.kind === "egress") expect(counted.length * (snapshot.data?.outGiB ?? 0)).toBeLessThanOrEqual(cap.gib);
			}
			const onCommitment = launches.filter((a) => a.offer.commitmentId === "cr-1").reduce((sum, a) => sum + a.instances, 0);
			expect(onCommitment).toBeLessThanOrEqual(COMMITTED_FREE);
			for (const [region, together] of Map.groupBy(launches, (a) => (a.offer.quota ? a.offer.region : null))) {
				if (region !== null) expect(together.reduce((sum, a) => sum + a.instances * a.offer.vcpus, 0)).toBeLessThanOrEqual(CORES_FREE);
			}
			for (const { offer: taken } of launches) {
				const together = launches.filter((a) => a.offer.id === taken.id).reduce((sum, a) => sum + a.instances, 0);
				if (taken.capacityType === "reserved") expect(together).toBeLessThanOrEqual(taken.reservedFree ?? Number.POSITIVE_INFINITY);
				expect(together * taken.gpus).toBeLessThanOrEqual(taken.quotaGpusFree ?? Number.POSITIVE_INFINITY);
			}
		});
	});

	it("holds the worst case of every machine of a gang, and all holds together fit the budget", () => {
		always((launches, snapshot) => {
			const cap = snapshot.budgets[0]?.capMicroUsd ?? 0n;
			expect(launches.reduce((sum, a) => sum + a.holdMicroUsd, 0n)).toBeLessThanOrEqual(cap);
			for (const a of launches) {
				const spec = specOf(snapshot, a.jobId);
				expect(a.instances).toBe(spec.nodes);
				if (a.instances > 1) expect(a.offer.gangs).toBe(true);
				const sent = BigInt(Math.floor(Number(a.offer.egressMicroUsdPerGiB) * savedGiB(snapshot, a)));
				const rent = pays(a.offer) * BigInt(a.lifeMs) * BigInt(a.instances);
				expect((a.holdMicroUsd - sent) * BigInt(HOUR_MS)).toBeGreaterThanOrEqual(rent);
				const endsMs = a.offer.availableUntilMs ?? null;
				if (endsMs !== null) expect(NOON_MS + a.lifeMs).toBeLessThanOrEqual(endsMs);
			}
		});
	});

	it("uses the one with the lowest score and no exclusion, as an exhaustive search finds it", () => {
		fc.assert(
			fc.property(anyCloud, (snapshot) => {
				const [first] = snapshot.pending;
				if (!first) return;
				const { choice, shape, run } = chooseFor(snapshot, first);
				const { eligible } = shape.offers();
				const sorted = [...eligible].sort((a, b) => scoreOf(a, run) - scoreOf(b, run) || a.index - b.index);
				expect(leastScores(eligible, run, 3)).toEqual(sorted.slice(0, 3));
				const out = new Set(choice.passedOver.map((p) => p.row));
				if (choice.kind === "chosen") expect(choice.row).toBe(sorted.find((row) => !out.has(row)));
				if (choice.kind === "none" || choice.kind === "backed_off") expect(out.size).toBe(eligible.length);
			}),
			RUNS,
		);
	});

	it("never ranks an offer better for more interruptions or refusals", () => {
		fc.assert(
			fc.property(anyCloud, record, fc.nat(3), fc.nat(3), (snapshot, base, interruptions, refusals) => {
				const [first] = snapshot.pending;
				if (!first) return;
				let worse = base;
				for (let i = 0; i < interruptions; i++) worse = withInterruption(worse, NOON_MS);
				for (let i = 0; i < refusals; i++) worse = withRefusal(worse, NOON_MS);
				const scores = (r: OfferRecord) => {
					const offerRecords = new Map(snapshot.offers.map((o) => [o.id, r]));
					const { shape, run } = chooseFor({ ...snapshot, offerRecords }, first);
					return new Map(shape.offers().eligible.map((row) => [row.offer.id, scoreOf(row, run)]));
				};
				const before = scores(withHours(base, 0, NOON_MS));
				for (const [id, score] of scores(worse)) expect(score).toBeGreaterThanOrEqual(before.get(id) ?? Number.NaN);
			}),
			RUNS,
		);
	});
});
