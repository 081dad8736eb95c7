import { z } from "zod";
import { offerId } from "#server/domain/capacity.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { parseDurationMs } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { NO_FAULTS } from "./faults.ts";
import { type Arrival, type Scenario, SIM_TIMING } from "./scenario.ts";

const duration = z.string().transform((text, ctx) => {
	const ms = parseDurationMs(text);
	if (ms !== null) return ms;
	ctx.addIssue({ code: "custom", message: `"${text}" is not a length of time; write for example 90s, 15m or 6h` });
	return z.NEVER;
});

const jobSchema = z.strictObject({
	/** After the scenario's start. */
	at: duration,
	name: z.string(),
	team: z.string().default("risk"),
	class: z.enum(WORKLOAD_CLASSES).default("burst"),
	gpus: z.number().int().positive().default(1),
	/** What it truly takes. */
	runs: duration,
	estimate: duration.optional(),
	max: duration.optional(),
	priority: z.number().int().min(0).max(100).default(50),
	deadlineAfter: duration.optional(),
	checkpointEvery: duration.optional(),
	failsAfter: duration.optional(),
	cancelledAfter: duration.optional(),
});

/** A scenario as people write it: small, so that its trace can be read. */
const fileSchema = z.strictObject({
	what: z.string(),
	seed: z.number().int().nonnegative(),
	start: z.iso.datetime(),
	/** Lines of the policy's YAML. */
	policy: z.array(z.string()),
	slots: z.number().int().nonnegative(),
	offers: z.array(
		z.strictObject({
			instanceType: z.string(),
			region: z.string().default("us-east-1"),
			capacityType: z.enum(["on_demand", "spot"]),
			gpus: z.number().int().positive().default(1),
			usdPerHour: z.string(),
			onDemandUsdPerHour: z.string(),
		}),
	),
	faults: z
		.partialRecord(z.enum(Object.keys(NO_FAULTS) as [keyof typeof NO_FAULTS, ...(keyof typeof NO_FAULTS)[]]), z.number().nonnegative())
		.default({}),
	jobs: z.array(jobSchema),
});

/**
 * Reads a scenario.
 * @throws ZodError naming the field; SpillwayError `invalid_input` when its policy cannot be read.
 */
export function readScenario(raw: unknown): Scenario {
	const file = fileSchema.parse(raw);
	const startMs = Date.parse(file.start);
	const { policy, problems } = parsePolicy(file.policy.join("\n"));
	if (!policy) throw new SpillwayError("invalid_input", `The scenario's policy cannot be read: ${problems[0]?.message ?? "unknown"}`);
	const arrivals = file.jobs.map((job) => arrivalOf(job, startMs)).sort((a, b) => a.submittedAtMs - b.submittedAtMs);
	return {
		seed: file.seed,
		startMs,
		policy,
		policyVersion: 1,
		pools: [
			{
				...{
					id: "home",
					siteId: "local",
					provider: "local",
					multiNode: false,
					accelerator: "A10G-24GB",
					nodes: 1,
					gpusPerNode: file.slots,
				},
				...{ microUsdPerGpuHour: 600_000n, wattsPerGpu: 150, gridGramsPerKwh: 350, pue: 1.58, ownedSinceMs: startMs },
			},
		],
		offers: file.offers.map((o) => {
			const at = { provider: "aws" as const, region: o.region, zone: null, instanceType: o.instanceType, capacityType: o.capacityType };
			return {
				...at,
				id: offerId(at),
				siteId: "aws",
				...{ accelerator: "A10G-24GB", gpus: o.gpus, vcpus: 8 * o.gpus, memoryGiB: 32 * o.gpus },
				microUsdPerHour: usdToMicro(o.usdPerHour),
				onDemandMicroUsdPerHour: usdToMicro(o.onDemandUsdPerHour),
				...{ priceObservedAtMs: startMs, priceSource: "scenario", backoffUntilMs: null, backoffReason: null },
				...{ egressMicroUsdPerGiB: 90_000n, gridGramsPerKwh: 380, pue: 1.15 },
			};
		}),
		arrivals,
		faults: { ...NO_FAULTS, ...file.faults },
		healAtMs: (arrivals.at(-1)?.submittedAtMs ?? startMs) + 1,
		timing: SIM_TIMING,
		boardWatts: {},
		meterEveryMs: null,
	};
}

function arrivalOf(job: z.output<typeof jobSchema>, startMs: number): Arrival {
	const submittedAtMs = startMs + job.at;
	return {
		submittedAtMs,
		spec: {
			...{ name: job.name, team: job.team, project: null, labels: {}, class: job.class, image: null, command: ["true"], env: {}, nodes: 1 },
			resources: { gpus: job.gpus, accelerators: [], cpus: null, memoryGiB: null },
			duration: { estimateMs: job.estimate ?? null, maxMs: job.max ?? null },
			deadlineMs: job.deadlineAfter === undefined ? null : submittedAtMs + job.deadlineAfter,
			...{ priority: job.priority, critical: false, data: [] },
			checkpoint: job.checkpointEvery === undefined ? null : { path: "/checkpoints", intervalMs: job.checkpointEvery },
		},
		work: {
			totalMs: job.runs,
			stagingMs: 0,
			fails: job.failsAfter === undefined ? null : { afterMs: job.failsAfter, exitCode: 1, signal: null },
			cancelAfterMs: job.cancelledAfter ?? null,
			submittedBy: "account:scenario",
		},
	};
}
