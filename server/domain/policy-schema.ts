import { z } from "zod";
import { suggestName } from "../kernel/nearest-name.ts";
import { HOUR_MS, MINUTE_MS } from "../kernel/units.ts";
import { BUDGET_PERIODS, CAP_REACTIONS, MOVE_KINDS } from "./policy.ts";
import { choices, list, POLICY_VALUE_LIMITS, problem, usd } from "./policy-values.ts";
import { prewarm } from "./prewarm-schema.ts";
import * as value from "./schema/values.ts";
import { CAPACITY_TYPES, CLOUD_PROVIDERS, type Role, WORKLOAD_CLASSES } from "./vocabulary.ts";

/**
 * The policy file: one definition of every field, its bounds and its documentation. The parser,
 * `/schemas/policy.json`, completion, the cards of the editor and the tables of docs/policy.md are derived from it.
 * Constraints across rules are checked in server/policy.
 */

const MAX = POLICY_VALUE_LIMITS;

/** Roles that can approve. Data scientists, who submit jobs, cannot (job:approve in server/services/core/authorize.ts). */
export const APPROVERS = ["platform", "finance"] as const satisfies readonly Role[];

export const EFFECTS = ["deny", "allow", "burst", "require", "preempt", "move", "defer", "adopt", "prewarm", "limit"] as const;
/** What a budget limits; each budget has exactly one. */
export const AMOUNTS = ["capUsd", "burnRateUsdPerHour", "egressGiB", "instances"] as const;
export const TRIGGERS = ["forecastWait", "waited", "deadlineSlack", "queueLength", "waitingUsdPerGpuHour"] as const;

const given = (fields: object, names: readonly string[]): string[] => names.filter((name) => Reflect.get(fields, name) !== undefined);

/** YAML reads `2024` and `true` as a number and a boolean where a text is expected. */
const asText = (written: unknown): unknown => (typeof written === "number" || typeof written === "boolean" ? String(written) : written);

const name = () => z.preprocess(asText, value.name());
const condition = () => z.preprocess(asText, z.string()).meta({ valueType: "condition" });
const duration = () => value.duration(MAX.durationMs);

const positive = (max: number, unit: string) => z.number().positive().max(max).meta({ unit });
const gib = () => z.number().min(0).max(MAX.gib).meta({ unit: "GiB" });
const pattern = () =>
	z
		.string()
		.max(MAX.patternCharacters)
		.regex(/^[A-Za-z0-9*._:/-]+$/, 'must be a name or pattern of letters, digits, ".", "_", "-", ":" and *');

const region = () =>
	pattern().superRefine((written, ctx) => {
		const colon = written.indexOf(":");
		const provider = colon < 0 ? "" : written.slice(0, colon);
		if (colon < 0 && !written.startsWith("*"))
			return problem(ctx, `"${written}" names no provider. Regions are written provider:region.`, `Write for example "aws:${written}".`);
		if (colon < 0 || provider.includes("*") || (CLOUD_PROVIDERS as readonly string[]).includes(provider.toLowerCase())) return;
		problem(ctx, `There is no cloud provider "${provider}".`, suggestName(provider, CLOUD_PROVIDERS));
	});

const siteId = () =>
	pattern().superRefine((written, ctx) => {
		if (written.includes("*"))
			problem(ctx, `Sites cannot be patterns: "${written}".`, "Name each site, or write cloud or owned for all of a kind.");
	});

const places = z
	.strictObject({
		sites: list(siteId())
			.optional()
			.meta({
				title: "Sites",
				description: "Site IDs, or cloud or owned for all of a kind.",
				examples: [["cloud"]],
				starts: "[",
			}),
		regions: list(region())
			.optional()
			.meta({
				title: "Regions",
				description: 'Regions as provider:region. * matches anything: "aws:eu-*".',
				examples: [["aws:eu-*", "gcp:europe-*"]],
				starts: "[",
				valueType: "list of patterns",
			}),
		instanceFamilies: list(pattern())
			.optional()
			.meta({
				title: "Instance families",
				description: "Instance families or types: p5, Standard_ND96*.",
				examples: [["p5", "Standard_ND96*"]],
				starts: "[",
				valueType: "list of patterns",
			}),
		capacityTypes: list(z.enum(CAPACITY_TYPES))
			.optional()
			.meta({
				title: "Capacity types",
				description: "owned, reserved, on_demand or spot.",
				examples: [["spot", "on_demand"]],
				starts: "[",
			}),
	})
	.superRefine((fields, ctx) => {
		if (Object.keys(fields).length === 0) problem(ctx, "names no places", "Add one of: sites, regions, instanceFamilies, capacityTypes.");
	});

