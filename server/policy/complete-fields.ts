/** What is told of a field beside its name, and what its value begins with. */
export interface FieldNote {
	/** Its type and unit. */
	type: string;
	meaning: string;
	start?: string;
	/** Fields beside which it cannot stand. */
	alone?: readonly string[];
}

const EFFECTS = ["deny", "allow", "burst", "require", "preempt", "move", "defer", "adopt", "limit"] as const;
const effect = (type: string, meaning: string, start: string): FieldNote => ({ type, meaning, start, alone: EFFECTS });

const PLACES: Record<string, FieldNote> = {
	sites: { type: "list", meaning: "Ids of sites, or cloud or owned for all of a kind.", start: "[" },
	regions: { type: "list of patterns", meaning: 'Regions as provider:region, * for anything: "aws:eu-*".', start: "[" },
	instanceFamilies: { type: "list of patterns", meaning: "Families or types of instances: p5, Standard_ND96*.", start: "[" },
	capacityTypes: { type: "list", meaning: "owned, reserved, on_demand or spot.", start: "[" },
};
const TRIGGERS: Record<string, FieldNote> = {
	forecastWait: { type: "length of time", meaning: "The forecast wait at home is longer than this." },
	waited: { type: "length of time", meaning: "It has waited longer than this." },
	deadlineSlack: { type: "length of time", meaning: "Less than this is left to spare before its deadline." },
	queueLength: { type: "jobs", meaning: "More jobs than this wait." },
};
const AMOUNTS = ["capUsd", "burnRateUsdPerHour", "egressGiB", "instances"] as const;

