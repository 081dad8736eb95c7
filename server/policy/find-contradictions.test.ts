import { describe, expect, it } from "vitest";
import { globsOverlap, matchesFamily, matchesGlob, matchesRegion } from "./match-pattern.ts";
import { problemsIn, rulesText } from "./testing/builders.ts";

const DENY_SPOT = "{ id: no-spot, deny: { capacityTypes: [spot] } }";
const BURST = "{ id: burst, burst: { always: true } }";

/** The first problem, without its fix. */
function first(...rules: string[]): string | null {
	return (
		problemsIn(rulesText(...rules))
			.find((p) => !p.startsWith("4:"))
			?.split(" | ")[0] ?? null
	);
}

describe("rules that contradict each other", () => {
	it.each([
		[
			"a required type that is always denied",
			["{ id: spot, when: job.critical, require: { capacityType: spot } }", DENY_SPOT],
			"6:7 error spot requires spot, which no-spot (line 7) denies: no cloud offer is left for its jobs.",
		],
		[
			"a required type outside the allowed ones",
			["{ id: only-reserved, allow: { capacityTypes: [reserved] } }", "{ id: spot, require: { capacityType: spot } }"],
			"7:7 error spot requires spot, which only-reserved (line 6) does not allow: no cloud offer is left for its jobs.",
		],
		[
			"two requirements",
			["{ id: a, require: { capacityType: spot } }", "{ id: b, require: { capacityType: on_demand } }"],
			"7:7 error b requires on_demand and a (line 6) requires spot: a job that meets both finds no cloud offer.",
		],
		[
			"two requirements, one under a condition",
			["{ id: a, when: job.critical, require: { capacityType: on_demand } }", "{ id: b, require: { capacityType: spot } }"],
			"7:7 warning b requires spot and a (line 6) requires on_demand: a job that meets both finds no cloud offer.",
		],
		[
			"regions without overlap",
			['{ id: a, allow: { regions: ["aws:eu-*"] } }', '{ id: b, allow: { regions: ["aws:us-*", "gcp:*"] } }'],
			"7:7 error b and a (line 6) allow regions that have nothing in common: no cloud offer passes both.",
		],
		[
			"families without overlap",
			["{ id: a, allow: { instanceFamilies: [p4d] } }", "{ id: b, allow: { instanceFamilies: [p5] } }"],
			"7:7 error b and a (line 6) allow instanceFamilies that have nothing in common: no cloud offer passes both.",
		],
		[
			"bursts where every cloud is denied",
			[BURST, "{ id: home-only, deny: { sites: [cloud] } }"],
			"6:7 error burst lets jobs burst, but home-only (line 7) denies every cloud to every job.",
		],
		[
			"bursts where every cloud capacity is denied",
			[BURST, "{ id: none, deny: { capacityTypes: [spot, on_demand, reserved] } }"],
			"6:7 error burst lets jobs burst, but none (line 7) denies every cloud to every job.",
		],
		[
			"all places denied",
			["{ id: a, deny: { sites: [cloud] } }", "{ id: b, deny: { sites: [owned] } }"],
			"7:7 error Every place is denied, at home and in the clouds: no job can ever run.",
		],
		["a duplicate id", [BURST, "{ id: burst, limit: { instanceHours: 1 } }"], "7:13 error The rule ID burst is already used on line 6."],
		[
			"an allow rule that excludes home",
			["{ id: a, allow: { sites: [aws-main] } }"],
			"6:7 warning a allows only aws-main: its jobs run at home only on a site named there.",
		],
		[
			"a required type that is denied for some of its jobs",
			["{ id: spot, require: { capacityType: spot } }", "{ id: b, when: job.critical, deny: { capacityTypes: [spot] } }"],
			"6:7 warning spot requires spot, which b (line 7) denies: a job that meets both finds no cloud offer.",
		],
		[
			"two requirements that can hold for the same job",
			[
				"{ id: a, when: job.critical, require: { capacityType: spot } }",
				"{ id: b, when: job.hasDeadline, require: { capacityType: on_demand } }",
			],
			"7:7 warning b requires on_demand and a (line 6) requires spot: a job that meets both finds no cloud offer.",
		],
		[
			"an allow rule for something denied",
			[
				'{ id: a, when: job.critical, allow: { regions: ["aws:eu-west-1", "gcp:europe-*"] } }',
				'{ id: b, deny: { regions: ["aws:eu-*", "gcp:*"] } }',
			],
			"6:7 error a allows only regions that b (line 7) denies: no cloud offer is left.",
		],
		[
			"an allow rule for something denied for some",
			[
				"{ id: a, allow: { instanceFamilies: [p5, p4d.24xlarge] } }",
				"{ id: b, when: job.critical, deny: { instanceFamilies: [p4d, p5] } }",
			],
			"6:7 warning a allows only instanceFamilies that b (line 7) denies: no cloud offer is left where both hold.",
		],
		[
			"bursts where all of their clouds are denied",
			[
				'{ id: go, when: job.class == "sensitive", burst: { always: true } }',
				`{ id: home-only, when: 'job.class in ["sensitive", "baseline"]', deny: { sites: [cloud] } }`,
			],
			"6:7 error go lets jobs burst, but home-only (line 7) denies every cloud to all of them.",
		],
		[
			"all places denied for some",
			["{ id: a, when: job.gpus > 4, deny: { sites: [cloud] } }", "{ id: b, when: job.gpus > 8, deny: { sites: [owned] } }"],
			"7:7 warning b and a (line 6) deny every place, at home and in the clouds, to the jobs that meet both: these jobs fail.",
		],
	])("%s", (_what, rules, want) => {
		expect(first(...rules)).toBe(want);
	});

	it.each([
		[
			"different conditions",
			[
				'{ id: a, when: job.class == "experimental", require: { capacityType: spot } }',
				'{ id: b, when: job.class != "experimental", require: { capacityType: on_demand } }',
			],
		],
		[
			"a denial for other jobs",
			["{ id: a, when: job.gpus > 8, require: { capacityType: spot } }", "{ id: b, when: job.gpus <= 8, deny: { capacityTypes: [spot] } }"],
		],
		[
			"a denied type where clouds are denied anyway",
			[
				"{ id: a, when: job.critical, require: { capacityType: spot } }",
				"{ id: b, when: job.gpus > 8, deny: { capacityTypes: [spot] } }",
				"{ id: c, when: job.critical, deny: { sites: [cloud] } }",
			],
		],
		[
			"lists for data in two areas",
			[
				`{ id: a, when: '"eu" in job.residency', allow: { regions: ["aws:eu-*"] } }`,
				`{ id: b, when: '"us" in job.residency', allow: { regions: ["aws:us-*"] } }`,
			],
		],
		["overlapping regions", ['{ id: a, allow: { regions: ["aws:*"] } }', '{ id: b, allow: { regions: ["*:eu-*"] } }']],
		[
			"a family and its size",
			["{ id: a, allow: { instanceFamilies: [p4d] } }", "{ id: b, when: job.critical, allow: { instanceFamilies: [p4d.24xlarge] } }"],
		],
		["a conditional denial of clouds", [BURST, '{ id: b, when: job.class == "sensitive", deny: { sites: [cloud] } }']],
		["sites of one kind", ["{ id: a, allow: { sites: [cloud, owned] } }", "{ id: b, allow: { sites: [owned, aws-main] } }"]],
	])("finds nothing wrong with %s", (_what, rules) => {
		expect(first(...rules)).toBeNull();
	});
});

