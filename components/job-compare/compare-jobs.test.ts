import { expect, it } from "vitest";
import { type ComparedJob, compareJobs } from "./compare-jobs.ts";

const NOW = Date.UTC(2026, 10, 26, 12);
const job = (spec: object, some: Partial<ComparedJob> = {}): ComparedJob =>
	({
		...{ state: "succeeded", reason: { code: "completed", message: "Completed" }, attemptList: [], gpus: 8, placement: null },
		...{ submittedAt: "2026-11-26T10:00:00.000Z", startedAt: "2026-11-26T10:30:00.000Z", finishedAt: "2026-11-26T11:30:00.000Z" },
		...{ costMicroUsd: "12500000", emissionsGrams: 1_500 },
		spec: { name: "a", command: ["python", "train.py"], resources: { gpus: 8, cpus: null }, env: { SEED: "7" }, ...spec },
		...some,
	}) as ComparedJob;

const a = {
	job: job({ duration: { estimateMs: 3_600_000 } }),
	metrics: [{ key: "loss", last: { step: 1_000, value: 0.25, at: "2026-11-26T11:00:00.000Z" } }],
};
const b = {
	job: job(
		{ name: "b", env: { SEED: "8" }, data: [{ uri: "s3://x", sizeGiB: 5 }] },
		{ state: "running", finishedAt: null, costMicroUsd: "12500000" },
	),
	metrics: [],
} as unknown as typeof a;
const rows = compareJobs(a, b, NOW).flatMap((group) => group.rows);
const row = (label: string) => rows.find((each) => each.label === label);

it("compares outcome, times and cost, and marks what differs", () => {
	expect(row("State")).toMatchObject({ differs: true });
	expect(row("Wait")).toEqual({ label: "Wait", a: "30 min", b: "30 min", differs: false });
	expect(row("Run time")?.b).toMatch(/so far$/);
	expect(row("Cost")).toMatchObject({ differs: false });
});

it("compares files by path, without names and empty values, and metrics by their last value", () => {
	expect(row("env.SEED")).toEqual({ label: "env.SEED", a: "7", b: "8", differs: true });
	expect(row("duration.estimate")).toMatchObject({ a: "1 h", b: null, differs: true });
	expect(row("data[0].uri")).toMatchObject({ a: null, b: "s3://x" });
	expect(row("command")).toMatchObject({ a: "python train.py", differs: false });
	expect([row("name"), row("resources.cpus")]).toEqual([undefined, undefined]);
	expect(row("loss")).toMatchObject({ a: "0.25 at step 1,000", b: null, differs: true });
});