/** The fields of a policy by where they stand, lists left out: `spec.rules` holds what one rule may have. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, FieldNote>>>> = {
	"": {
		apiVersion: { type: "text", meaning: "Always spillway/v1.", start: "spillway/v1" },
		kind: { type: "text", meaning: "Always Policy.", start: "Policy" },
		metadata: { type: "fields", meaning: "The policy's name.", start: "{ name: default }" },
		spec: { type: "fields", meaning: "Rules, budgets, shares and weights." },
	},
	metadata: { name: { type: "text", meaning: "The one in force is named default.", start: "default" } },
	spec: {
		rules: { type: "list", meaning: "Read from top to bottom; each does one thing." },
		budgets: { type: "list", meaning: "Caps on money, machines and traffic." },
		shares: { type: "team: weight", meaning: "What share of the owned GPUs each team has a claim to." },
		weights: {
			type: "fields",
			meaning: "What an hour's delay and a tonne of CO2 count as.",
			start: "{ delayUsdPerHour: 5, carbonUsdPerTonne: 80 }",
		},
	},
	"spec.rules": {
		id: { type: "text", meaning: "Decisions name the rule by it." },
		when: { type: "condition", meaning: "The rule counts for jobs for which this holds; always without it." },
		deny: effect("fields", "Removes the places that any of its lists names.", "{ sites: [cloud] }"),
		allow: effect("fields", "Leaves only cloud offers that every list names.", "{ "),
		burst: effect("fields", "When a waiting job may leave home.", "{ after: { forecastWait: 30m } }"),
		require: effect("fields", "A capacity type, or a person's yes.", "{ "),
		preempt: effect("fields", "Classes whose running jobs at home give way.", "{ classes: [experimental] }"),
		move: effect("fields", "Where a running job goes on when that saves.", "{ to: [home], savingUsd: 1 }"),
		defer: effect("fields", "Puts the start off to a cheaper or greener hour.", "{ to: greener, within: 12h }"),
		adopt: effect("fields", "Takes waiting jobs of a cluster's own queue to the cloud.", "{ team: "),
		limit: effect("fields", "How long an instance lives, or stays idle.", "{ instanceHours: 24 }"),
	},
	"spec.rules.deny": PLACES,
	"spec.rules.allow": PLACES,
	"spec.rules.adopt": {
		team: { type: "text", meaning: "Whose the jobs are here." },
		sites: { type: "list", meaning: "Clusters; all when left out.", start: "[" },
		partitions: { type: "list of patterns", meaning: "Slurm partitions or Kubernetes namespaces; all when left out.", start: "[" },
		users: { type: "list of patterns", meaning: "Users of the cluster; all when left out.", start: "[" },
		optIn: { type: "needed or not-needed", meaning: "Whether the job's owner must ask for it; needed when left out." },
	},
	"spec.rules.burst": {
		after: { type: "one trigger", meaning: "It may leave when this is met.", start: "{ ", alone: ["always"] },
		or: { type: "triggers", meaning: "Or when any of these is.", start: "{ ", alone: ["always"] },
		always: { type: "true", meaning: "It may leave at once.", start: "true", alone: ["after", "or"] },
		only: { type: "fields", meaning: "What it may cost and carry along at most.", start: "{ " },
	},
	"spec.rules.burst.after": TRIGGERS,
	"spec.rules.burst.or": TRIGGERS,
	"spec.rules.burst.only": {
		costAtMostUsd: { type: "USD", meaning: "Only to offers whose estimated cost is at most this." },
		dataAtMostGiB: { type: "GiB", meaning: "Only with at most so much data to copy." },
	},
	"spec.rules.require": {
		capacityType: { type: "reserved, on_demand or spot", meaning: "Cloud offers must be of this type.", alone: ["approval"] },
		approval: {
			type: "role",
			meaning: "Somebody of this role says yes first; the condition may ask quote.costUsd.",
			alone: ["capacityType"],
		},
	},
	"spec.rules.preempt": {
		classes: { type: "list", meaning: "Workload classes that give way.", start: "[" },
		longerBy: { type: "times", meaning: "Rather than leave home, of jobs that take at least so many times as long." },
	},
	"spec.rules.move": {
		to: { type: "list", meaning: "home, cheaper.", start: "[" },
		savingUsd: { type: "USD", meaning: "What it must save at least after what the move costs." },
	},
	"spec.rules.defer": {
		to: { type: "greener or cheaper", meaning: "What the later hour must be." },
		within: { type: "length of time", meaning: "How long the start may be put off at most." },
	},
	"spec.rules.limit": {
		instanceHours: { type: "hours", meaning: "Longest life of a cloud instance." },
		idleMinutes: { type: "minutes", meaning: "Longest idle time of one." },
		gpuUtilisationBelow: { type: "fields", meaning: "Ends one whose GPUs are hardly used.", start: "{ percent: 5, for: 30m }" },
	},
	"spec.rules.limit.gpuUtilisationBelow": {
		percent: { type: "percent", meaning: "Use below this." },
		for: { type: "length of time", meaning: "For so long." },
	},
	"spec.budgets": {
		id: { type: "text", meaning: "Its name on every screen." },
		scope: { type: "condition", meaning: 'Whose jobs it caps; "true" is everybody.', start: '"true"' },
		period: { type: "month, quarter or year", meaning: "The calendar period that it caps.", alone: ["burnRateUsdPerHour", "instances"] },
		capUsd: { type: "USD", meaning: "Cloud money over the period.", alone: AMOUNTS },
		burnRateUsdPerHour: { type: "USD an hour", meaning: "Cloud money at every moment.", alone: AMOUNTS },
		egressGiB: { type: "GiB", meaning: "Data that leave clouds over the period.", alone: AMOUNTS },
		instances: { type: "machines", meaning: "Cloud machines at every moment.", alone: AMOUNTS },
		atCap: {
			type: "hold, checkpoint-and-return or terminate",
			meaning: "What happens at the cap.",
			alone: ["burnRateUsdPerHour", "egressGiB", "instances"],
		},
	},
	"spec.weights": {
		delayUsdPerHour: { type: "USD an hour", meaning: "What an hour's delay counts as." },
		carbonUsdPerTonne: { type: "USD a tonne", meaning: "What a tonne of CO2 counts as." },
	},
};
