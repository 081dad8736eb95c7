import { z } from "zod";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { parseDurationMs } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import type { Snapshot } from "../types.ts";
import { aBudget, aJob, anOffer, aPool, aSnapshot, NOON_MS } from "./builders.ts";

const ms = z.string().transform((text, ctx) => {
	const value = parseDurationMs(text);
	if (value !== null) return value;
	ctx.addIssue({ code: "custom", message: `"${text}" is not a length of time` });
	return z.NEVER;
});

const jobSchema = z.strictObject({
	name: z.string(),
	team: z.string().default("risk"),
	class: z.enum(WORKLOAD_CLASSES).default("burst"),
	gpus: z.number().default(1),
	accelerators: z.array(z.string()).default([]),
	estimate: ms.optional(),
	max: ms.optional(),
	waited: ms.default(0),
	deadlineIn: ms.optional(),
	priority: z.number().default(50),
});

/** A decision to be made at noon, in words that a person can write: the form of golden/<name>.json. */
export const scenarioSchema = z.strictObject({
	title: z.string(),
	/** Lines of the policy's YAML. */
	policy: z.array(z.string()),
	home: z.strictObject({ gpus: z.number(), free: z.array(z.number()) }),
	running: z.array(z.strictObject({ name: z.string(), slots: z.array(z.number()), estimate: ms, ran: ms })).default([]),
	jobs: z.array(jobSchema),
	offers: z
		.array(
			z.strictObject({
				region: z.string(),
				instanceType: z.string(),
				gpus: z.number().default(1),
				accelerator: z.string().default("A10G-24GB"),
				capacityType: z.enum(["on_demand", "spot"]),
				usdPerHour: z.string().nullable(),
				onDemandUsdPerHour: z.string().optional(),
				backoffFor: ms.optional(),
			}),
		)
		.default([]),
	budgets: z.array(z.strictObject({ id: z.string(), capUsd: z.string(), postedUsd: z.string(), heldUsd: z.string() })).default([]),
	cloudStart: z.strictObject({ p50: ms, p90: ms }),
});

export function snapshotOfScenario(document: unknown): { title: string; snapshot: Snapshot } {
	const scenario = scenarioSchema.parse(document);
	const { policy, problems } = parsePolicy(scenario.policy.join("\n"));
	if (!policy) throw new Error(`the scenario's policy is not valid: ${problems.map((p) => `line ${p.line}: ${p.message}`).join("; ")}`);
	const snapshot = aSnapshot({
		policy,
		pools: [aPool({ gpusPerNode: scenario.home.gpus, freeSlots: scenario.home.free })],
		running: scenario.running.map((r) => aJob(r.name).gpus(r.slots.length).estimate(r.estimate).running("home-a", r.slots, r.ran)),
		pending: scenario.jobs.map((j) => {
			const job = aJob(j.name)
				.team(j.team)
				.class(j.class)
				.gpus(j.gpus)
				.accelerators(...j.accelerators)
				.waited(j.waited)
				.priority(j.priority)
				.build();
			const duration = { estimateMs: j.estimate ?? null, maxMs: j.max ?? null };
			return { ...job, spec: { ...job.spec, duration, deadlineMs: j.deadlineIn === undefined ? null : NOON_MS + j.deadlineIn } };
		}),
		offers: scenario.offers.map(({ usdPerHour, onDemandUsdPerHour, backoffFor, ...o }) =>
			anOffer({
				...o,
				usd: usdPerHour,
				onDemandMicroUsdPerHour: onDemandUsdPerHour === undefined ? null : usdToMicro(onDemandUsdPerHour),
				...(backoffFor === undefined ? {} : { backoffUntilMs: NOON_MS + backoffFor, backoffReason: "insufficient_capacity" }),
			}),
		),
		budgets: scenario.budgets.map((b) => aBudget(b.id, { cap: b.capUsd, posted: b.postedUsd, held: b.heldUsd })),
		cloudStartMs: { p50Ms: scenario.cloudStart.p50, p90Ms: scenario.cloudStart.p90 },
	});
	return { title: scenario.title, snapshot };
}
