import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { aJob, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, NOON_MS } from "../testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "../types.ts";
import { planRunning } from "./plan-running.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const goHome = (usd: number, when: string | null = null): [string, string | null, RuleEffect] => [
	"go-home",
	when,
	{ kind: "move", to: ["home"], savingMicroUsd: usdToMicro(usd) },
];
const policyOf = (usd: number, delayUsd = 0, when: string | null = null) =>
	aPolicy({
		rules: [BURST_AFTER_10S, goHome(usd, when)],
		weights: { delayMicroUsdPerHour: usdToMicro(delayUsd), carbonMicroUsdPerTonne: 0n },
	});

/** Two hours into five at home, with a checkpoint due in a minute. */
function atHome(name: string, slots: number[], part: Partial<RunningAttempt> = {}): RunningAttempt {
	const job = aJob(name)
		.estimate(5 * HOUR_MS)
		.gpus(slots.length);
	return { ...job.running("home-a", slots, 2 * HOUR_MS), nextCheckpointAtMs: NOON_MS + MINUTE_MS, ...part };
}

/** A four-GPU job in the cloud with 3 h 58 min at $8.00 to go: $31.73. At home four of eight GPUs are free, two on each node. */
const wide = inCloud(
	aJob("wide")
		.estimate(5 * HOUR_MS)
		.gpus(4),
	{ usd: 8 },
);
const pools = [aPool({ nodes: 2, freeSlots: [1, 2, 6, 7] })];
const pair = [atHome("left", [0]), atHome("right", [3])];
const crowd = [...pair, atHome("below", [4, 5])];

const plan = (part: Partial<Snapshot>): Action[] => planRunning(inputOf(aSnapshot({ policy: policyOf(1), pools, ...part })));

describe("clearing a node for work that could return home", () => {
	it("moves the jobs of one node into the gaps of another, each at its checkpoint", () => {
		const together = (name: string, slots: number[]) => ({
			kind: "move",
			jobId: `job_${name}`,
			attemptId: `att_${name}_001`,
			atMs: NOON_MS + MINUTE_MS,
			to: { kind: "home", poolId: "home-a", slots },
			holdMicroUsd: 0n,
			reason: { code: "moving_together", facts: { forJobId: "job_wide", ruleId: "go-home", poolId: "home-a" } },
		});
		expect(plan({ running: [wide, ...crowd] })).toEqual([together("left", [6]), together("right", [7])]);
	});

	it("gives the same result whatever the order of the attempts", () => {
		expect(plan({ running: [...crowd.toReversed(), wide] })).toEqual(plan({ running: [wide, ...crowd] }));
	});

	it("does nothing when the job finds a whole node, or when too few GPUs are free in total", () => {
		const whole = plan({ running: [wide, atHome("left", [0])], pools: [aPool({ nodes: 2, freeSlots: [1, 2, 3, 4, 5, 6, 7] })] });
		expect(whole.map((a) => [a.jobId, a.reason.code])).toEqual([["job_wide", "returning_home"]]);
		const three = atHome("three", [4, 5, 6]);
		expect(plan({ running: [wide, ...pair, three], pools: [aPool({ nodes: 2, freeSlots: [1, 2, 7] })] })).toEqual([]);
	});

	it("clears the node that loses the least, and never fills an emptier one", () => {
		// one GPU is busy on the first node, two on the second: the first is cleared, although the second would fit into it
		const freeSlots = [1, 2, 3, 6, 7];
		const moves = plan({ running: [wide, atHome("one", [0]), atHome("two", [4, 5])], pools: [aPool({ nodes: 2, freeSlots })] });
		expect(moves.map((a) => a.jobId)).toEqual(["job_one"]);
	});

	it("waits for attempts without a near checkpoint, and counts those already leaving", () => {
		const later = atHome("right", [3], { nextCheckpointAtMs: NOON_MS + LIMITS.moveCheckpointWithinMs + 1 });
		const first = plan({ running: [wide, atHome("left", [0]), later, atHome("below", [4, 5])] });
		expect(first.map((a) => a.jobId)).toEqual(["job_left"]);
		const going = atHome("left", [0], { movingTo: { kind: "home", poolId: "home-a", slots: [6] } });
		const pools = [aPool({ nodes: 2, freeSlots: [1, 2, 7] })];
		// Three are free in total while it moves, so no other move is planned; once it has moved, the other one follows.
		expect(plan({ running: [wide, going, later, atHome("below", [4, 5])], pools })).toEqual([]);
		const gone = [wide, atHome("left", [6]), atHome("right", [3]), atHome("below", [4, 5])];
		const freed = [aPool({ nodes: 2, freeSlots: [0, 1, 2, 7] })];
		expect(plan({ running: gone, pools: freed }).map((a) => [a.jobId, a.kind === "move" && a.to])).toEqual([
			["job_right", { kind: "home", poolId: "home-a", slots: [7] }],
		]);
	});

	it("keeps attempts that have a deadline, have just started, save nothing, or may not be moved by the policy", () => {
		const withLeft = (part: Partial<RunningAttempt>): Action[] =>
			plan({ running: [wide, atHome("left", [0], part), atHome("right", [3]), atHome("below", [4, 5], { nextCheckpointAtMs: null })] });
		expect(withLeft({}).map((a) => a.jobId)).toEqual(["job_left", "job_right"]);
		const { spec } = atHome("left", [0]);
		expect(withLeft({ spec: { ...spec, deadlineMs: NOON_MS + 20 * HOUR_MS } })).toEqual([]);
		expect(withLeft({ startedAtMs: NOON_MS - LIMITS.moveMinRunMs + 1 })).toEqual([]);
		expect(withLeft({ startedAtMs: null })).toEqual([]);
		expect(withLeft({ nextCheckpointAtMs: null })).toEqual([]);
		expect(plan({ running: [wide, ...crowd], policy: policyOf(1, 0, "job.gpus >= 4") })).toEqual([]);
	});

	it("compares the pauses of the moved jobs with what the job saves at home", () => {
		// 3 h 58 min at $8.00; restores of 3 minutes at $40 an hour: $2.00 for the job, $2.00 for each of the two
		const saved = Math.round(((8 * 238) / 60 - 2) * 100) / 100;
		expect(plan({ running: [wide, ...crowd], policy: policyOf(Number((saved - 4.02).toFixed(2)), 40) })).toHaveLength(2);
		expect(plan({ running: [wide, ...crowd], policy: policyOf(Number((saved - 3.98).toFixed(2)), 40) })).toEqual([]);
	});
});
