import { describe, expect, it } from "vitest";
import type { SlurmJob, SlurmJobState } from "./mapper.ts";
import { type AttemptFacts, observationOf, type Sight, sightOf } from "./observe-attempt.ts";
import { aSlurmJob } from "./testing/a-slurm-job.ts";

const NOW = { nowMs: 1_000_000, settleMs: 30_000 };
const note = { slurmJobId: 7, submittedAtMs: 899_000, startedAtMs: 900_000, endedAtMs: null };
const run = { slurmJobId: 7, restarts: 0 };
const exited = (code: number, atMs = 950_500) => ({ atMs, exit: { code, signal: null, error: null } });

/** An attempt that runs. */
const facts = (changes: Partial<AttemptFacts> = {}): AttemptFacts => ({
	...{ attemptId: "att_1", slots: [3], folder: "/s/att_1", note, run, childAtMs: 900_400, exit: null, stopByMs: null },
	...changes,
});
const waiting = (changes: Partial<AttemptFacts> = {}) =>
	facts({ note: { ...note, startedAtMs: null }, run: null, childAtMs: null, ...changes });
const job = (state: SlurmJobState, changes: Partial<SlurmJob> = {}): SlurmJob =>
	aSlurmJob({
		...{ name: "spillway-att_1", user: "spillway", state, reason: "None", nodeList: "n1" },
		startedAtMs: state === "PENDING" ? null : 900_000,
		...changes,
	});
/** How long it has been seen ended. */
const over = (state: SlurmJobState, forMs = 60_000, changes: Partial<SlurmJob> = {}): Sight => ({
	...{ kind: "job", job: job(state, { endedAtMs: 951_000, ...changes }), overSinceMs: NOW.nowMs - forMs, startedAgain: false },
});
const alive = (state: SlurmJobState): Sight => ({ kind: "job", job: job(state), overSinceMs: null, startedAgain: false });
const see = (f: AttemptFacts, sight: Sight) => observationOf(f, sight, NOW);

describe("an attempt that is not over", () => {
	it.each([
		["is pending in Slurm", waiting(), alive("PENDING"), "staging"],
		["is not submitted", waiting({ note: null }), { kind: "unasked" }, "staging"],
		["has its GPUs but no process yet", waiting({ run }), alive("RUNNING"), "staging"],
		["runs", facts(), alive("RUNNING"), "running"],
		["runs before Slurm was queried", facts(), { kind: "unasked" }, "running"],
		["was requested to stop", facts({ stopByMs: 2_000_000 }), alive("RUNNING"), "stopping"],
		["has ended while Slurm still holds its GPUs", facts({ exit: exited(0) }), alive("RUNNING"), "stopping"],
		["is completing in Slurm", facts({ exit: exited(0, 990_000) }), alive("COMPLETING"), "stopping"],
		["has ended in Slurm, with its end not seen for some seconds", facts(), over("COMPLETED", 5_000), "stopping"],
	] as const)("%s", (_what, f, sight, phase) => {
		expect(see(f, sight)).toMatchObject({ attemptId: "att_1", slots: [3], phase, exit: null, finishedAtMs: null });
	});
});

