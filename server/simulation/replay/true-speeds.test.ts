import { expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { Engine } from "./engine.ts";
import type { ReplayJob } from "./job.ts";
import { CloudOnDemand } from "./strategies/cloud-on-demand.ts";
import { aReplayOffer, aScenario, aTraceJob } from "./testing/small.ts";
import { acceleratorsFor, trueSpeed } from "./true-speeds.ts";
import type { ReplayThroughput } from "./types.ts";

const throughput: ReplayThroughput = {
	recordedOn: "SLOW",
	families: [{ teams: ["vision"], users: ["a*"], speeds: { SLOW: 10, FAST: 30, TINY: 0 } }],
	prior: { accelerators: ["SLOW", "FAST"], logMean: [0, Math.log(2)], covariance: [] },
};

it("uses a family's ratio, and public figures for everyone else", () => {
	expect(trueSpeed(throughput, { team: "vision", user: "ada" }, "FAST")).toBe(3);
	expect(trueSpeed(throughput, { team: "vision", user: "ada" }, "TINY")).toBe(0);
	expect(trueSpeed(throughput, { team: "other", user: null }, "FAST")).toBeCloseTo(2, 9);
	expect(acceleratorsFor(throughput, { team: "vision", user: "ada" })).toEqual(["SLOW", "FAST"]);
	expect(acceleratorsFor(throughput, { team: "other", user: null })).toEqual([]);
});

it("runs a job at its speed, from a run time recorded on another accelerator", () => {
	const offer = { ...aReplayOffer("fast", { usd: "1" }), accelerator: "FAST", microUsdPerHour: usdToMicro("1") };
	const scenario = { ...aScenario({ pools: [], offers: [offer] }), throughput };
	const given = { user: "ada", durationMs: 3 * HOUR_MS };
	const jobs: ReplayJob[] = [];
	const trace = [aTraceJob("here", given), aTraceJob("there", { ...given, accelerators: ["FAST"] })];
	const engine = new Engine(trace, scenario, { onJob: (job) => jobs.push(job) });
	engine.run(new CloudOnDemand(engine));
	const ranMs = jobs.map((job) => (job.finishedAtMs ?? 0) - (job.firstStartMs ?? 0));
	expect(ranMs).toEqual([HOUR_MS, 3 * HOUR_MS]);
});
