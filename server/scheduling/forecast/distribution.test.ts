import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aJob } from "../testing/builders.ts";
import { Distribution } from "./distribution.ts";
import { drawnShare } from "./draw.ts";
import { DurationBook } from "./duration-book.ts";
import { pointsOf, quantileOf } from "./quantiles.ts";
import { makeDistributionOf } from "./run-times.ts";

const runs = fc.array(fc.integer({ min: 1, max: 10 * HOUR_MS }), { minLength: 1, maxLength: 60 });
const distributionOf = (...lists: number[][]): Distribution =>
	new Distribution(
		lists.map((list, i) => {
			const sorted = list.toSorted((a, b) => a - b);
			return { weight: 1 / (i + 1), samples: sorted.length, points: pointsOf(sorted) };
		}),
	);

describe("a distribution of run times", () => {
	it("has quantiles that rise with their share, and shares that invert them", () => {
		fc.assert(
			fc.property(fc.array(runs, { minLength: 1, maxLength: 4 }), (lists) => {
				const d = distributionOf(...lists);
				let last = 0;
				for (let share = 0.01; share < 1; share += 0.01) {
					const at = d.quantile(share);
					expect(at).toBeGreaterThanOrEqual(last);
					expect(d.shareUpTo(at)).toBeGreaterThanOrEqual(share - 1e-6);
					last = at;
				}
			}),
		);
	});

	it("never leaves a negative time, or a P90 below its P50, however long a run has gone on", () => {
		fc.assert(
			fc.property(runs, fc.double({ min: 0, max: 1e10, noNaN: true }), (list, doneMs) => {
				const d = distributionOf(list);
				const [p50, p90] = [d.restAfter(doneMs, 0.5), d.restAfter(doneMs, 0.9)];
				expect(Number.isFinite(p90)).toBe(true);
				expect(p50).toBeGreaterThanOrEqual(0);
				expect(p90).toBeGreaterThanOrEqual(p50);
			}),
		);
	});

	it("expects a run to last longer the longer it has run, when few are short and some very long", () => {
		// Pareto with exponent 1 from a minute on: its hazard falls with age.
		const d = distributionOf(Array.from({ length: 200 }, (_, i) => MINUTE_MS / (1 - (i + 0.5) / 200)));
		const rests = [1, 2, 4, 8, 16, 32].map((minutes) => d.restAfter(minutes * MINUTE_MS, 0.5));
		for (const [i, rest] of rests.entries()) if (i > 0) expect(rest).toBeGreaterThan(rests[i - 1] ?? 0);
	});

	it("leaves a quarter of the elapsed time (P50) and 1.1 times it (P90) beyond the longest known run", () => {
		const d = distributionOf([HOUR_MS, HOUR_MS, HOUR_MS]);
		expect(d.restAfter(8 * HOUR_MS, 0.5)).toBeCloseTo(2 * HOUR_MS, -3);
		expect(d.restAfter(8 * HOUR_MS, 0.9) / HOUR_MS).toBeCloseTo(8 * 1.1, 0);
	});
});

describe("quantiles", () => {
	it.each([
		[[1], 0.5, 1],
		[[1, 3], 0.5, 2],
		[[1, 2, 3, 4], 0.9, 3.7],
	])("of %j at %f is %f, as in percentile_cont", (sorted, share, expected) => {
		expect(quantileOf(sorted, share)).toBeCloseTo(expected);
	});
});

