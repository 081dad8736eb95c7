import { describe, expect, it } from "vitest";
import { parsePolicy } from "./parse-policy.ts";
import { anOffer, HOME, rulesText, shown } from "./testing/builders.ts";
import type { ParsePolicyOptions } from "./types.ts";

const PLACES = [HOME, anOffer(), anOffer({ capacityType: "spot" }), anOffer({ region: "eu-west-1", instanceType: "g5.xlarge" })];

function found(options: ParsePolicyOptions, ...rules: string[]): string[] {
	return shown(parsePolicy(rulesText(...rules), options).problems).filter((p) => !p.startsWith("4:"));
}

describe("teams", () => {
	const teams = ["risk", "vision"];
	it("are reported in conditions, at their position, when unknown", () => {
		expect(found({ teams }, `{ id: a, when: 'job.team == "rsik" || "visoin" == job.team', limit: { instanceHours: 1 } }`)).toEqual([
			'6:35 error There is no team "rsik". | Did you mean risk?',
			'6:45 error There is no team "visoin". | Did you mean vision?',
		]);
		expect(found({ teams }, `{ id: a, when: 'job.team in ["risk", "audit"]', limit: { instanceHours: 1 } }`)).toEqual([
			'6:44 error There is no team "audit". | Use one of: risk, vision.',
		]);
	});
	it("are accepted when they exist, and when the list of teams is unknown", () => {
		expect(found({ teams }, `{ id: a, when: 'job.team != "risk"', limit: { instanceHours: 1 } }`)).toEqual([]);
		expect(found({}, `{ id: a, when: 'job.team == "rsik"', limit: { instanceHours: 1 } }`)).toEqual([]);
	});
	it("are reported in rules that adopt jobs of a cluster's own queue", () => {
		expect(found({ teams }, "{ id: a, adopt: { team: rsik } }")).toEqual(['6:7 error There is no team "rsik". | Did you mean risk?']);
		expect(found({ teams }, "{ id: a, adopt: { team: risk } }")).toEqual([]);
	});
	it("are reported in shares", () => {
		const text = `${rulesText("{ id: a, burst: { always: true } }")}  shares: { risk: 2, vsion: 1 }\n`;
		expect(shown(parsePolicy(text, { teams }).problems)).toContain('7:22 error There is no team "vsion". | Did you mean vision?');
	});
});

describe("families", () => {
	const instanceTypes = [
		{ provider: "aws" as const, instanceType: "g5.xlarge" },
		{ provider: "azure" as const, instanceType: "Standard_ND96asr_v4" },
		{ provider: "gcp" as const, instanceType: "a3-highgpu-8g" },
	];
	it.each<[string, string]>([
		["g5.xlrge", "Did you mean g5.xlarge?"],
		["g6", "Did you mean g5?"],
		["standard_nd96asr_v5", "Did you mean Standard_ND96asr_v4?"],
		["quantum-9000", "Use one of: g5, Standard_ND96asr_v4, a3-highgpu-8g."],
		["'tpu*'", "Use one of: g5, Standard_ND96asr_v4, a3-highgpu-8g."],
		["a3-highgpu", "Did you mean a3-highgpu-8g?"],
	])("without an instance type are rejected, however dissimilar: %s", (family, fix) => {
		for (const effect of ["allow", "deny"]) {
			expect(found({ instanceTypes }, `{ id: a, ${effect}: { instanceFamilies: [g5, ${family}] } }`)).toEqual([
				`6:7 error a names ${family.replaceAll("'", "")}, which matches no instance type of the offers or the catalog. | ${fix}`,
			]);
		}
	});
	it("are reported in conditions on the quote, as whole types", () => {
		const asks = (when: string) => `{ id: a, when: '${when}', require: { approval: platform } }`;
		const twice = asks('quote.instanceType == "g5.xlrge" || quote.instanceType in ["", "a3-highgpu-8g", "quantum"]');
		expect(found({ instanceTypes }, twice).filter((p) => p.includes("error"))).toEqual([
			'6:45 error There is no instance type "g5.xlrge". | Did you mean g5.xlarge?',
			'6:103 error There is no instance type "quantum". | Use one of: g5.xlarge, Standard_ND96asr_v4, a3-highgpu-8g.',
		]);
		expect(found({}, twice).filter((p) => p.includes("error"))).toEqual([]);
	});
	it("of any available cloud are accepted, and all families when the list is unknown", () => {
		const known = `{ id: a, allow: { instanceFamilies: [g5, g5.xlarge, "Standard_ND96*", a3-*, "*"] } }`;
		expect(found({ instanceTypes }, known)).toEqual([]);
		expect(found({}, "{ id: a, deny: { instanceFamilies: [quantum-9000] } }")).toEqual([]);
	});
});

describe("places", () => {
	const options = { places: PLACES };
	it.each<[string, string[], string[]]>([
		[
			"a list that leaves none",
			["{ id: a, allow: { instanceFamilies: [p5] } }"],
			["6:7 warning a excludes all 3 cloud offers. | Widen it; to keep its jobs at home, deny cloud."],
		],
		[
			"a type that there is not",
			["{ id: a, require: { capacityType: reserved } }"],
			["6:7 warning a excludes all 3 cloud offers. | Widen it; to keep its jobs at home, deny cloud."],
		],
		[
			"a slip in a region",
			['{ id: a, deny: { regions: ["aws:eu-wset-1"] } }'],
			["6:7 warning a names aws:eu-wset-1, which matches no known region. | Did you mean aws:eu-west-1?"],
		],
		[
			"rules that leave none together",
			['{ id: a, allow: { regions: ["aws:eu-*"] } }', "{ id: b, require: { capacityType: spot } }"],
			["7:7 warning a, b together exclude all 3 cloud offers: no job can burst. | Widen one of them, or give it a condition."],
		],
	])("%s", (_what, rules, want) => {
		expect(found(options, ...rules)).toEqual(want);
		expect(found({}, ...rules)).toEqual([]);
	});

	it.each<[string, string[]]>([
		["clouds that are closed on purpose", ["{ id: a, deny: { sites: [cloud] } }"]],
		["providers that are not connected", ['{ id: a, allow: { regions: ["aws:eu-*", "gcp:europe-*"] } }']],
		[
			"rules for different jobs",
			['{ id: a, when: job.critical, allow: { regions: ["aws:eu-*"] } }', "{ id: b, require: { capacityType: spot } }"],
		],
	])("accepts %s", (_what, rules) => {
		expect(found(options, ...rules)).toEqual([]);
	});
});
