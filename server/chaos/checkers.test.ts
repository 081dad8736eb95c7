import { expect, it } from "vitest";
import { check, type Outcome } from "./checkers.ts";

const T0 = Date.UTC(2026, 10, 2, 8);
const machine: Outcome["machines"][number] = {
	...{
		instanceId: "i-1",
		region: "us-east-1",
		zone: null,
		instanceType: "g5.xlarge",
		spot: false,
		state: "terminated",
		vanished: false,
		silentAt: null,
	},
	...{ stateReasonCode: null, tags: {}, launchTime: T0, runningAt: T0 + 10_000, terminatedAt: T0 + 80_000, runningMs: 60_000 },
	...{
		billedMs: 60_000,
		billedSeconds: 60,
		disk: { type: "gp3", gib: 100, billedMicroUsd: "1160" },
		guestPid: null,
		folder: "",
		ourInstance: "ins_1",
		provider: "aws",
	},
};
const attempt: Outcome["attempts"][number] = {
	...{ id: "att_1", jobId: "job_1", number: 1, state: "succeeded", reason: null, reported: true },
	...{ createdAtMs: T0, startedAtMs: T0, stopRequestedAtMs: null, finishedAtMs: T0 + 60_000 },
};
const row: Outcome["instances"][number] & { charged: { ms: number; diskMicroUsd: number } } = {
	...{ id: "ins_1", attemptId: "att_1", state: "terminated", providerInstanceId: "i-1" },
	...{
		fromMs: T0 + 9_000,
		fromSlackMs: 2_000,
		untilMs: T0 + 71_500,
		untilSlackMs: 1_500,
		heardMs: null,
		fencedMs: null,
		diskMicroUsdPerMonth: 50_000_000,
	},
	charged: { ms: 62_500, diskMicroUsd: 1_215 },
} satisfies Outcome["instances"][number];
const good: Outcome = {
	jobs: [{ id: "job_1", name: "job-1", state: "succeeded", reason: "completed", finishedAtMs: T0 + 60_000, deadlineMs: T0 + 60_000 }],
	attempts: [attempt],
	instances: [row],
	stored: new Map([["att_1", [1, 2, 3]]]),
	said: new Map([["att_1", [1, 2, 3]]]),
	machines: [machine],
	audit: [],
	pauses: 0,
	doubleCommands: [],
	moved: [],
};
const broken = (change: Partial<Outcome>) =>
	Object.entries(check({ ...good, ...change })).flatMap(([promise, of]) => of.map((words: string) => `${promise}: ${words}`));

const charged = (change: Partial<Outcome["instances"][number]>): Partial<Outcome> => {
	const changed = { ...row, ...change };
	return { instances: [{ ...changed, charged: { ...row.charged, ms: (changed.untilMs ?? 0) - (changed.fromMs ?? 0) } }] };
};
const disk = (diskMicroUsd: number): Partial<Outcome> => ({ instances: [{ ...row, charged: { ...row.charged, diskMicroUsd } }] });
const fromAt = (ms: number) => charged({ fromMs: T0 + ms });
const untilAt = (ms: number) => charged({ untilMs: T0 + ms });

it("reports nothing for a run without losses", () => expect(broken({})).toEqual([]));