describe("the run time that history predicts for a job", () => {
	const bookOf = (entries: [name: string, team: string, estimateMs: number, runMs: number, times: number][]): DurationBook => {
		const book = new DurationBook();
		for (const [name, team, estimateMs, durationMs, times] of entries) {
			for (let i = 0; i < times; i++)
				book.add({ spec: aJob(`${name}${i}`).team(team).estimate(estimateMs).build().spec, durationMs: durationMs + i });
		}
		return book;
	};
	const medianOf = (book: DurationBook, name: string, team: string, estimateMs: number): number =>
		makeDistributionOf(book.read())(aJob(name).team(team).estimate(estimateMs).build().spec)?.quantile(0.5) ?? Number.NaN;

	it("uses the name's own runs when there are many, whatever the estimate", () => {
		const book = bookOf([
			["long-v", "risk", HOUR_MS, 5 * HOUR_MS, 60],
			["short-v", "risk", HOUR_MS, MINUTE_MS, 60],
		]);
		expect(medianOf(book, "long-v99", "risk", HOUR_MS) / HOUR_MS).toBeCloseTo(5, 1);
		expect(medianOf(book, "short-v99", "risk", HOUR_MS) / MINUTE_MS).toBeCloseTo(1, 1);
	});

	it("follows a pipeline's estimates where they were exact, and its runs where estimates were useless", () => {
		const exact = new DurationBook();
		const useless = new DurationBook();
		for (let i = 1; i <= 60; i++) {
			const durationMs = i * i * MINUTE_MS;
			exact.add({ spec: aJob("train-v1").team("risk").estimate(durationMs).build().spec, durationMs });
			const said = ((i * 37) % 61) ** 2 * MINUTE_MS;
			useless.add({ spec: aJob("train-v1").team("risk").estimate(said).build().spec, durationMs });
		}
		for (const hours of [0.1, 2, 40]) expect(medianOf(exact, "train-v2", "risk", hours * HOUR_MS) / (hours * HOUR_MS)).toBeCloseTo(1, 0);
		expect(medianOf(useless, "train-v2", "risk", 40 * HOUR_MS) / HOUR_MS).toBeLessThan(20);
	});

	it("scales a new name's estimate by the accuracy of the team's estimates", () => {
		// Runs of many lengths, all half as long as their estimate.
		const book = new DurationBook();
		for (let i = 1; i <= 60; i++)
			book.add({
				spec: aJob(`n${i}x`)
					.team("risk")
					.estimate(i * i * MINUTE_MS)
					.build().spec,
				durationMs: (i * i * MINUTE_MS) / 2,
			});
		const median = medianOf(book, "never-seen", "risk", 10 * HOUR_MS);
		expect(median / HOUR_MS).toBeGreaterThan(4);
		expect(median / HOUR_MS).toBeLessThan(6);
	});

	it("uses everyone's runs for a team without runs, and returns nothing without history", () => {
		const kinds = Array.from({ length: 50 }, (_, i) => [`kind-${i}-x`, "risk", (i % 2 === 0 ? 2 : 4) * HOUR_MS] as const);
		const book = new DurationBook();
		for (const [name, team, durationMs] of kinds) {
			const { spec } = aJob(name).team(team).build();
			book.add({ spec: { ...spec, duration: { estimateMs: null } }, durationMs });
		}
		const spec = { ...aJob("x").team("new").build().spec, duration: { estimateMs: null, maxMs: null } };
		expect((makeDistributionOf(book.read())(spec)?.quantile(0.5) ?? 0) / HOUR_MS).toBeCloseTo(3, 0);
		expect(makeDistributionOf([])(spec)).toBeNull();
	});

	it("does not expect a new kind of job to be like two hundred runs of another", () => {
		const book = new DurationBook();
		for (let i = 0; i < 210; i++) book.add({ spec: aJob(`home-${i}`).team("risk").estimate(MINUTE_MS).build().spec, durationMs: 50 + i });
		const { spec } = aJob("filler-1").team("risk").estimate(500_000).build();
		const distribution = makeDistributionOf(book.read())(spec);
		// Beyond all known runs of the team, the remainder comes from the job's estimate.
		for (const ranMs of [1_000, 60_000, 240_000]) {
			expect(((distribution?.restAfter(ranMs, 0.5) ?? 0) + ranMs) / 500_000).toBeGreaterThan(0.9);
			expect(((distribution?.restAfter(ranMs, 0.5) ?? 0) + ranMs) / 500_000).toBeLessThan(1.3);
		}
		// Its own kind is still expected to be short.
		const again = aJob("home-999").team("risk").estimate(MINUTE_MS).build().spec;
		expect(makeDistributionOf(book.read())(again)?.quantile(0.5)).toBeLessThan(1_000);
	});

	describe("run times by user", () => {
		/** For a job without an estimate, after forty one-hour runs by the team's other users and the given number of ten-hour runs by ann. */
		const medianHours = (ownRuns: number, asked: { name: string; user?: string }): number => {
			const book = new DurationBook();
			const add = (user: string, hours: number, times: number): void => {
				for (let i = 0; i < times; i++) {
					const { spec } = aJob(asked.name === "never-seen" ? `kind-${i}-x` : `train-v${i}`)
						.team("risk")
						.build();
					book.add({ spec: { ...spec, user, duration: { estimateMs: null } }, durationMs: hours * HOUR_MS + i });
				}
			};
			for (const other of ["ben", "cem", "dan", "eva"]) add(other, 1, 10);
			add("ann", 10, ownRuns);
			const spec = { ...aJob(asked.name).team("risk").build().spec, duration: { estimateMs: null, maxMs: null } };
			return (makeDistributionOf(book.read())({ ...spec, ...(asked.user && { user: asked.user }) })?.quantile(0.5) ?? Number.NaN) / HOUR_MS;
		};

		it.each(["train-v9", "never-seen"])("follows the ten-hour runs of a user with twenty of them, instead of the team's: %s", (name) => {
			expect(medianHours(20, { name, user: "ann" })).toBeCloseTo(10, 1);
			expect(medianHours(20, { name, user: "ben" })).toBeCloseTo(1, 1);
		});

		it.each(["train-v9", "never-seen"])(
			"uses the team's distribution for a user with two runs, an unknown user and no user: %s",
			(name) => {
				const [ann, unknown, none] = [{ name, user: "ann" }, { name, user: "zoe" }, { name }].map((asked) => medianHours(2, asked));
				expect(ann).toBeCloseTo(1, 1);
				expect([ann, unknown]).toEqual([none, none]);
			},
		);

		it("counts the runs of a one-user team once", () => {
			const stats = (user: string | undefined) => {
				const book = new DurationBook();
				for (let i = 1; i <= 5; i++)
					book.add({ spec: { ...aJob("a-v1").team("solo").build().spec, ...(user && { user }) }, durationMs: i * HOUR_MS });
				book.add({ spec: aJob("b").team("other").build().spec, durationMs: 50 * HOUR_MS });
				return book.read();
			};
			const { spec } = aJob("a-v2").team("solo").build();
			const [distribution, asBefore] = [
				makeDistributionOf(stats("ann"))({ ...spec, user: "ann" }),
				makeDistributionOf(stats(undefined))(spec),
			];
			for (const share of [0.1, 0.5, 0.9]) expect(distribution?.quantile(share)).toBe(asBefore?.quantile(share));
		});
	});

	it("is the same whatever the order of the statistics", () => {
		const stats = bookOf([
			["a-v", "risk", HOUR_MS, 2 * HOUR_MS, 7],
			["b-v", "vision", HOUR_MS, 4 * HOUR_MS, 5],
		]).read();
		const { spec } = aJob("a-v3").team("risk").build();
		const [one, other] = [makeDistributionOf(stats)(spec), makeDistributionOf(stats.toReversed())(spec)];
		for (const share of [0.1, 0.5, 0.9]) expect(one?.quantile(share)).toBe(other?.quantile(share));
	});

	it("forgets old runs: after a thousand newer ones, no old run remains", () => {
		const book = bookOf([
			["a-v", "risk", HOUR_MS, 9 * HOUR_MS, 300],
			["a-v", "risk", HOUR_MS, MINUTE_MS, 1_000],
		]);
		const stat = book.read().find((s) => s.team === "risk" && s.namePattern === "a-v" && s.gpus === undefined);
		expect(stat?.samples).toBe(1_000);
		expect(stat?.points?.at(-1)).toBeLessThan(2 * MINUTE_MS);
	});
});

describe("draws", () => {
	it("are spread evenly over the shares in a large pool, near the median in a small one, and repeatable", () => {
		const shares = Array.from({ length: 4_000 }, (_, i) => drawnShare(`job_${String(i).padStart(9, "0")}`, 0, 4_000));
		for (const share of [0.1, 0.5, 0.9]) {
			expect(shares.filter((s) => s < share).length / shares.length).toBeGreaterThan(share - 0.03);
			expect(shares.filter((s) => s < share).length / shares.length).toBeLessThan(share + 0.03);
		}
		expect(Math.max(...shares.map((_, i) => Math.abs(drawnShare(`job_${i}`, 0, 1) - 0.5)))).toBeLessThan(0.06);
		expect(drawnShare("job_a", 1, 0)).toBe(0.5);
		expect(drawnShare("job_a", 3, 64)).toBe(drawnShare("job_a", 3, 64));
	});
});
