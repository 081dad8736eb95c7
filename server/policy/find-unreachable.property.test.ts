import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, isCloudProvider, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { defined } from "#server/kernel/assert.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import { judgeJob } from "./judge-job.ts";
import { judgePlace } from "./judge-place.ts";
import { parsePolicy } from "./parse-policy.ts";
import { aJob, anOffer, data, HOME, rulesText } from "./testing/builders.ts";
import { type JobVerdict, MEASURES } from "./types.ts";

const when = fc.constantFrom(
	"",
	"job.critical",
	"!job.critical",
	"job.gpus > 4",
	"job.gpus > 8",
	'job.class == "burst"',
	'job.class != "burst"',
	"job.hasDeadline",
	'"eu" in job.residency',
	'job.labels.tier == "gold"',
);
const list = (...entries: string[]) =>
	fc.subarray(entries, { minLength: 1, maxLength: 2 }).map((chosen) => `[${chosen.map((e) => `"${e}"`).join(", ")}]`);
const places = fc
	.record(
		{
			sites: list("cloud", "owned", "aws-main"),
			regions: list("aws:eu-*", "aws:eu-west-1", "aws:*", "gcp:*", "*"),
			instanceFamilies: list("p4d", "p4d.24xlarge", "p4*", "g5", "*"),
			capacityTypes: list(...CAPACITY_TYPES),
		},
		{ requiredKeys: [] },
	)
	.map((lists) => Object.entries(lists).map(([name, value]) => `${name}: ${value}`))
	.filter((lists) => lists.length > 0)
	.map((lists) => `{ ${lists.join(", ")} }`);
const minutes = fc.constantFrom(5, 10, 30);
const effect = fc.oneof(
	places.map((p) => `deny: ${p}`),
	places.map((p) => `allow: ${p}`),
	fc.constantFrom("spot", "on_demand").map((t) => `require: { capacityType: ${t} }`),
	fc
		.tuple(
			fc.constantFrom("forecastWait", "waited", "deadlineSlack"),
			minutes,
			fc.constantFrom("", ", or: { queueLength: 5 }", ", only: { costAtMostUsd: 5 }", ", only: { dataAtMostGiB: 5 }"),
		)
		.map(([t, m, more]) => `burst: { after: { ${t}: ${m}m }${more} }`),
	fc.constant("burst: { always: true }"),
	list(...WORKLOAD_CLASSES).map((l) => `preempt: { classes: ${l} }`),
	fc.tuple(list("home", "cheaper"), fc.constantFrom(0, 1)).map(([to, saving]) => `move: { to: ${to}, savingUsd: ${saving} }`),
	fc.tuple(fc.constantFrom("greener", "cheaper"), minutes).map(([to, m]) => `defer: { to: ${to}, within: ${m}m }`),
	fc.tuple(fc.constantFrom("instanceHours", "idleMinutes"), minutes).map(([f, n]) => `limit: { ${f}: ${n} }`),
	fc.tuple(fc.constantFrom(5, 10), minutes).map(([p, m]) => `limit: { gpuUtilisationBelow: { percent: ${p}, for: ${m}m } }`),
);
const rule = fc.tuple(when, effect).map(([condition, does]) => (condition === "" ? does : `when: '${condition}', ${does}`));
const rules = fc.array(rule, { minLength: 2, maxLength: 5 }).map((all) => all.map((text, index) => `{ id: r${index}, ${text} }`));

const JOBS = [false, true].flatMap((critical) =>
	[1, 6, 9].flatMap((nodes) =>
		(["burst", "sensitive"] as const).flatMap((c) => [
			aJob({ critical, nodes, class: c }),
			aJob({ critical, nodes, class: c, deadlineMs: 5, labels: { tier: "gold" }, data: [data(["eu"])] }),
		]),
	),
);
const PLACES = [
	HOME,
	...["us-east-1", "eu-west-1"].flatMap((region) =>
		["p4d.24xlarge", "g5.xlarge"].flatMap((instanceType) =>
			(["reserved", "on_demand", "spot"] as const).map((capacityType) => anOffer({ region, instanceType, capacityType })),
		),
	),
	anOffer({ siteId: "gcp-main", provider: "gcp", region: "europe-west4", instanceType: "a3-highgpu-8g" }),
];

