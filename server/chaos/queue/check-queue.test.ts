import { describe, expect, it } from "vitest";
import { checkQueue, type QueueOutcome } from "./check-queue.ts";
import type { DrawnJob } from "./draw-queue.ts";

const job = (key: string, changes: Partial<DrawnJob>): DrawnJob => ({
	...{ key, gpus: 2, seconds: 4, exitCode: 0, optsIn: null, steps: false },
	...changes,
});

/** One Spillway job at home, one adopted job in the cloud, one foreign job at home that failed. */
const sound = (): QueueOutcome => ({
	jobs: [job("ours", {}), job("left", { optsIn: true }), job("stayed", { optsIn: false, exitCode: 3 })],
	numbers: new Map([
		["left", "7"],
		["stayed", "8"],
	]),
	outputs: new Map(["left", "stayed"].map((key) => [key, `and to the other stream\nhello from ${key}\n`])),
	book: ["start ours", "end ours", "start left", "end left", "start stayed", "end stayed"],
	rows: [
		{ id: "job_1", name: "ours", state: "succeeded" },
		{ id: "job_2", name: "left", state: "succeeded" },
	],
	adoptions: [{ foreignId: "7", jobId: "job_2", state: "finished", exitCode: 0 }],
	atHome: [{ id: "att_1", gpus: 2, state: "succeeded", startedAtMs: 100_000, finishedAtMs: 104_000, chargedGpuMs: 8_000 }],
	sacct: [
		{ id: "6", name: "spillway-att_1", state: "COMPLETED", start: 100, end: 104 },
		{ id: "7", name: "left", state: "CANCELLED", start: 105, end: 105 },
		{ id: "8", name: "stayed", state: "FAILED", start: 100, end: 104 },
	],
});
const [ours, theirs] = [sound().atHome[0], sound().sacct[1]];

describe("the checker of a run", () => {
	it("reports nothing for a clean run", () => {
		expect(checkQueue(sound())).toEqual({ notOnce: [], outcomes: [], output: [], seconds: [] });
	});

	it.each<[string, keyof ReturnType<typeof checkQueue>, Partial<QueueOutcome>]>([
		["both ran to the end", "notOnce", { book: [...sound().book, "end left"] }],
		["none did", "notOnce", { book: sound().book.filter((line) => line !== "end left") }],
		["one Spillway job failed", "outcomes", { rows: sound().rows.map((r) => ({ ...r, state: "failed" })) }],
		["home got another end", "outcomes", { adoptions: sound().adoptions.map((a) => ({ ...a, exitCode: 3 })) }],
		[
			"a job left without leave",
			"outcomes",
			{ adoptions: [...sound().adoptions, { foreignId: "8", jobId: "j", state: "finished", exitCode: 3 }] },
		],
		["home still has it", "outcomes", { sacct: sound().sacct.map((s) => (s.id === "7" ? { ...s, state: "COMPLETED" } : s)) }],
		["the output did not come back", "output", { outputs: new Map(sound().outputs).set("left", null) }],
		["a line came twice", "output", { outputs: new Map(sound().outputs).set("left", `${sound().outputs.get("left")}hello from left\n`) }],
		["a second too much is charged", "seconds", { atHome: ours ? [{ ...ours, chargedGpuMs: 10_000 }] : [] }],
		["the times differ", "seconds", { atHome: ours ? [{ ...ours, startedAtMs: 99_000 }] : [] }],
		["a run is not on record", "seconds", { atHome: [] }],
		[
			"it used the cluster too",
			"seconds",
			{ sacct: theirs ? [...sound().sacct.filter((s) => s !== theirs && s.id !== "7"), { ...theirs, end: 109 }] : [] },
		],
	])("detects that %s", (_, promise, planted) => {
		const broken = checkQueue({ ...sound(), ...planted });
		expect(broken[promise].length).toBeGreaterThan(0);
	});
});
