import { describe, expect, it } from "vitest";
import { POLICY_LIMITS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { budgetsText, problemsIn, rulesText, shown } from "./testing/builders.ts";
import { MEASURES } from "./types.ts";

const BURST = "{ id: burst, burst: { always: true } }";

/** Problems of the rules, without their fixes and without findings about the whole policy. */
function found(...rules: string[]): string[] {
	return shown(parsePolicy(rulesText(...rules), { measures: MEASURES }).problems)
		.filter((p) => !p.startsWith("4:"))
		.map((p) => p.split(" | ")[0] ?? p);
}

describe("conditions", () => {
	it.each<[string, string, string[]]>([
		[
			"never met",
			'{ id: a, when: job.class == "burst" && job.class == "sensitive", deny: { sites: [cloud] } }',
			["6:22 error No job can meet this condition: a would never apply."],
		],
		[
			"never met by numbers",
			"{ id: a, when: job.priority > 100, limit: { instanceHours: 1 } }",
			["6:22 error No job can meet this condition: a would never apply."],
		],
		[
			"switched off",
			"{ id: a, when: false, limit: { instanceHours: 1 } }",
			["6:22 error No job can meet this condition: a would never apply."],
		],
		[
			"met by all",
			"{ id: a, when: job.nodes >= 1, limit: { instanceHours: 1 } }",
			["6:22 warning Every job meets this condition: a always applies."],
		],
		["that say that they always hold", "{ id: a, when: true, limit: { instanceHours: 1 } }", []],
	])("%s", (_what, rule, want) => {
		expect(found(rule)).toEqual(want);
	});
});

it("warns of instance lifetimes that barely fit the boot", () => {
	expect(found("{ id: short, limit: { instanceHours: 0.1 } }")).toEqual([
		"6:7 warning short ends instances after 6m, boot included: longer jobs without checkpoints in that time never finish.",
	]);
	expect(found("{ id: long, limit: { instanceHours: 0.5 } }")).toEqual([]);
});

describe("a rule made redundant by another", () => {
	const shadow = (id: string, other: string, line: number) =>
		`${id} changes nothing: ${other} (line ${line}) applies whenever it does, and does the same or more.`;
	it.each<[string, string[], string[]]>([
		[
			"the same twice",
			["{ id: a, deny: { sites: [cloud] } }", "{ id: b, deny: { sites: [cloud] } }"],
			[`7:7 warning ${shadow("b", "a", 6)}`],
		],
		[
			"a narrower denial before a wider one",
			["{ id: a, when: job.critical, deny: { regions: [aws:us-east-1] } }", '{ id: b, deny: { regions: ["aws:*"] } }'],
			[`6:7 warning ${shadow("a", "b", 7)}`],
		],
		[
			"a denial where all clouds are denied",
			[
				'{ id: a, when: job.class == "sensitive", deny: { sites: [cloud] } }',
				'{ id: b, when: job.class == "sensitive" && job.critical, deny: { capacityTypes: [spot] } }',
			],
			[`7:7 warning ${shadow("b", "a", 6)}`],
		],
		[
			"a longer life",
			["{ id: a, limit: { instanceHours: 8 } }", "{ id: b, when: job.gpus > 8, limit: { instanceHours: 24 } }"],
			[`7:7 warning ${shadow("b", "a", 6)}`],
		],
		[
			"a later burst",
			["{ id: a, burst: { after: { forecastWait: 10m } } }", "{ id: b, when: job.critical, burst: { after: { forecastWait: 30m } } }"],
			[`7:7 warning ${shadow("b", "a", 6)}`],
		],
		[
			"a burst after a burst at once",
			[BURST, "{ id: b, burst: { after: { waited: 30m }, only: { costAtMostUsd: 5 } } }"],
			[`7:7 warning ${shadow("b", "burst", 6)}`],
		],
		[
			"a wider allowance",
			['{ id: a, allow: { regions: ["aws:eu-west-1"] } }', '{ id: b, allow: { regions: ["aws:eu-*", "gcp:*"] } }'],
			[`7:7 warning ${shadow("b", "a", 6)}`],
		],
	])("%s", (_what, rules, want) => {
		expect(found(...rules)).toEqual(want);
	});

	it.each<[string, string[]]>([
		["a tighter limit for some", ["{ id: a, limit: { instanceHours: 24 } }", "{ id: b, when: job.gpus > 8, limit: { instanceHours: 8 } }"]],
		[
			"a sooner burst for some",
			["{ id: a, burst: { after: { forecastWait: 30m } } }", "{ id: b, when: job.critical, burst: { after: { forecastWait: 10m } } }"],
		],
		["another trigger", ["{ id: a, burst: { after: { forecastWait: 30m } } }", "{ id: b, burst: { after: { waited: 40m } } }"]],
		[
			"a more expensive burst",
			["{ id: a, burst: { after: { waited: 30m }, only: { costAtMostUsd: 5 } } }", "{ id: b, burst: { after: { waited: 40m } } }"],
		],
		[
			"a narrower allowance for some",
			['{ id: a, allow: { regions: ["aws:*"] } }', '{ id: b, when: job.critical, allow: { regions: ["aws:eu-*"] } }'],
		],
		[
			"other jobs",
			[
				"{ id: a, when: job.critical, deny: { regions: [aws:us-east-1] } }",
				"{ id: b, when: '!job.critical', deny: { regions: [aws:us-east-1] } }",
			],
		],
		[
			"a label that need not be there",
			[
				`{ id: a, when: 'job.labels.tier == "gold"', deny: { sites: [cloud] } }`,
				`{ id: b, when: 'job.labels.tier == "gold" || job.critical', deny: { sites: [cloud] } }`,
			],
		],
	])("is not %s", (_what, rules) => {
		expect(found(...rules).filter((p) => p.includes("changes nothing"))).toEqual([]);
	});
});

describe("rules that lead nowhere", () => {
	const DEADLINE_BURST = "{ id: b, when: '!job.hasDeadline', burst: { after: { deadlineSlack: 2h } } }";
	it.each<[string, string[], string[]]>([
		[
			"a burst for a deadline that is not there",
			[DEADLINE_BURST],
			["6:7 error b bursts when a deadline is near, but its jobs have none: it never applies."],
		],
		[
			"a burst for free",
			["{ id: b, burst: { always: true, only: { costAtMostUsd: 0 } } }"],
			["6:7 warning b lets jobs burst only to offers that cost nothing, so at most to reserved capacity."],
		],
		[
			"preempting the same kind",
			['{ id: p, when: job.class == "burst", preempt: { classes: [burst] } }'],
			["6:7 warning p lets jobs preempt only their own kind: a preempted job may preempt the other in turn."],
		],
		[
			"everybody taking everybody's place",
			["{ id: p, preempt: { classes: [baseline, burst, experimental, sensitive, batch_inference] } }"],
			["6:7 warning p lets jobs preempt only their own kind: a preempted job may preempt the other in turn."],
		],
		[
			"room at home for jobs that may not be there",
			[
				BURST,
				'{ id: p, when: job.class == "burst", preempt: { classes: [experimental] } }',
				'{ id: d, when: job.class == "burst", deny: { sites: [owned] } }',
			],
			["7:7 warning p makes room at home for jobs that d (line 8) keeps away from home."],
		],
		[
			"the place of jobs that are never at home",
			[
				BURST,
				"{ id: p, when: job.hasDeadline, preempt: { classes: [experimental] } }",
				'{ id: d, when: job.class == "experimental", deny: { sites: [owned] } }',
			],
			["7:7 warning p preempts experimental, which no rule lets run at home: there is nothing to preempt."],
		],
		[
			"a move without any burst",
			["{ id: m, move: { to: [home] } }"],
			["6:7 warning m moves burst jobs, but no rule lets any of its jobs burst: it only affects jobs that burst earlier."],
		],
		[
			"a question about jobs that nothing lets leave",
			["{ id: a, require: { approval: finance } }"],
			["6:7 warning a requires approval before jobs leave home, but no rule lets any of its jobs burst: it never applies."],
		],
		[
			"a question about jobs that have no cloud",
			[
				BURST.replace("burst,", "burst, when: '!job.critical',"),
				"{ id: d, when: job.critical, deny: { sites: [cloud] } }",
				"{ id: a, when: job.critical, require: { approval: finance } }",
			],
			["8:7 error a requires approval before jobs leave home, but d (line 7) denies every cloud to all of them: it never applies."],
		],
		[
			"a question that another rule of the same role asks whenever it does",
			[BURST, "{ id: a, require: { approval: finance } }", "{ id: b, when: quote.costUsd > 5.0, require: { approval: finance } }"],
			["8:7 warning b changes nothing: a (line 7) applies whenever it does, and does the same or more."],
		],
		[
			"questions to two roles",
			[BURST, "{ id: a, require: { approval: finance } }", "{ id: b, when: quote.costUsd > 5.0, require: { approval: platform } }"],
			[],
		],
		[
			"a move of others than burst",
			["{ id: b, when: job.critical, burst: { always: true } }", "{ id: m, when: '!job.critical', move: { to: [cheaper] } }"],
			["7:7 warning m moves burst jobs, but no rule lets any of its jobs burst: it only affects jobs that burst earlier."],
		],
		[
			"a move home from where all are kept away",
			[BURST, "{ id: d, deny: { sites: [owned] } }", "{ id: m, move: { to: [home] } }"],
			["8:7 warning m moves jobs home, but d (line 7) keeps them away from home."],
		],
		[
			"room for a deadline that is not there",
			["{ id: p, when: '!job.hasDeadline', preempt: { classes: [experimental] } }"],
			["6:7 error p makes room for jobs with a deadline, but its jobs have none: it has no effect."],
		],
		[
			"a move at a checkpoint that is not there",
			[BURST, "{ id: m, when: '!job.hasCheckpoint && job.critical', move: { to: [home] } }"],
			["7:7 error m moves jobs at a checkpoint, but its jobs write none: it has no effect."],
		],
		[
			"a cheaper hour at home",
			["{ id: b, when: job.critical, burst: { always: true } }", "{ id: d, when: '!job.critical', defer: { to: cheaper, within: 2h } }"],
			["7:7 warning d waits for a cheaper hour, but no rule lets any of its jobs burst: at home every hour costs the same."],
		],
		[
			"home closed to jobs that cannot leave",
			['{ id: d, when: job.class == "burst", deny: { sites: [owned] } }'],
			["6:7 warning d closes home to jobs that no rule lets burst: these jobs fail."],
		],
	])("%s", (_what, rules, want) => {
		expect(found(...rules)).toEqual(want);
	});

	it.each<[string, string[]]>([
		["room for deadlines", ["{ id: p, when: job.hasDeadline, preempt: { classes: [baseline, experimental, batch_inference] } }"]],
		[
			"room for a class among itself by deadline",
			['{ id: p, when: job.class == "burst" && job.hasDeadline, preempt: { classes: [burst] } }'],
		],
		["moves of what bursts", [BURST, "{ id: m, move: { to: [home, cheaper], savingUsd: 0.5 } }"]],
		["a deferral", ['{ id: d, when: job.class == "batch_inference", defer: { to: greener, within: 12h } }']],
		["a bounded burst", ["{ id: b, burst: { after: { forecastWait: 30m }, only: { costAtMostUsd: 50, dataAtMostGiB: 500 } } }"]],
	])("finds nothing wrong with %s", (_what, rules) => {
		expect(found(...rules)).toEqual([]);
	});
});

describe("budgets", () => {
	const of = (...budgets: string[]) => problemsIn(budgetsText(...budgets)).map((p) => p.split(" | ")[0]);
	const never = (id: string, outer: string, cap: string) =>
		`${id} never binds: ${outer} covers everything that it covers, with a cap of ${cap}.`;
	it.each<[string, string[], string[]]>([
		[
			"a larger cap within a smaller one",
			["{ id: all, period: month, capUsd: 500 }", "{ id: risk, scope: 'job.team == \"risk\"', period: month, capUsd: 600 }"],
			[`7:7 warning ${never("risk", "all (line 6)", "$500 a month")}`],
		],
		[
			"a month within a smaller year",
			["{ id: m, period: month, capUsd: 600 }", "{ id: y, period: year, capUsd: 500 }"],
			[`6:7 warning ${never("m", "y (line 7)", "$500 a year")}`],
		],
		[
			"a year of more than its twelve months",
			["{ id: m, period: month, capUsd: 100 }", "{ id: y, period: year, capUsd: 1300 }"],
			[`7:7 warning ${never("y", "m (line 6)", "$100 a month")}`],
		],
		[
			"the same twice",
			["{ id: a, period: month, capUsd: 5 }", "{ id: b, period: month, capUsd: 5 }"],
			[`7:7 warning ${never("b", "a (line 6)", "$5 a month")}`],
		],
		[
			"a larger rate",
			["{ id: a, burnRateUsdPerHour: 10 }", "{ id: b, scope: job.critical, burnRateUsdPerHour: 10 }"],
			[`7:7 warning ${never("b", "a (line 6)", "$10 an hour")}`],
		],
		[
			"more machines",
			["{ id: a, scope: job.gpus > 8, instances: 5 }", "{ id: b, instances: 4 }"],
			[`6:7 warning ${never("a", "b (line 7)", "4 instances")}`],
		],
		[
			"a scope that no one meets",
			["{ id: a, scope: job.gpus < 1, instances: 5 }"],
			["6:23 error No job can meet this scope: a would never count anything."],
		],
		[
			"a cap of nothing",
			["{ id: a, period: month, capUsd: 0 }", "{ id: b, instances: 0 }"],
			["6:7 warning a is 0: nothing that it counts can burst.", "7:7 warning b is 0: nothing that it counts can burst."],
		],
	])("%s", (_what, budgets, want) => {
		expect(of(...budgets)).toEqual(want);
	});

	it.each<[string, string[]]>([
		[
			"a smaller cap within",
			["{ id: all, period: month, capUsd: 500 }", "{ id: risk, scope: 'job.team == \"risk\"', period: month, capUsd: 100 }"],
		],
		["a larger cap over a longer time", ["{ id: m, period: month, capUsd: 100 }", "{ id: y, period: year, capUsd: 500 }"]],
		["a year of less than twelve months", ["{ id: m, period: month, capUsd: 100 }", "{ id: y, period: year, capUsd: 1199 }"]],
		[
			"overlapping teams",
			["{ id: a, scope: 'job.team == \"risk\"', period: month, capUsd: 5 }", "{ id: b, scope: job.critical, period: month, capUsd: 6 }"],
		],
		[
			"another reaction at the same cap",
			[
				"{ id: a, period: month, capUsd: 5 }",
				"{ id: b, scope: job.hasCheckpoint, period: month, capUsd: 5, atCap: checkpoint-and-return }",
			],
		],
	])("finds nothing wrong with %s", (_what, budgets) => {
		expect(of(...budgets)).toEqual([]);
	});

	it("reports a budget for jobs that never leave", () => {
		const text = `${rulesText('{ id: stay, when: job.class == "sensitive", deny: { sites: [cloud] } }')}  budgets:\n    - { id: b, scope: 'job.class == "sensitive"', period: month, capUsd: 5 }\n`;
		expect(problemsIn(text).join("\n")).toContain(
			"8:7 warning b counts jobs that stay (line 6) keeps out of every cloud: it never counts anything.",
		);
	});
});

describe("a policy of the maximum size", () => {
	it("is compared within bounds", () => {
		const cases = Array.from({ length: 6 }, (_, i) => `(job.gpus > ${i} || job.team == "t${i}")`).join(" && ");
		const rules = Array.from(
			{ length: POLICY_LIMITS.rules },
			(_, i) => `{ id: r${i}, when: '${cases} && job.nodes > ${i}', deny: { regions: ["aws:r${i}-*"] } }`,
		);
		expect(parsePolicy(rulesText(...rules)).problems.filter((p) => p.severity === "error")).toEqual([]);
	});
});