/** Everything that a verdict allows, without the names of the rules. */
function outcomes(policy: Policy): unknown[] {
	return JOBS.map((job) => {
		const verdict = judgeJob(policy, job);
		const { instanceMs, idleMs } = verdict.limits;
		return {
			open: PLACES.map((place) => judgePlace(verdict, place) === null),
			limits: [instanceMs?.value ?? null, idleMs?.value ?? null, utilisationEnds(verdict)],
			leaves: [0, 4, 8, 20, 40].map((m) => leaves(verdict, m * 60_000)),
			takes: WORKLOAD_CLASSES.filter((c) => verdict.preempt.some((p) => p.classes.includes(c))),
			moves: (["home", "cheaper"] as const).map((to) =>
				[0n, 1_000_000n].map((saving) => verdict.moves.some((m) => m.to.includes(to) && m.savingMicroUsd <= saving)),
			),
			defers: (["greener", "cheaper"] as const).map((to) =>
				Math.max(0, ...verdict.defers.filter((d) => d.to === to).map((d) => d.withinMs)),
			),
		};
	});
}

function utilisationEnds({ limits: { gpuUtilisationBelow: low } }: JobVerdict): boolean[] {
	return [4, 7, 12].flatMap((percent) => [4, 8, 20, 40].map((m) => low !== null && percent < low.percent && m * 60_000 >= low.forMs));
}

/** Whether it may leave after this wait, with this slack, to offers of each cost and data size. */
function leaves(verdict: JobVerdict, ms: number): boolean[] {
	const met = (b: JobVerdict["burst"][number]) =>
		b.always ||
		(b.forecastWaitMs ?? Number.POSITIVE_INFINITY) < ms ||
		(b.waitedMs ?? Number.POSITIVE_INFINITY) < ms ||
		(b.deadlineSlackMs ?? -1) > ms ||
		(b.queueLength ?? Number.POSITIVE_INFINITY) < ms / 60_000;
	const bounds = [0n, 9_000_000n].flatMap((cost) => [0, 9].map((gib) => ({ cost, gib })));
	return bounds.map(({ cost, gib }) =>
		verdict.burst.some((b) => met(b) && (b.costAtMostMicroUsd ?? cost) >= cost && (b.dataAtMostGiB ?? gib) >= gib),
	);
}

describe("a rule reported to change nothing", () => {
	it("changes nothing when removed", () => {
		let found = 0;
		fc.assert(
			fc.property(rules, (texts) => {
				const { policy, problems } = parsePolicy(rulesText(...texts), { measures: MEASURES });
				if (!policy) return;
				const shadowed = problems.flatMap((p) => /^(r\d) changes nothing/.exec(p.message)?.[1] ?? []);
				for (const id of shadowed) {
					found++;
					const without = { ...policy, rules: policy.rules.filter((r) => r.id !== id) };
					expect(outcomes(without)).toEqual(outcomes(defined(policy, "policy")));
				}
			}),
			{ numRuns: 400, seed: 7 },
		);
		expect(found).toBeGreaterThan(20);
	});
});

/** Each rule read on its own, ignoring the findings about their combination. */
function together(texts: readonly string[]): Policy | null {
	const alone = texts.map((text) => parsePolicy(rulesText(text), { measures: MEASURES }).policy);
	const [first] = alone;
	if (!first || alone.includes(null)) return null;
	return { ...first, rules: alone.flatMap((policy) => policy?.rules ?? []) };
}

describe("rules reported to leave no cloud offer", () => {
	it("leave none for any job that the reported rule holds for", () => {
		let found = 0;
		fc.assert(
			fc.property(rules, (texts) => {
				const errors = parsePolicy(rulesText(...texts), { measures: MEASURES }).problems.filter((p) => p.severity === "error");
				const policy = together(texts);
				for (const { message } of errors) {
					const id = /^(r\d) .*(no cloud offer is left|no cloud offer passes both|denies every cloud)/.exec(message)?.[1];
					const rule = policy?.rules.find((r) => r.id === id);
					if (!policy || !rule) continue;
					found++;
					for (const job of JOBS) {
						if (evaluateExpression(rule.when, { job: new JobFacts(job) }).holds !== true) continue;
						const verdict = judgeJob(policy, job);
						expect(PLACES.filter((place) => isCloudProvider(place.provider) && judgePlace(verdict, place) === null)).toEqual([]);
					}
				}
			}),
			{ numRuns: 400, seed: 11 },
		);
		expect(found).toBeGreaterThan(20);
	});
});