it.each<[string, Partial<Outcome>, RegExp]>([
	["a machine that lives on", { machines: [{ ...machine, state: "running" }] }, /^orphans: .* is still running$/],
	[
		"a machine without a row",
		{ machines: [machine, { ...machine, ourInstance: "ins_2", runningAt: null }] },
		/^orphans: .* which has no row$/,
	],
	["two machines of one intent", { machines: [machine, { ...machine, instanceId: "i-2" }] }, /^doubles: 2 machines/],
	[
		"an attempt beside a living one",
		{ attempts: [attempt, { ...attempt, id: "att_2", number: 2, createdAtMs: T0 + 1 }] },
		/^doubles: attempt/,
	],
	["two commands at once", { doubleCommands: ["job_1 attempt 2"] }, /^doubles: job_1/],
	["a job that did not come to its end", { jobs: good.jobs.map((j) => ({ ...j, state: "failed" })) }, /^lostJobs: job-1 is failed/],
	["a deadline that was missed", { jobs: good.jobs.map((j) => ({ ...j, finishedAtMs: T0 + 60_001 })) }, /^late: job-1 is late$/],
	["a line that is stored twice", { stored: new Map([["att_1", [1, 2, 2]]]) }, /^lostLines: .* 3th stored line is 2 instead of 3$/],
	["a last line that is not stored", { stored: new Map([["att_1", [1, 2]]]) }, /^lostLines: .* 1 of 3 printed lines are not stored$/],
	["time that is charged twice", { instances: [{ ...row, charged: { ...row.charged, ms: 80_000 } }] }, /^seconds: .* 80000 ms/],
	[
		"time that is not charged",
		{ instances: [{ ...row, fromMs: null, untilMs: null, charged: null }] },
		/^seconds: .* ran 60000 ms and nothing is charged$/,
	],
	["an end that is charged too early", untilAt(60_000), /^seconds: .* its last 10000 ms are not charged$/],
	["an end that is charged too late", untilAt(80_000), /^seconds: .* 8500 ms after its end are charged$/],
	["a start that is charged too late", fromAt(12_000), /^seconds: .* its first 2000 ms are not charged$/],
	["a start that is charged too early", fromAt(5_000), /^seconds: .* 3000 ms before it ran are charged$/],
	[
		"a machine that never ran and is charged",
		{ machines: [{ ...machine, runningAt: null, runningMs: 0, billedMs: 0 }] },
		/^seconds: .* never ran and 59000 ms are charged$/,
	],
	["a disk that is charged twice", disk(2_430), /^disks: .* 1270 µ\$ are charged for its disk beyond the 1160 µ\$ that are billed$/],
	["a disk that is not charged", disk(0), /^disks: .* -1160 µ\$ are charged/],
])("reports %s", (_what, change, words) => {
	const said = broken(change);
	expect(said).toHaveLength(1);
	expect(said[0]).toMatch(words);
});

it("allows a machine that may never have run to be charged the disk minimum, and no more", () => {
	const unseen = { ...row, untilMs: T0 + 12_000, fromSlackMs: 3_000, untilSlackMs: 3_000 };
	const machines = [
		{ ...machine, terminatedAt: T0 + 12_000, billedMs: 0, billedSeconds: 0, disk: { ...machine.disk, billedMicroUsd: "0" } },
	];
	const disks = (diskMicroUsd: number) =>
		check({ ...good, machines, instances: [{ ...unseen, charged: { ms: 3_000, diskMicroUsd } }] } as Outcome).disks;
	expect(disks(1_157)).toEqual([]);
	expect(disks(2_430)).toHaveLength(1);
});

it("skips disks with a price that could not be read at launch", () => {
	expect(broken({ instances: [{ ...row, diskMicroUsdPerMonth: 0, charged: { ...row.charged, diskMicroUsd: 0 } }] })).toEqual([]);
});

it("tolerates lines that a killed agent had not sent", () => {
	expect(broken({ attempts: [{ ...attempt, reported: false }], stored: new Map([["att_1", [1]]]) })).toEqual([]);
});

it("accepts reports from an agent after the end of billing, as long as its processes lived", () => {
	const late = charged({ untilMs: T0 + 120_000, heardMs: T0 + 118_500 });
	expect(broken(late)).toEqual([expect.stringMatching(/after its end are charged/)]);
	expect(broken({ ...late, machines: [{ ...machine, terminatedAt: T0 + 118_000 }] })).toEqual([]);
	expect(broken({ ...late, machines: [{ ...machine, vanished: true, silentAt: T0 + 118_000 }] })).toEqual([]);
});

it("does not count a machine that vanished unobserved or never ran as a duplicate", () => {
	const earlier = { ...machine, instanceId: "i-0", launchTime: T0 - 50_000 };
	expect(broken({ machines: [{ ...earlier, vanished: true }, machine] })).toEqual([]);
	expect(broken({ machines: [{ ...earlier, runningAt: null, runningMs: 0, billedMs: 0 }, machine] })).toEqual([]);
});
