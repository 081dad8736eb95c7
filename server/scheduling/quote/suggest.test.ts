import { describe, expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import type { ChangedField, Prospect, Suggestion } from "#server/domain/suggestion.ts";
import { suggestionSentence } from "#server/domain/suggestion.ts";
import { formatDuration, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "../decide.ts";
import { makeRunTimeOf } from "../run-time.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "../testing/builders.ts";
import type { PendingJob, Snapshot } from "../types.ts";
import { makeRiskOf } from "./risk-of.ts";
import { prospectOf, suggest } from "./suggest.ts";
import { variantsOf } from "./variants.ts";

/** Quotes one by one, each alone in the queue: the slow equivalent of a quote. */
function quoteOf(snapshot: Snapshot, job: PendingJob): Prospect | null {
	const plan = decide({ ...snapshot, pending: [...snapshot.pending, job] }, { asked: new Set([job.jobId]) });
	const explanation = plan.explanations[0];
	return explanation ? prospectOf(explanation, job, makeRiskOf(snapshot)) : null;
}

function suggestionsFor(snapshot: Snapshot, job: PendingJob): Suggestion[] {
	const runTime = makeRunTimeOf(snapshot.durations)(job.spec);
	const variants = variantsOf(job.spec, snapshot, runTime).map((variant, i) => ({
		variant,
		job: { ...job, jobId: `job_zz${i}`, spec: variant.spec },
	}));
	const pending = [...snapshot.pending, job, ...variants.map((v) => v.job)];
	const plan = decide({ ...snapshot, pending }, { asked: new Set([job.jobId, ...variants.map((v) => v.job.jobId)]) });
	const explanationOf = (id: string) => plan.explanations.find((e) => e.jobId === id) ?? expect.fail(`no explanation of ${id}`);
	const asked = variants.map((v) => ({ ...v, explanation: explanationOf(v.job.jobId) }));
	const riskOf = makeRiskOf(snapshot);
	return suggest(prospectOf(explanationOf(job.jobId), job, riskOf), asked, snapshot, riskOf);
}

/** A spec's job file with the suggested fields set. */
function followed(spec: JobSpec, fields: readonly ChangedField[]): JobSpec {
	const { estimateMs, maxMs } = spec.duration;
	const { gpus, accelerators, cpus, memoryGiB } = spec.resources;
	const file: Record<string, unknown> = {
		class: spec.class,
		command: spec.command,
		nodes: spec.nodes,
		resources: { gpus, accelerators, ...(cpus === null ? {} : { cpus }), ...(memoryGiB === null ? {} : { memoryGiB }) },
		duration: {
			...(estimateMs === null ? {} : { estimate: formatDuration(estimateMs) }),
			...(maxMs === null ? {} : { max: formatDuration(maxMs) }),
		},
		...(spec.deadlineMs === null ? {} : { deadline: new Date(spec.deadlineMs).toISOString() }),
		priority: spec.priority,
		...(spec.checkpoint === null
			? {}
			: { checkpoint: { path: spec.checkpoint.path, interval: formatDuration(spec.checkpoint.intervalMs) } }),
	};
	for (const { path, value } of fields) {
		const [first = "", second] = path;
		if (second === undefined) file[first] = value;
		else file[first] = { ...(file[first] as object), [second]: value };
	}
	return parseJobDocument({ apiVersion: "spillway/v1", kind: "Job", metadata: { name: spec.name, team: spec.team }, spec: file });
}

const busyPool = aPool({ freeSlots: [], accelerator: "H100-80GB", gpusPerNode: 8 });
const running = aJob("long")
	.gpus(8)
	.estimate(5 * HOUR_MS)
	.running("home-a", [0, 1, 2, 3, 4, 5, 6, 7], HOUR_MS);
const waitsForHome: Snapshot = aSnapshot({
	policy: aPolicy({ rules: [["burst", null, burstRule({ forecastWaitMs: 30 * MINUTE_MS })]] }),
	pools: [busyPool],
	running: [running],
	offers: [anOffer({ accelerator: "A100-80GB", gpus: 1, usd: "2.00" }), anOffer({ accelerator: "L4-24GB", gpus: 1, usd: "0.50" })],
});

describe("suggestions that make a job cheaper or start it sooner", () => {
	it("include another model that is large enough, with its effects", () => {
		const job = aJob("train").accelerators("H100-80GB").build();
		const [best, ...others] = suggestionsFor(waitsForHome, job);
		expect(best?.change).toEqual({ kind: "accelerator", accelerator: "A100-80GB" });
		// An L4 has a third of an H100's memory, so it is not considered.
		expect(JSON.stringify(others)).not.toContain("L4-24GB");
		expect(best && suggestionSentence(best)).toBe("Allow A100-80GB: starts 3h59m earlier, $2.03 more.");
	});

	it("trade time against money as the policy does, at any price if it gives delay no weight", () => {
		const job = aJob("train").accelerators("H100-80GB").build();
		const dear = [anOffer({ accelerator: "A100-80GB", gpus: 1, usd: "60.00" })];
		const withDelayWeight = (delayMicroUsdPerHour: bigint): Snapshot => ({
			...waitsForHome,
			policy: { ...waitsForHome.policy, weights: { delayMicroUsdPerHour, carbonMicroUsdPerTonne: 0n } },
			offers: dear,
		});
		// At $5 an hour four hours are worth $20, and home is free: the core itself would wait.
		expect(suggestionsFor(withDelayWeight(5_000_000n), job)).toEqual([]);
		expect(suggestionsFor(withDelayWeight(0n), job).map((s) => s.change.kind)).toEqual(["accelerator"]);
	});

	it("include a smaller job when the requested size is unavailable", () => {
		const snapshot = aSnapshot({
			pools: [aPool({ gpusPerNode: 8, freeSlots: [0, 1, 2, 3] })],
			running: [
				aJob("long")
					.gpus(4)
					.estimate(30 * HOUR_MS)
					.running("home-a", [4, 5, 6, 7], HOUR_MS),
			],
		});
		const found = suggestionsFor(snapshot, aJob("train").gpus(8).estimate(HOUR_MS).build());
		expect(found.map((s) => s.change)).toEqual([{ kind: "half", nodes: 1, gpus: 4 }]);
		expect(found.map((s) => suggestionSentence(s))).toEqual(["Ask for 4 GPUs, for twice as long: starts 1d5h earlier, ends 1d4h earlier."]);
	});

	it("include more GPUs when the job scales and a sooner end is worth them", () => {
		const snapshot = aSnapshot({ pools: [aPool({ gpusPerNode: 8, freeSlots: [0, 1, 2, 3, 4, 5, 6, 7] })] });
		const job = aJob("train")
			.gpus(2)
			.estimate(8 * HOUR_MS)
			.build();
		const scaling = { parallel: 1, upTo: 8 };
		const found = suggestionsFor(snapshot, { ...job, spec: { ...job.spec, scaling } });
		expect(found.map((s) => s.change)).toEqual([{ kind: "scale", nodes: 1, gpus: 8, speedup: 4 }]);
		expect(found.map((s) => suggestionSentence(s))).toEqual(["Ask for 8 GPUs, 4 times as fast: ends 6h earlier."]);
	});

	it("include a maximum when the worst case does not fit the budget", () => {
		const snapshot = aSnapshot({
			policy: aPolicy({ rules: [["go", null, burstRule({ always: true })]], budgets: [{ id: "month" }] }),
			pools: [busyPool],
			running: [running],
			budgets: [aBudget("month", { cap: 10 })],
			offers: [anOffer({ accelerator: "A100-80GB" })],
		});
		const job = aJob("train").accelerators("A100-80GB").build();
		expect(quoteOf(snapshot, job)).toBeNull();
		const found = suggestionsFor(snapshot, job);
		expect(found.find((s) => s.change.kind === "max_duration")).toMatchObject({ change: { maxMs: 3 * HOUR_MS }, startsEarlierMs: null });
	});

	it("include a later deadline or checkpoints when the deadline requires capacity that is not reclaimed", () => {
		const snapshot = aSnapshot({
			policy: aPolicy({ rules: [["go", null, burstRule({ always: true })]] }),
			pools: [],
			offers: [anOffer({ usd: "4.00" }), anOffer({ capacityType: "spot", usd: "1.00", onDemandMicroUsdPerHour: 4_000_000n })],
			offerRecords: new Map(),
		});
		const job = aJob("train")
			.estimate(4 * HOUR_MS)
			.deadline(NOON_MS + 7 * HOUR_MS)
			.build();
		expect(quoteOf(snapshot, job)?.placement.capacityType).toBe("on_demand");
		const found = suggestionsFor(snapshot, job);
		expect(found.map((s) => s.change.kind).sort()).toEqual(["checkpoint", "deadline"]);
		for (const s of found) expect(s.prospect.placement.capacityType).toBe("spot");
		for (const s of found) expect(Number(s.savesMicroUsd)).toBeGreaterThan(8_000_000);
	});

	it("are empty for a job that starts immediately at home", () => {
		expect(
			suggestionsFor(
				aSnapshot(),
				aJob("train")
					.deadline(NOON_MS + 9 * HOUR_MS)
					.build(),
			),
		).toEqual([]);
	});
});

describe("a suggestion that is followed exactly", () => {
	const before = [
		aJob("before")
			.gpus(4)
			.priority(60)
			.estimate(2 * HOUR_MS)
			.build(),
		aJob("after").priority(10).build(),
	];
	const crowded: Snapshot = { ...waitsForHome, pending: before };
	const halfFree: Snapshot = {
		...crowded,
		pools: [aPool({ gpusPerNode: 8, freeSlots: [4, 5, 6, 7] })],
		running: [
			aJob("long")
				.gpus(4)
				.estimate(30 * HOUR_MS)
				.running("home-a", [0, 1, 2, 3], HOUR_MS),
		],
		pending: [],
		offers: [],
	};
	const spotAndFirm: Snapshot = {
		...crowded,
		policy: aPolicy({ rules: [["go", null, burstRule({ always: true })]] }),
		offers: [anOffer({ usd: "4.00" }), anOffer({ capacityType: "spot", usd: "1.00", onDemandMicroUsdPerHour: 4_000_000n })],
		offerRecords: new Map(),
	};
	const cases: [string, Snapshot, PendingJob][] = [
		["another model", crowded, aJob("train").accelerators("H100-80GB").gpus(1).build()],
		[
			"half of it",
			halfFree,
			aJob("train")
				.gpus(8)
				.estimate(3 * HOUR_MS)
				.build(),
		],
		["one machine", { ...crowded, running: [], pools: [{ ...busyPool, freeSlots: [0, 1, 2, 3, 4, 5, 6, 7] }], pending: [] }, gang()],
		[
			"a later deadline, checkpoints",
			spotAndFirm,
			aJob("train")
				.estimate(4 * HOUR_MS)
				.deadline(NOON_MS + 7 * HOUR_MS)
				.build(),
		],
		["less than asked", spotAndFirm, aJob("train").cpus(6).memoryGiB(20).build()],
	];
	it.each(cases)("gives the promised figures: %s", (_, snapshot, job) => {
		const found = suggestionsFor(snapshot, job);
		expect(found.length).toBeGreaterThan(0);
		for (const suggestion of found) {
			const spec = followed(job.spec, suggestion.fields);
			expect(spec).not.toEqual(job.spec);
			expect(quoteOf(snapshot, { ...job, spec })).toEqual(suggestion.prospect);
		}
	});
});

/** Two machines of four GPUs each, with no pool that supports gangs. */
function gang(): PendingJob {
	return aJob("train")
		.nodes(2)
		.gpus(4)
		.estimate(3 * HOUR_MS)
		.build();
}
