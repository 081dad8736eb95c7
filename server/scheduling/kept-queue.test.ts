import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { PoolReplay } from "./replay.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import type { Action, DecideMemo, PendingJob, RunningAttempt, Snapshot } from "./types.ts";

const NODES = 3;
const GPUS = 4;

const RULES: Record<string, RuleEffect> = {
	"a waiting budget": burstRule({ waitingMicroUsdPerGpuHour: usdToMicro(1) }),
	"a long forecast": burstRule({ forecastWaitMs: 2 * HOUR_MS }),
	"a long wait": burstRule({ waitedMs: 3 * HOUR_MS }),
	"a long queue": burstRule({ queueLength: 3 }),
	"little slack": burstRule({ deadlineSlackMs: HOUR_MS }),
	"any time": burstRule({ always: true }),
};

/** Jobs wait for a full pool, and spot costs between little and much. */
function aQueue(rules: readonly string[], jobs: readonly PendingJob[], usd: number): Snapshot {
	const running = Array.from(
		{ length: NODES * GPUS },
		(_, slot): RunningAttempt =>
			aJob(`runs-${slot}`)
				.estimate((slot + 2) * 50 * MINUTE_MS)
				.running("home-a", [slot], slot * MINUTE_MS),
	);
	return aSnapshot({
		policy: aPolicy({ rules: rules.map((name) => [name, null, RULES[name] ?? RULES["any time"]]) as never }),
		pools: [aPool({ nodes: NODES, gpusPerNode: GPUS, freeSlots: [] })],
		offers: [anOffer({ accelerator: "A100-80GB", gpus: GPUS, usd: 3 * usd }), anOffer({ accelerator: "A100-80GB", gpus: 1, usd })],
		pending: [...jobs],
		running,
		cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 6 * MINUTE_MS },
	});
}

function aWaitingJob(id: string, random: ReturnType<typeof seededRandom>, nowMs: number): PendingJob {
	const job = aJob(id)
		.gpus(random.int(1, GPUS))
		.priority(random.pick([0, 0, 0, 50]))
		.estimate(random.int(2, 400) * MINUTE_MS);
	const urgent = random.int(0, 9) === 0 ? job.deadline(nowMs + random.int(1, 20) * HOUR_MS) : job;
	return { ...urgent.build(), submittedAtMs: nowMs, pendingSinceMs: nowMs };
}

/** The snapshot of the next cycle: launched jobs have left, and one thing happened. */
function next(last: Snapshot, actions: readonly Action[], what: string, random: ReturnType<typeof seededRandom>): Snapshot {
	const gone = new Set(actions.flatMap((action) => (action.kind === "launch" || action.kind === "fail" ? [action.jobId] : [])));
	const pending = last.pending.filter(({ jobId }) => !gone.has(jobId));
	const nowMs = last.nowMs + random.int(0, 3) * MINUTE_MS;
	switch (what) {
		case "a new job":
			return { ...last, nowMs, pending: [...pending, aWaitingJob(`new-${random.int(0, 1e9)}`, random, nowMs)] };
		case "a job less":
			return { ...last, nowMs, pending: pending.filter((_, i) => i !== random.int(0, pending.length)) };
		case "an hour":
			return { ...last, nowMs: nowMs + HOUR_MS, pending };
		case "an end":
			return { ...last, nowMs, pending, running: last.running.slice(1) };
		default:
			return { ...last, nowMs, pending };
	}
}

/** Drops the fact of a reason that differs when only actions are requested. */
function withoutP90(action: Action): Action {
	return { ...action, reason: { ...action.reason, facts: { ...action.reason.facts, startP90Ms: null } } };
}

describe("the kept queue", () => {
	it("changes no action", () => {
		let launches = 0;
		const changes = fc.constantFrom("time", "time", "time", "a new job", "a job less", "an hour", "an end");
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.constantFrom(...Object.keys(RULES)), { minLength: 0, maxLength: 3 }),
				fc.integer({ min: 1, max: 15 }),
				fc.array(changes, { minLength: 5, maxLength: 25 }),
				fc.string(),
				(rules, usd, steps, seed) => {
					const random = seededRandom(seed);
					const jobs = Array.from({ length: 8 }, (_, i) => aWaitingJob(`job-${i}`, random, NOON_MS - i * MINUTE_MS));
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = aQueue(rules, jobs, usd);
					for (const what of ["time", ...steps]) {
						const { actions } = decide(snapshot, { memo, actionsOnly: true });
						expect(actions.map(withoutP90), what).toEqual(decide(snapshot).actions.map(withoutP90));
						launches += actions.filter(({ kind }) => kind === "launch").length;
						snapshot = next(snapshot, actions, what, random);
					}
				},
			),
			{ numRuns: cases(60, 1000) },
		);
		expect(launches).toBeGreaterThan(0);
	});

	it("lets a job leave when time makes another rule apply", () => {
		const job = aJob("long")
			.gpus(GPUS)
			.priority(0)
			.estimate(12 * HOUR_MS)
			.build();
		const { running, ...queue } = aQueue(["a long forecast", "any time"], [job], 15);
		// All slots become free at once, so that nothing changes at home before.
		const first = {
			...queue,
			running: running.map(({ jobId, slots }) =>
				aJob(jobId)
					.estimate(3 * HOUR_MS)
					.running("home-a", [...slots], 0),
			),
		};
		const memo: DecideMemo = { kept: new Map() };
		const at = (minutes: number): Action[] =>
			decide({ ...first, nowMs: first.nowMs + minutes * MINUTE_MS }, { memo, actionsOnly: true }).actions;
		expect(at(0)).toEqual([]);
		expect(at(1)).toEqual([]);
		expect(at(61)).toMatchObject([{ kind: "launch", jobId: job.jobId }]);
	});

	it("searches only for the start of a new job", () => {
		const random = seededRandom("kept");
		const jobs = Array.from({ length: 300 }, (_, i) => aWaitingJob(`job-${i}`, random, NOON_MS - i * MINUTE_MS)).map((job) => ({
			...job,
			spec: { ...job.spec, priority: 0, deadlineMs: null },
		}));
		const memo: DecideMemo = { kept: new Map() };
		const searches = vi.spyOn(PoolReplay.prototype, "findStart");
		const searchesOf = (snapshot: Snapshot): number => {
			searches.mockClear();
			decide(snapshot, { memo, actionsOnly: true });
			return searches.mock.calls.length;
		};
		const first = aQueue([], jobs, 9);
		expect(searchesOf(first)).toBe(300);
		const later = { ...first, nowMs: first.nowMs + MINUTE_MS };
		expect(searchesOf(later)).toBe(0);
		const newcomer = { ...aJob("new").priority(0).estimate(HOUR_MS).build(), submittedAtMs: later.nowMs, pendingSinceMs: later.nowMs };
		expect(searchesOf({ ...later, pending: [newcomer, ...jobs] })).toBe(1);
	});
});
