import { z } from "zod";
import { PERFORMANCE_GROUPS } from "../inputs/performance.ts";

const timesSchema = z.object({ meanS: z.number(), p50S: z.number(), p95S: z.number() }).meta({ id: "PerformanceTimes" });
const lostSchema = z
	.object({ failed: z.number(), interrupted: z.number(), evicted: z.number(), lost: z.number(), cancelled: z.number() })
	.meta({ id: "LostGpuHours" });

export const performanceSumsSchema = z
	.object({
		...{ models: z.number(), failed: z.number(), cancelled: z.number() },
		waits: timesSchema.nullable(),
		timeToModel: timesSchema.nullable(),
		...{ gpuHours: z.number(), attempts: z.number(), interruptions: z.number() },
		lostGpuHours: lostSchema,
		gpuUtilisation: z.number().nullable(),
		measuredGpuHours: z.number(),
	})
	.meta({ id: "PerformanceSums" });

export const performanceSchema = z
	.object({
		...{ fromMs: z.number(), toMs: z.number(), zone: z.string(), groupBy: z.enum(PERFORMANCE_GROUPS) },
		items: z.array(performanceSumsSchema.extend({ key: z.string() })),
		totals: performanceSumsSchema,
		meters: z.array(z.enum(["agent", "dcgm", "nvidia_smi", "simulated"])),
	})
	.meta({ id: "Performance" });

export const gpuUseSchema = z.object({ node: z.string(), gpus: z.number(), utilisation: z.number() }).meta({ id: "GpuUseReading" });
