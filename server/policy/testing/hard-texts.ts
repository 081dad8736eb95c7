import { POLICY_LIMITS } from "../limits.ts";
import type { ParsePolicyOptions } from "../types.ts";
import { anOffer, rulesText } from "./builders.ts";

const many = (count: number, of: (i: number) => string): string => Array.from({ length: count }, (_, i) => of(i)).join(",");
const rulesOf = (count: number, effect: (i: number) => string): string =>
	rulesText(...Array.from({ length: count }, (_, i) => `{ id: r${i}, ${effect(i)} }`));
const TYPES = Array.from({ length: 3_000 }, (_, i) => anOffer({ instanceType: `p${i}.24xlarge`, region: `us-${i % 40}` }));

/** Texts within every limit but with many pairs of parts: each check took 2 to 80 seconds before pairs were counted. */
export const HARD: [what: string, text: string, known: ParsePolicyOptions][] = [
	["lists that have nothing in common", rulesOf(60, (k) => `allow: { instanceFamilies: [${many(100, (i) => `f${k}x${i}`)}] }`), {}],
	["stars against long names", rulesOf(200, (k) => `deny: { instanceFamilies: ["*${"a".repeat(100)}b${k}", "${"a".repeat(120)}"] }`), {}],
	[
		"families that no one has",
		rulesOf(20, (k) => `deny: { instanceFamilies: [${many(100, (i) => `zq${k}x${i}`)}] }`),
		{ places: TYPES, instanceTypes: TYPES },
	],
	["regions that no one has", rulesOf(10, (k) => `allow: { regions: [${many(100, (i) => `"aws:q${k}x${i}"`)}] }`), { places: TYPES }],
	[
		"teams that are nearly there",
		rulesOf(60, () => `when: 'job.team in [${many(50, (i) => `"tm-numbr-${i}"`)}]', burst: { always: true }`),
		{ teams: Array.from({ length: 5_000 }, (_, i) => `team-number-${i}`) },
	],
	[
		"as many long conditions as fit",
		rulesOf(60, (k) => `when: '${Array.from({ length: 48 }, (_, i) => `job.gpus==${k}${i}`).join("||")}', burst: { always: true }`),
		{},
	],
];

/** Texts to repeat up to the maximum length, in every position that allows them. */
export const RUNS = [
	" ",
	"\t",
	"\n",
	"- ",
	"# ",
	": ",
	"{a: ",
	"[",
	"]",
	"}",
	'"',
	"'",
	"? ",
	"&a ",
	"a:\n ",
	"- - ",
	'"a": ',
	"job.team == ",
	"(",
	"!",
	"1m",
];
const HEAD = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: d }\nspec:\n";
export const filled = (run: string): string[] => {
	const long = run.repeat(Math.floor(60_000 / run.length));
	const rule = `${HEAD}  rules:\n    - id: a\n`;
	return [long, `${HEAD}  rules:\n${long}`, `${rule}      when: ${long}`, `${rule}      when: '${long}'\n`, `${long}\n  rules:\n    - `];
};

/** The same job judged by conditions of maximum length, each different. */
export const longCondition = (i: number): string => {
	const parts = [`job.gpus==${i}`];
	const left = POLICY_LIMITS.expressionCharacters - 60;
	while (parts.join("||").length < left && parts.length < 75) parts.push(`job.gpus==${i}.${parts.length}`);
	return parts.join("||");
};
