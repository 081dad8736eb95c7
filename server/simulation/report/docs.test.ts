import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { MEASURES } from "#server/policy/types.ts";
import { RULES_OF_THUMB_NAMES, SPILLWAY } from "#server/simulation/replay/replay.ts";
import { replayWithSeries } from "#server/simulation/replay/replay-with-series.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";
import { parseScenario, readScenarioFile } from "#server/simulation/scenario-file/read-scenario.ts";
import { fieldsAt } from "#server/simulation/scenario-file/schema.ts";
import { SACCT_COMMAND } from "#server/simulation/trace-file/parse-sacct.ts";
import { parseTrace, readTrace } from "#server/simulation/trace-file/read-trace.ts";

const root = new URL("../../../", import.meta.url);
const page = readFileSync(new URL("docs/simulator.md", root), "utf8");
const missing = (names: readonly string[]): string[] => names.filter((name) => !page.includes(`\`${name}\``));

/** Facts for any scenario. */
const FACTS: ShippedFacts = {
	offers: (atMs) =>
		(
			[
				["aws", "us-east-1"],
				["gcp", "us-central1"],
				["azure", "eastus"],
			] as const
		).map(([provider, region]) => {
			return {
				...{
					id: `${provider}:${region}:*:x:on_demand`,
					siteId: provider,
					provider,
					region,
					zone: null,
					instanceType: "x",
					accelerator: "A100-80GB",
				},
				...{ gpus: 8, vcpus: 8, memoryGiB: 8, capacityType: "on_demand" as const, microUsdPerHour: 1n, onDemandMicroUsdPerHour: 1n },
				...{ priceObservedAtMs: atMs, priceSource: "test", backoffUntilMs: null, backoffReason: null, egressMicroUsdPerGiB: 0n },
				...{ gridGramsPerKwh: 1, pue: 1 },
			};
		}),
	ownedRate: () => ({ microUsdPerGpuHour: 1n, wattsPerGpu: 1, pue: 1 }),
	onPremisesPue: 1.58,
	gridZone: () => 1,
	acceleratorsNamed: (name) => [name],
	boardWatts: {},
	throughputPrior: { accelerators: [], logMean: [], covariance: [] },
};

describe("docs/simulator.md", () => {
	it("names every field of a scenario, its pools and its offers", () => {
		const paths = ["spec", "spec.pools.0", "spec.offers.0", "spec.catalog", "spec.priceHistory.0", "spec.spotAvailability", "spec.grid"];
		const more = [
			"spec.data.sets.0",
			"spec.data.links.0",
			"spec.spotAvailability.assign.0",
			"spec.grid.files.0",
			"spec.checkpoint",
			"spec.capacityErrors",
			"spec.data",
			"spec.pipelines.0",
		];
		for (const path of [...paths, ...more]) expect(fieldsAt(path).length, path).toBeGreaterThan(0);
		expect(missing(paths.flatMap(fieldsAt))).toEqual([]);
		expect(more.flatMap(fieldsAt).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
	});
	it("names every figure in a report", () => {
		const { jobs } = parseTrace("job_id,submit_s,duration_s,gpus\n1,0,60,1\n", "t");
		const { scenario } = parseScenario(example(), { facts: FACTS, name: "docs", open: () => "" });
		const { series, strategy, ...figures } = replayWithSeries(jobs, scenario, { name: "owned_fifo", policy: null });
		expect(strategy).toBe("owned_fifo");
		expect(missing(Object.keys(figures))).toEqual([]);
		expect(missing(Object.keys(series).map((name) => `series.${name}`))).toEqual([]);
		expect(missing(Object.keys(series.days[0] ?? {}).filter((name) => name !== "date"))).toEqual([]);
	});
	it("names every strategy, and every flag of the command", () => {
		expect(missing([...RULES_OF_THUMB_NAMES, SPILLWAY])).toEqual([]);
		const flags = [
			...readFileSync(new URL("server/bin/simulate-options.ts", root), "utf8").matchAll(/^\t{4}"?([a-z-]+)"?: \{ type: "(\w+)"/gm),
		];
		const shown = flags.map((m) => m[1] ?? "").filter((name) => name !== "help" && name !== "no-progress");
		expect(shown.length).toBeGreaterThan(8);
		expect(shown.filter((name) => !page.includes(`| \`--${name}`))).toEqual([]);
	});
	it("shows the sacct command that the errors name", () => {
		expect(page).toContain(SACCT_COMMAND);
	});
	it("shows a valid scenario, with the documented defaults", () => {
		const { scenario } = parseScenario(example(), { facts: FACTS, name: "docs", open: () => "" });
		expect(scenario.offers.map((offer) => offer.id)).toEqual(["aws:us-east-1:*:x:on_demand", "gcp:us-central1:*:x:on_demand"]);
		const bare = parseScenario(example().replace(/^ {2}(seed|start|boot|checkpoint).*\n/gm, ""), {
			facts: FACTS,
			name: "docs",
			open: () => "",
		}).scenario;
		expect([bare.seed, new Date(bare.startMs).toISOString(), bare.bootMs, bare.checkpointEveryMs, bare.restoreMs, bare.refusalMs]).toEqual([
			...[1, "2026-01-01T00:00:00.000Z", 240_000, 900_000, 180_000, 30_000],
		]);
	});
});

function example(): string {
	return /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
}

describe("examples/simulate", () => {
	const path = (name: string): string => new URL(`examples/simulate/${name}`, root).pathname;
	it("has a valid trace and valid scenarios", async () => {
		expect(await readTrace(path("trace.csv"))).toHaveLength(230);
		expect(readScenarioFile(path("own-prices.yaml"), { facts: FACTS }).scenario.availability.size).toBe(3);
		expect(readScenarioFile(path("catalogue.yaml"), { facts: FACTS }).scenario.offers).toHaveLength(3);
		expect(readScenarioFile(path("pipelines.yaml"), { facts: FACTS }).scenario.pipelines).toHaveLength(5);
	});
	it.each(["policy", "prompt", "at-once", "prewarm"])("has a valid policy %s", (name) => {
		const { problems } = parsePolicy(readFileSync(path(`${name}.yaml`), "utf8"), { measures: MEASURES });
		expect(problems).toEqual([]);
	});
});