const triggers = () =>
	z
		.strictObject({
			forecastWait: duration()
				.optional()
				.meta({
					title: "Forecast wait longer than",
					description: "The forecast wait on owned GPUs is longer than this.",
					examples: ["30m"],
				}),
			waited: duration()
				.optional()
				.meta({ title: "Queued longer than", description: "The job has been queued longer than this.", examples: ["1h"] }),
			deadlineSlack: duration()
				.optional()
				.meta({ title: "Deadline slack below", description: "Less slack than this remains before the deadline.", examples: ["2h"] }),
			queueLength: z
				.number()
				.int("must be a whole number")
				.min(1)
				.max(MAX.queueLength)
				.optional()
				.meta({ title: "Queued jobs above", description: "More jobs than this are queued.", examples: [50], unit: "jobs" }),
			waitingUsdPerGpuHour: usd("USD per GPU-hour")
				.optional()
				.meta({
					title: "Waiting budget",
					description:
						"What an hour of waiting is worth for each GPU. The job leaves when its forecast wait costs more than the best offer.",
					examples: [2],
				}),
		})
		.superRefine((fields, ctx) => {
			if (Object.keys(fields).length === 0) problem(ctx, "names no trigger", `Add one of: ${TRIGGERS.join(", ")}.`);
		});

const burst = z
	.strictObject({
		after: triggers()
			.optional()
			.meta({ title: "After", description: "The job can burst when this is met. One trigger.", starts: "{ ", excludes: ["always"] }),
		or: triggers()
			.optional()
			.meta({ title: "Or", description: "Or when any of these is met.", starts: "{ ", excludes: ["always"] }),
		always: z
			.preprocess(asText, z.literal("true"))
			.optional()
			.meta({
				title: "Always",
				description: "The job can burst at once.",
				valueType: "true",
				starts: "true",
				excludes: ["after", "or"],
				examples: [true],
			}),
		only: z
			.strictObject({
				costAtMostUsd: usd()
					.optional()
					.meta({ title: "Maximum cost, USD", description: "Only to offers with an estimated cost of at most this.", examples: [50] }),
				dataAtMostGiB: gib()
					.optional()
					.meta({ title: "Maximum data, GiB", description: "Only with at most this much data to copy.", examples: [500] }),
			})
			.superRefine((fields, ctx) => {
				if (Object.keys(fields).length === 0) problem(ctx, "limits nothing", "Write for example costAtMostUsd: 50.");
			})
			.optional()
			.meta({ title: "Only", description: "Limits on cost and data, even when a trigger is met.", starts: "{ " }),
	})
	.superRefine(({ after, or, always }, ctx) => {
		if (always && (after || or))
			return problem(ctx, "always cannot be combined with after or or.", "Remove after and or.", ["always"], true);
		if (always) return;
		if (!after) return problem(ctx, "has no trigger", "Write for example after: { forecastWait: 30m }.");
		if (Object.keys(after).length > 1)
			return problem(
				ctx,
				"after takes one trigger: two could mean both or either.",
				"Keep one and move the others to or: a job bursts when any of them is met.",
				["after"],
			);
		const twice = Object.keys(or ?? {}).find((trigger) => trigger in after);
		if (twice) problem(ctx, `${twice} is in after and in or.`, "Remove one of them.", ["or"]);
	});

const require_ = z
	.strictObject({
		capacityType: z
			.enum(["reserved", "on_demand", "spot"])
			.optional()
			.meta({
				title: "Capacity type",
				description: "Cloud offers must have this capacity type.",
				excludes: ["approval"],
				examples: ["spot"],
			}),
		approval: z
			.enum(APPROVERS)
			.optional()
			.meta({
				title: "Approver",
				description: "A person with this role must approve. The condition can use quote.costUsd.",
				excludes: ["capacityType"],
				examples: ["platform"],
				valueType: "role",
			}),
	})
	.superRefine((fields, ctx) => {
		const [first, second] = Object.keys(fields);
		if (!first) problem(ctx, "requires nothing", "Write capacityType: spot, on_demand or reserved.");
		if (second) problem(ctx, "capacityType and approval cannot be combined: a rule does one thing.", "Move one of them to another rule.");
	});

