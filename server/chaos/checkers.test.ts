import { expect, it } from "vitest";
import { check, type Outcome } from "./checkers.ts";

const T0 = Date.UTC(2026, 10, 2, 8);
const machine: Outcome["machines"][number] = {
	...{ instanceId: "i-1", region: "us-east-1", zone: null, instanceType: "g5.xlarge", spot: false, state: "terminated", vanished: false },
	...{ stateReasonCode: null, tags: {}, launchTime: T0, runningAt: T0 + 10_000, terminatedAt: T0 + 80_000, runningMs: 60_000 },
	...{ billedSeconds: 60, guestPid: null, folder: "", ourInstance: "ins_1", provider: "aws" },
};
const attempt: Outcome["attempts"][number] = {
	...{ id: "att_1", jobId: "job_1", number: 1, state: "succeeded", reported: true },
	...{ createdAtMs: T0, startedAtMs: T0, stopRequestedAtMs: null, finishedAtMs: T0 + 60_000 },
};
const row: Outcome["instances"][number] = {
	...{ id: "ins_1", attemptId: "att_1", state: "terminated", providerInstanceId: "i-1", launchedAtMs: T0, terminatedAtMs: T0 + 75_000 },
	charged: { ms: 75_000, fromMs: T0, toMs: T0 + 75_000 },
};
const good: Outcome = {
	jobs: [{ id: "job_1", name: "job-1", state: "succeeded", reason: "completed", finished: true }],
	attempts: [attempt],
	instances: [row],
	stored: new Map([["att_1", [1, 2, 3]]]),
	said: new Map([["att_1", [1, 2, 3]]]),
	machines: [machine],
	doubleCommands: [],
};
const broken = (change: Partial<Outcome>) =>
	Object.entries(check({ ...good, ...change })).flatMap(([promise, of]) => of.map((words: string) => `${promise}: ${words}`));

it("has nothing to say of a run in which nothing was lost", () => expect(broken({})).toEqual([]));

it.each<[string, Partial<Outcome>, RegExp]>([
	["a machine that lives on", { machines: [{ ...machine, state: "running" }] }, /^orphans: .* is still running$/],
	[
		"a machine of which there is no row",
		{ machines: [machine, { ...machine, ourInstance: "ins_2", runningAt: null }] },
		/^orphans: .* there is no row$/,
	],
	["two machines of one intent", { machines: [machine, { ...machine, instanceId: "i-2" }] }, /^doubles: 2 machines/],
	[
		"an attempt beside a living one",
		{ attempts: [attempt, { ...attempt, id: "att_2", number: 2, createdAtMs: T0 + 1 }] },
		/^doubles: attempt/,
	],
	["two commands at once", { doubleCommands: ["job_1 attempt 2"] }, /^doubles: job_1/],
	["a job that did not come to its end", { jobs: good.jobs.map((j) => ({ ...j, state: "failed" })) }, /^lostJobs: job-1 is failed/],
	["a line that is stored twice", { stored: new Map([["att_1", [1, 2, 2]]]) }, /^lostLines: .* 3th stored line is 2 instead of 3$/],
	["a last line that is not stored", { stored: new Map([["att_1", [1, 2]]]) }, /^lostLines: .* 1 of 3 printed lines are not stored$/],
	[
		"time that is charged twice",
		{ instances: [{ ...row, charged: { ms: 80_000, fromMs: T0, toMs: T0 + 75_000 } }] },
		/^seconds: .* 80000 ms/,
	],
	["time that is not charged", { instances: [{ ...row, charged: null }] }, /^seconds: .* nothing is charged$/],
	[
		"an end that is charged too early",
		{ instances: [{ ...row, terminatedAtMs: T0 + 60_000, charged: { ms: 60_000, fromMs: T0, toMs: T0 + 60_000 } }] },
		/^seconds: .* its last 10000 ms are not charged$/,
	],
])("tells of %s", (_what, change, words) => {
	const said = broken(change);
	expect(said).toHaveLength(1);
	expect(said[0]).toMatch(words);
});

it("does not blame anybody for lines that a killed agent had not sent", () => {
	expect(broken({ attempts: [{ ...attempt, reported: false }], stored: new Map([["att_1", [1]]]) })).toEqual([]);
});