describe("patterns", () => {
	it.each([
		["aws:eu-*", "aws:eu-west-1", true],
		["aws:eu-*", "aws:us-east-1", false],
		["*", "", true],
		["", "", true],
		["a*b*c", "a-b-b-c", true],
		["a*b*c", "a-b-b-d", false],
		["standard_nd96*", "Standard_ND96asr_v4", true],
		["p4", "p4d", false],
		["*d", "p4d", true],
	])("%s holds %s: %s", (pattern, text, want) => {
		expect(matchesGlob(pattern, text)).toBe(want);
	});

	it("compares regions with provider:region, and never with home", () => {
		expect(matchesRegion("aws:*", { provider: "aws", region: "eu-west-1" })).toBe(true);
		expect(matchesRegion("eu-west-1", { provider: "aws", region: "eu-west-1" })).toBe(false);
		expect(matchesRegion("*", { provider: "local", region: null })).toBe(false);
	});

	it("compares families with the part before the dot on AWS, and with the whole type elsewhere", () => {
		expect(matchesFamily("p4d", { provider: "aws", instanceType: "p4d.24xlarge" })).toBe(true);
		expect(matchesFamily("p4d.24*", { provider: "aws", instanceType: "p4d.24xlarge" })).toBe(true);
		expect(matchesFamily("p4", { provider: "aws", instanceType: "p4d.24xlarge" })).toBe(false);
		expect(matchesFamily("a3", { provider: "gcp", instanceType: "a3-highgpu-8g" })).toBe(false);
		expect(matchesFamily("a3-*", { provider: "gcp", instanceType: "a3-highgpu-8g" })).toBe(true);
		expect(matchesFamily("*", { provider: "local", instanceType: null })).toBe(false);
	});

	it.each([
		["aws:eu-*", "*:eu-west-1", true],
		["a*", "*b", true],
		["a*", "b*", false],
		["abc", "abc", true],
		["abc", "abd", false],
		["*", "", true],
		["a*c", "abd", false],
	])("%s and %s overlap: %s", (a, b, want) => {
		expect([globsOverlap(a, b), globsOverlap(b, a)]).toEqual([want, want]);
	});
});