const preempt = z.strictObject({
	classes: choices(WORKLOAD_CLASSES).meta({
		title: "Classes to preempt",
		description: "Workload classes that can be preempted.",
		examples: [["experimental"]],
		starts: "[",
		fix: "Write for example classes: [experimental, batch_inference].",
	}),
	longerBy: z
		.number()
		.gt(1)
		.max(1_000_000)
		.optional()
		.meta({
			title: "At least this many times as long",
			description: "Only instead of bursting, and only jobs that take at least this many times as long.",
			examples: [3],
			unit: "times",
		}),
});

const move = z.strictObject({
	to: choices(MOVE_KINDS).meta({
		title: "To",
		description: "home, cheaper.",
		examples: [["home"]],
		starts: "[",
		fix: "Write for example to: [home].",
	}),
	savingUsd: usd()
		.optional()
		.meta({ title: "Minimum saving, USD", description: "Minimum saving after the cost of the move.", examples: [1], defaultText: "`0`" }),
});

const defer = z.strictObject({
	to: z.enum(["cheaper", "greener"]).meta({
		title: "To an hour that is",
		description: "What the later hour must be.",
		examples: ["greener"],
		fix: "Use to: greener, or to: cheaper.",
	}),
	within: duration().meta({
		title: "Within",
		description: "Maximum delay of the start.",
		examples: ["12h"],
		fix: "Add the maximum delay, for example within: 12h.",
	}),
	at: z
		.enum(["cloud", "owned"])
		.optional()
		.meta({
			title: "Only starts in",
			description: "Only starts in the cloud, or only on owned GPUs; both when omitted.",
			examples: ["cloud"],
		}),
	percentPerHour: z
		.number()
		.min(0)
		.max(100)
		.optional()
		.meta({
			title: "Minimum saving per hour",
			description: "What each hour of delay must save, in percent of the run's emissions or price.",
			examples: [2],
			unit: "%",
			defaultText: "`0`",
		}),
});

const adopt = z.strictObject({
	team: z.string().meta({
		title: "Team",
		description: "The team that pays for the adopted jobs.",
		examples: ["research"],
		fix: "Add the team that pays, for example team: research.",
	}),
	sites: list(z.string())
		.optional()
		.meta({ title: "Clusters", description: "Clusters; all when omitted.", starts: "[", defaultText: "all" }),
	partitions: list(z.string())
		.optional()
		.meta({
			title: "Partitions or namespaces",
			description: "Slurm partitions or Kubernetes namespaces; all when omitted.",
			examples: [["gpu*"]],
			starts: "[",
			valueType: "list of patterns",
			defaultText: "all",
		}),
	users: list(z.string()).optional().meta({
		title: "Users",
		description: "Cluster users; all when omitted.",
		starts: "[",
		valueType: "list of patterns",
		defaultText: "all",
	}),
	optIn: z
		.enum(["needed", "not-needed"])
		.default("needed")
		.meta({ title: "Owner opt-in", description: "Whether the job's owner must opt in.", examples: ["needed"] }),
});

const limit = z
	.strictObject({
		instanceHours: positive(MAX.durationMs / HOUR_MS, "hours")
			.refine((hours) => hours * HOUR_MS >= MINUTE_MS, "must be at least one minute (0.02)")
			.optional()
			.meta({ title: "Maximum lifetime, hours", description: "Maximum lifetime of a cloud instance.", examples: [24] }),
		idleMinutes: positive(MAX.durationMs / MINUTE_MS, "minutes")
			.refine((minutes) => minutes * MINUTE_MS >= 1, "must be at least one millisecond")
			.optional()
			.meta({ title: "Maximum idle time, minutes", description: "Maximum idle time of a cloud instance.", examples: [10] }),
		gpuUtilisationBelow: z
			.strictObject({
				percent: positive(100, "percent").meta({
					title: "GPU utilization below, percent",
					description: "GPU utilization below this.",
					examples: [5],
					fix: "Write for example percent: 5.",
				}),
				for: duration().meta({
					title: "For",
					description: "For this long.",
					examples: ["30m"],
					fix: "Add the duration, for example for: 30m.",
				}),
			})
			.optional()
			.meta({
				title: "Low GPU utilization",
				description: "Terminates instances with low GPU utilization.",
				starts: "{ percent: 5, for: 30m }",
			}),
	})
	.superRefine((fields, ctx) => {
		if (Object.keys(fields).length === 0) problem(ctx, "limits nothing", "Write for example instanceHours: 24.");
	});

const effect = { excludes: EFFECTS };

