import { describe, expect, it } from "vitest";
import { demoPolicy } from "./demo-policy.ts";
import { describeCap } from "./describe-budget.ts";
import { describeCondition } from "./describe-condition.ts";
import { describePolicy, describeRule } from "./describe-rule.ts";
import { budgetsText, policyOf, rulesText } from "./testing/builders.ts";

const marked = (segments: readonly { text: string; value?: boolean }[]) => segments.map((s) => (s.value ? `*${s.text}*` : s.text)).join("");

describe("describePolicy", () => {
	it("describes the demo's policy in sentences, by group", () => {
		expect(describePolicy(policyOf(demoPolicy())).map((d) => `${d.group} | ${d.id}: ${marked(d.sentence)}`)).toEqual([
			"remove | sensitive-stays-home: The job's class is *sensitive*, and the place is *in a cloud*.",
			"remove | spot-for-experiments: The job's class is *experimental*, and the place is a cloud offer other than *spot*.",
			"burst | burst-on-wait: The job's forecast wait at home exceeds *10s*, or the job would have less than *5m* to spare before its deadline.",
			"limit | instance-life: A cloud instance runs at most *8h*.",
			"limit | cloud-month: Total cloud spending is at most *$500* a *month*. New bursts are held at the cap.",
			"prefer | weights: The lowest total, where an hour's delay counts as *$5* and a tonne of CO2 counts as *$80*.",
		]);
	});

	it("links back to the line of each rule", () => {
		expect(describePolicy(policyOf(demoPolicy())).map((d) => d.line)).toEqual([10, 21, 16, 27, 33, null]);
	});
});

describe("a rule's sentence", () => {
	it.each([
		[
			`{ id: r, when: '"eu" in job.residency', allow: { regions: ["aws:eu-*", "gcp:europe-*"] } }`,
			"The job's data must stay in *eu*, and the place is a cloud offer outside *aws:eu-** or *gcp:europe-**.",
		],
		["{ id: r, allow: { instanceFamilies: [p4d, p5, a3-*] } }", "The place is a cloud offer of a family other than *p4d*, *p5* or *a3-**."],
		[
			"{ id: r, deny: { sites: [aws-main, owned], capacityTypes: [on_demand] } }",
			"The place is *site aws-main* or *at home*, or the capacity is *on-demand*.",
		],
		["{ id: r, burst: { always: true } }", "There is *an allowed offer*, without waiting for home."],
		[
			"{ id: r, when: job.critical, burst: { after: { waited: 5m }, or: { queueLength: 1 } } }",
			"The job is *critical*, and the job has waited longer than *5m*, or more than *1* job waits.",
		],
		[
			'{ id: r, when: job.team == "risk", limit: { instanceHours: 36 } }',
			"Where the job's team is *risk*: a cloud instance runs at most *1d12h*.",
		],
		[
			"{ id: r, burst: { after: { forecastWait: 30m }, only: { costAtMostUsd: 50, dataAtMostGiB: 1500 } } }",
			"The job's forecast wait at home exceeds *30m*; but only for at most *$50* and with at most *1,500 GiB* of data.",
		],
		[
			"{ id: r, burst: { always: true, only: { dataAtMostGiB: 0 } } }",
			"There is *an allowed offer*, without waiting for home; but only with at most *0 GiB* of data.",
		],
		[
			"{ id: r, when: job.hasDeadline, preempt: { classes: [experimental, batch_inference] } }",
			"Where the job has *a deadline*: to meet a deadline, running jobs of class *experimental* or *batch inference* may be preempted.",
		],
		["{ id: r, preempt: { classes: [baseline] } }", "To meet a deadline, running jobs of class *baseline* may be preempted."],
		[
			"{ id: r, move: { to: [home, cheaper], savingUsd: 0.5 } }",
			"Continuing *at home* or *on cheaper capacity* saves at least *$0.50* after what the move costs.",
		],
		[
			"{ id: r, when: job.critical, move: { to: [home] } }",
			"The job is *critical*, and continuing *at home* saves anything after what the move costs.",
		],
		[
			'{ id: r, when: job.class == "batch_inference", defer: { to: greener, within: 12h } }',
			"The job's class is *batch inference*, and a *greener* hour comes within *12h*, in time for its deadline.",
		],
		[
			"{ id: r, limit: { instanceHours: 24, idleMinutes: 10, gpuUtilisationBelow: { percent: 5, for: 30m } } }",
			"A cloud instance runs at most *1d*, a cloud instance is idle at most *10m*, its GPUs are used less than *5%* for at most *30m*. Idle time and utilization count only where they are measured.",
		],
	])("%s", (rule, want) => {
		const [first] = policyOf(rulesText(rule)).rules;
		expect(first && marked(describeRule(first).sentence)).toBe(want);
	});

	it("asks first", () => {
		const rule = {
			id: "r",
			when: "quote.costUsd > 2000.0",
			line: 1,
			effect: { kind: "require" as const, capacityType: null, approval: "platform" as const },
		};
		expect(describeRule(rule).group).toBe("ask");
		expect(marked(describeRule(rule).sentence)).toBe("The job's cost is above *$2,000*. *Platform engineer* approves or rejects.");
	});

	it("shows a budget's scope and cents", () => {
		const [budget] = describePolicy(policyOf(budgetsText(`{ id: b, scope: 'job.team == "risk"', period: year, capUsd: 1234.5 }`)));
		expect(budget && marked(budget.sentence)).toBe(
			"Where the job's team is *risk*: cloud spending is at most *$1,234.50* a *year*. New bursts are held at the cap.",
		);
	});
});