describe("an attempt that is over", () => {
	it("ends as its file reports, at Slurm's times", () => {
		const seen = see(facts({ exit: exited(3), note: { ...note, endedAtMs: 951_000 } }), over("FAILED"));
		expect(seen).toMatchObject({ phase: "exited", startedAtMs: 900_000, finishedAtMs: 951_000, exit: { code: 3 } });
	});

	it("ends at the files' times if Slurm has forgotten it", () => {
		const seen = see(facts({ exit: exited(3), note: { ...note, startedAtMs: null } }), { kind: "gone", sinceMs: 960_000 });
		expect(seen).toMatchObject({ phase: "exited", startedAtMs: 900_400, finishedAtMs: 950_500, exit: { code: 3 } });
	});

	it("is reported as ended if its processes cannot be killed and Slurm completes it forever", () => {
		expect(see(facts({ exit: exited(0) }), alive("COMPLETING")).phase).toBe("exited");
	});

	it("has no start if its command was not found", () => {
		const exit = { atMs: 950_500, exit: { code: null, signal: null, error: "not found", failedAt: "start" as const } };
		expect(see(facts({ exit }), over("FAILED"))).toMatchObject({ phase: "exited", startedAtMs: null, exit: { failedAt: "start" } });
	});

	it.each([
		["it reached its time limit", facts(), over("TIMEOUT"), { signal: "SIGKILL" }],
		["it ran out of memory", facts(), over("OUT_OF_MEMORY"), { signal: "SIGKILL" }],
		["it was cancelled in Slurm", facts(), over("CANCELLED"), { signal: "SIGTERM" }],
		[
			"it was cancelled in Slurm while pending",
			waiting(),
			over("CANCELLED", 0),
			{ failedAt: "start", error: expect.stringContaining("cancelled in the cluster") },
		],
		["Spillway cancelled it while pending", waiting({ stopByMs: 1 }), over("CANCELLED", 0), { signal: "SIGTERM", error: null }],
		["Spillway had it killed", facts({ stopByMs: 1 }), over("CANCELLED"), { signal: "SIGKILL", error: null }],
		["its batch script ended by Spillway's signal", waiting({ run, stopByMs: 1 }), over("FAILED"), { signal: "SIGTERM", error: null }],
		[
			"its deadline passed while it was pending",
			waiting(),
			over("DEADLINE", 0),
			{ failedAt: "start", error: expect.stringContaining("DEADLINE") },
		],
		[
			"the node did not have the folder",
			waiting(),
			over("FAILED", 0),
			{ failedAt: "start", error: expect.stringContaining("/s/att_1 exists on the nodes") },
		],
	] as const)("and wrote no end: %s", (_why, f, sight, exit) => {
		expect(see(f, sight)).toMatchObject({ phase: "exited", exit });
	});
});

describe("an attempt is lost, and may run again", () => {
	it.each([
		["its node failed", facts(), over("NODE_FAIL")],
		["it was preempted and saved its work with exit code 0", facts({ exit: exited(0, 951_400) }), over("PREEMPTED")],
		["its supervisor vanished", facts(), over("COMPLETED")],
		["Slurm no longer knows it", facts(), { kind: "gone", sinceMs: 0 }],
		["another run of it ended", facts({ exit: exited(143) }), { ...over("FAILED"), startedAgain: true } as Sight],
	] as const)("when %s", (_why, f, sight) => {
		expect(see(f, sight)).toMatchObject({ phase: "lost", exit: null });
	});

	it("but not if it had ended by itself before its node failed", () => {
		expect(see(facts({ exit: exited(0, 949_000) }), over("NODE_FAIL"))).toMatchObject({ phase: "exited", exit: { code: 0 } });
	});

	it("but not if we stopped it", () => {
		const seen = see(facts({ exit: exited(0, 951_400), stopByMs: 1 }), over("PREEMPTED"));
		expect(seen).toMatchObject({ phase: "exited", exit: { code: 0 } });
	});
});

describe("Slurm's response", () => {
	const known = (f: AttemptFacts, sight: Sight = { kind: "unasked" }) => ({ facts: f, sight });

	it.each([
		["is pending again after it ran", facts(), job("PENDING"), true],
		["was restarted", facts(), job("RUNNING", { restarts: 1 }), true],
		["started later than it had", facts(), job("FAILED", { startedAtMs: 905_000 }), true],
		["is pending for the first time", waiting(), job("PENDING"), false],
		["was restarted before it ran", facts({ run: { slurmJobId: 7, restarts: 1 } }), job("RUNNING", { restarts: 1 }), false],
		["is another job of the same attempt", facts({ run: { slurmJobId: 8, restarts: 0 } }), job("PENDING"), false],
	] as const)("shows whether the job has started again: it %s", (_what, f, said, startedAgain) => {
		expect(sightOf(said, known(f), 5)).toMatchObject({ kind: "job", startedAgain });
	});

	it("is recorded as first seen: ended, deleted, or started again", () => {
		const first = sightOf(job("COMPLETED"), known(facts()), 5);
		expect(sightOf(job("COMPLETED"), known(facts(), first), 9)).toMatchObject({ overSinceMs: 5 });
		expect(sightOf(null, known(facts(), sightOf(null, known(facts()), 5)), 9)).toEqual({ kind: "gone", sinceMs: 5 });
		const again = sightOf(job("PENDING"), known(facts()), 5);
		expect(sightOf(job("CANCELLED"), known(facts(), again), 9)).toMatchObject({ startedAgain: true, overSinceMs: 9 });
	});
});