export const ruleSchema = z
	.strictObject({
		id: name().meta({
			title: "Name",
			description: "Decisions refer to the rule by this ID.",
			examples: ["sensitive-stays-home"],
			fix: "Name the rule, for example id: sensitive-stays-home.",
		}),
		when: condition()
			.optional()
			.meta({
				title: "When",
				description: "The rule applies to jobs that meet this condition; always when omitted.",
				examples: ['job.class == "sensitive"'],
				defaultText: "always",
			}),
		deny: places
			.optional()
			.meta({ title: "Denies", description: "Excludes places that any of its lists name.", starts: "{ sites: [cloud] }", ...effect }),
		allow: places
			.optional()
			.meta({ title: "Allows only", description: "Keeps only cloud offers that every list names.", starts: "{ ", ...effect }),
		burst: burst.optional().meta({
			title: "Bursts",
			description: "When a queued job can leave the owned cluster.",
			starts: "{ after: { forecastWait: 30m } }",
			...effect,
		}),
		require: require_.optional().meta({ title: "Requires", description: "A capacity type, or an approval.", starts: "{ ", ...effect }),
		preempt: preempt.optional().meta({
			title: "Preempts",
			description: "Classes of running jobs on owned GPUs that can be preempted.",
			starts: "{ classes: [experimental] }",
			...effect,
		}),
		move: move.optional().meta({
			title: "Moves",
			description: "Where a running job continues when that saves money.",
			starts: "{ to: [home], savingUsd: 1 }",
			...effect,
		}),
		defer: defer.optional().meta({
			title: "Defers",
			description: "Delays the start to a cheaper or greener hour.",
			starts: "{ to: greener, within: 12h }",
			...effect,
		}),
		adopt: adopt
			.optional()
			.meta({ title: "Adopts", description: "Runs queued jobs of a cluster's own queue in the cloud.", starts: "{ team: ", ...effect }),
		prewarm: prewarm.optional().meta({
			title: "Prewarms",
			description: "Keeps cloud machines ready before jobs queue for them.",
			starts: "{ machines: ",
			...effect,
		}),
		limit: limit
			.optional()
			.meta({ title: "Limits", description: "Maximum lifetime and idle time of instances.", starts: "{ instanceHours: 24 }", ...effect }),
	})
	.superRefine((rule, ctx) => {
		const [first, second] = given(rule, EFFECTS);
		if (!first) return problem(ctx, "does nothing", `Add one of: ${EFFECTS.join(", ")}.`);
		if (second)
			problem(ctx, `${first} and ${second} cannot be combined: a rule does one thing.`, `Move ${second} to another rule.`, [second], true);
	});
export type RuleFile = z.output<typeof ruleSchema>;

export const budgetSchema = z
	.strictObject({
		id: name().meta({
			title: "Name",
			description: "Shown wherever the budget appears.",
			examples: ["cloud-month"],
			fix: "Name the budget, for example id: cloud-month.",
		}),
		scope: condition()
			.default("true")
			.meta({
				title: "Scope",
				description: 'Jobs that count towards it; "true" is all of them.',
				examples: ['job.team == "risk"'],
				starts: '"true"',
			}),
		period: z
			.enum(BUDGET_PERIODS)
			.optional()
			.meta({
				title: "Period",
				description: "Calendar period. Required by capUsd and egressGiB.",
				excludes: ["burnRateUsdPerHour", "instances"],
				examples: ["month"],
			}),
		capUsd: usd()
			.optional()
			.meta({ title: "Cap, USD", description: "Cloud cost per period.", excludes: AMOUNTS, examples: [50_000] }),
		burnRateUsdPerHour: usd("USD per hour")
			.optional()
			.meta({ title: "Cap, USD per hour", description: "Cloud cost per hour at any moment.", excludes: AMOUNTS, examples: [400] }),
		egressGiB: gib()
			.optional()
			.meta({ title: "Cap, GiB of egress", description: "Data that leaves the clouds per period.", excludes: AMOUNTS, examples: [20_000] }),
		instances: z
			.number()
			.int("must be a whole number")
			.min(0)
			.max(MAX.instances)
			.optional()
			.meta({
				title: "Cap, instances",
				description: "Cloud instances at any moment.",
				excludes: AMOUNTS,
				examples: [20],
				unit: "instances",
			}),
		atCap: z
			.enum(CAP_REACTIONS)
			.optional()
			.meta({
				title: "At the cap",
				description: "What happens at the cap.",
				excludes: ["burnRateUsdPerHour", "egressGiB", "instances"],
				examples: ["hold"],
				defaultText: "`hold`",
			}),
	})
	.superRefine((budget, ctx) => {
		const [amount, second] = given(budget, AMOUNTS);
		if (second)
			return problem(
				ctx,
				`${amount} and ${second} cannot be combined: a budget caps one thing.`,
				`Move ${second} to another budget.`,
				[second],
				true,
			);
		if (!amount) problem(ctx, "has no cap", "Write for example capUsd: 50000; or burnRateUsdPerHour, egressGiB or instances.");
		const isPeriodic = amount === undefined || amount === "capUsd" || amount === "egressGiB";
		if (isPeriodic && !budget.period) problem(ctx, "has no period", `Write period: ${BUDGET_PERIODS.join(", ")}.`);
		if (!isPeriodic && budget.period)
			problem(
				ctx,
				`${amount} applies at every moment and has no period.`,
				"Remove period, or use capUsd for a cap per period.",
				["period"],
				true,
			);
		// Only a cap on money over a period can be reached while jobs run. Jobs that exceed any other cap never start.
		if (amount !== undefined && amount !== "capUsd" && budget.atCap !== undefined && budget.atCap !== "hold")
			problem(
				ctx,
				`${amount} cannot ${budget.atCap}: jobs that would exceed it wait, so running jobs never do.`,
				"Remove atCap, or use capUsd.",
				["atCap"],
				true,
			);
	});
