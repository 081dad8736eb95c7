import type { ListName } from "#server/domain/policy-entries.ts";

/** Templates for new entries: a short label and an example. */
export interface NewEntry {
	kind: string;
	list: ListName;
	label: string;
	hint: string;
	id: string;
	/** The fields below the ID. */
	body: string;
}

export const NEW_ENTRIES: readonly NewEntry[] = [
	{
		kind: "deny",
		list: "rules",
		label: "Exclude candidates",
		hint: "deny",
		id: "stays-home",
		body: 'when: job.class == "sensitive"\ndeny: { sites: [cloud] }',
	},
	{
		kind: "allow",
		list: "rules",
		label: "Allow only some candidates",
		hint: "allow",
		id: "eu-only",
		body: 'when: \'"eu" in job.residency\'\nallow: { regions: ["aws:eu-*", "azure:westeurope", "gcp:europe-*"] }',
	},
	{
		kind: "require",
		list: "rules",
		label: "Require a capacity type",
		hint: "require",
		id: "spot-only",
		body: 'when: job.class == "experimental"\nrequire: { capacityType: spot }',
	},
	{
		kind: "approval",
		list: "rules",
		label: "Require approval",
		hint: "require",
		id: "ask-first",
		body: "when: quote.costUsd > 2000.0\nrequire: { approval: platform }",
	},
	{
		kind: "burst",
		list: "rules",
		label: "Burst queued jobs",
		hint: "burst",
		id: "burst-on-wait",
		body: "burst: { after: { forecastWait: 30m }, or: { deadlineSlack: 2h } }",
	},
	{
		kind: "preempt",
		list: "rules",
		label: "Preempt on owned GPUs",
		hint: "preempt",
		id: "make-room",
		body: "when: job.hasDeadline\npreempt: { classes: [experimental] }",
	},
	{
		kind: "move",
		list: "rules",
		label: "Move running jobs",
		hint: "move",
		id: "return-home",
		body: "move: { to: [home, cheaper], savingUsd: 1 }",
	},
	{
		kind: "defer",
		list: "rules",
		label: "Defer start",
		hint: "defer",
		id: "wait-for-green",
		body: "when: job.hasDeadline\ndefer: { to: greener, within: 12h }",
	},
	{ kind: "limit", list: "rules", label: "Limit machines", hint: "limit", id: "instance-life", body: "limit: { instanceHours: 24 }" },
	{
		kind: "capUsd",
		list: "budgets",
		label: "Cap monthly spend",
		hint: "budget",
		id: "cloud-month",
		body: 'scope: "true"\nperiod: month\ncapUsd: 500\natCap: hold',
	},
	{
		kind: "burnRate",
		list: "budgets",
		label: "Cap hourly spend",
		hint: "budget",
		id: "burn-rate",
		body: 'scope: "true"\nburnRateUsdPerHour: 400',
	},
	{ kind: "instances", list: "budgets", label: "Cap machines", hint: "budget", id: "machines", body: 'scope: "true"\ninstances: 20' },
];