describe("caps, reactions and shares", () => {
	it.each([
		[
			"{ id: b, period: month, capUsd: 5, atCap: terminate }",
			"Total cloud spending is at most *$5* a *month*. At the cap new bursts are held, and running ones that no longer fit are ended and queued again.",
		],
		[
			"{ id: b, period: month, capUsd: 5, atCap: checkpoint-and-return }",
			"Total cloud spending is at most *$5* a *month*. At the cap new bursts are held, and running ones that no longer fit save a checkpoint and are queued again.",
		],
		[
			"{ id: b, scope: 'job.team == \"risk\"', burnRateUsdPerHour: 400 }",
			"Where the job's team is *risk*: cloud instances cost at most *$400* an hour. Jobs that would exceed it wait.",
		],
		["{ id: b, instances: 1 }", "There are at most *1* cloud instance at a time. Jobs that would exceed it wait."],
		[
			"{ id: b, scope: job.critical, instances: 2000 }",
			"Where the job is *critical*: there are at most *2,000* cloud instances at a time. Jobs that would exceed it wait.",
		],
	])("%s", (budget, want) => {
		const [first] = describePolicy(policyOf(budgetsText(budget)));
		expect(first && marked(first.sentence)).toBe(want);
	});

	it("shows each team's share", () => {
		const policy = {
			...policyOf(demoPolicy()),
			shares: [
				{ team: "risk", weight: 2 },
				{ team: "vision", weight: 1.5 },
			],
		};
		const [shares] = describePolicy(policy).filter((d) => d.id === "shares");
		expect(shares && marked(shares.sentence)).toBe(
			"Each team is entitled to a share of the GPUs by weight: *risk* *2*, *vision* *1.5*, every other team 1. Other teams may use what a team leaves idle.",
		);
	});

	it("counts egress", () => {
		const cap = { kind: "egress" as const, id: "e", scope: "true", line: 1, period: "month" as const, gib: 20_000 };
		expect(marked(describeCap(cap).sentence)).toBe(
			"Total egress from the clouds is at most *20,000 GiB* a *month*. Jobs that would exceed it wait.",
		);
	});
});

describe("a condition in words", () => {
	it.each([
		['job.class in ["burst", "batch_inference"]', "the job's class is *burst* or *batch inference*"],
		["job.gpus > 4", "the job's size is above *4 GPUs*"],
		["4 < job.gpus", "the job's size is above *4 GPUs*"],
		["job.nodes == 1", "the job's size is *1 node*"],
		["!job.hasCheckpoint && job.estimateHours >= 12", "the job writes *no checkpoints* and the job's estimate is at least *12 h*"],
		['job.critical && (job.team == "a" || job.team == "b")', "the job is *critical* and (the job's team is *a* or the job's team is *b*)"],
		['!("eu" in job.residency)', "the job's data need not stay in *eu*"],
		['job.labels.tier == "gold"', "the job's label tier is *gold*"],
		['job.name.startsWith("fraud-")', "the job's name begins with *fraud-*"],
		["job.dataGiB > 1500", "the size of its data is above *1,500 GiB*"],
		["job.gpus % 8 == 0", "*job.gpus % 8 == 0* holds"],
		["((", "*((* holds"],
	])("%s", (expression, want) => {
		expect(marked(describeCondition(expression))).toBe(want);
	});
});