export type BudgetFile = z.output<typeof budgetSchema>;

const weights = z.strictObject({
	delayUsdPerHour: usd("USD per hour")
		.optional()
		.meta({ title: "Delay", description: "Cost of an hour of delay when offers are ranked.", examples: [5], defaultText: "`0`" }),
	carbonUsdPerTonne: usd("USD per tonne")
		.optional()
		.meta({ title: "Carbon", description: "Cost of a tonne of CO2 when offers are ranked.", examples: [80], defaultText: "`0`" }),
	pointsPerGpuHour: z
		.number()
		.min(0)
		.max(MAX.pointsPerGpuHour)
		.optional()
		.meta({
			title: "Small jobs first",
			description: "Hours of waiting that each GPU-hour of expected work costs a job in the queue order.",
			examples: [1],
			unit: "hours per GPU-hour",
			defaultText: "`0`",
		}),
});

/** `rules:` with nothing after it is an empty list. */
const orEmpty = <T extends z.core.$ZodType>(schema: T, empty: unknown) => z.preprocess((written) => written ?? empty, schema);

export const policyDocumentSchema = z
	.strictObject({
		apiVersion: z
			.literal("spillway/v1")
			.meta({ description: "Always spillway/v1.", starts: "spillway/v1", fix: "Write apiVersion: spillway/v1." }),
		kind: z.literal("Policy").meta({ description: "Always Policy.", starts: "Policy", fix: "Write kind: Policy." }),
		metadata: z
			.strictObject({
				name: name().meta({
					title: "Name",
					description: "The policy in force is called default.",
					starts: "default",
					examples: ["default"],
					fix: "Write name: default.",
				}),
			})
			.meta({ description: "The policy's name.", starts: "{ name: default }", fix: "Write metadata: { name: default }." }),
		spec: z
			.strictObject({
				rules: orEmpty(z.array(ruleSchema).max(MAX.rules), [])
					.optional()
					.meta({ description: "Read from top to bottom; each does one thing.", valueType: "list" }),
				budgets: orEmpty(z.array(budgetSchema).max(MAX.budgets), [])
					.optional()
					.meta({ description: "Caps on cost, instances and egress.", valueType: "list" }),
				shares: orEmpty(
					z
						.record(value.name(), positive(MAX.shareWeight, "parts"))
						.refine((shares) => Object.keys(shares).length <= MAX.shares, `must have at most ${MAX.shares} teams`),
					{},
				)
					.optional()
					.meta({
						description: "Share of the owned GPUs that each team is entitled to, by weight.",
						valueType: "team: weight",
						examples: [{ risk: 2, vision: 1 }],
					}),
				weights: orEmpty(weights, {}).optional().meta({
					description: "Cost of delay and carbon when offers are ranked, and of work in the queue order.",
					starts: "{ delayUsdPerHour: 5, carbonUsdPerTonne: 80 }",
				}),
			})
			.meta({ description: "Rules, budgets, shares and weights.", fix: "Write spec: with rules, budgets and weights." }),
	})
	.meta({ title: "Spillway policy", description: "When jobs burst to the cloud, where they can run and what they can cost." });
export type PolicyFile = z.output<typeof policyDocumentSchema>;
