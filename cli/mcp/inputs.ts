import { z } from "zod";
import type { jobSchema } from "#server/contract/outputs/job.ts";
import type { JobDocument } from "../job-input.ts";
import { nameOfCommand } from "../job-input.ts";

/** Arguments that describe a job. The server validates their values. */
export const jobArguments = {
	command: z.array(z.string()).min(1).describe("Program and arguments. No shell is added."),
	team: z.string().optional().describe("The team that pays. Default: SPILLWAY_TEAM of the server."),
	name: z.string().optional().describe("Default: from the command."),
	gpus: z.number().int().optional().describe("GPUs per node. Default: 1."),
	nodes: z.number().int().optional().describe("Machines that start together. Default: 1."),
	interconnect: z.string().optional().describe("high: several nodes start only where a high-bandwidth network connects them."),
	accelerators: z.array(z.string()).optional().describe("Accepted GPU models. Default: any."),
	image: z.string().optional().describe("Container image."),
	env: z.record(z.string(), z.string()).optional().describe("Environment variables."),
	estimate: z.string().optional().describe("Expected run time, for example 6h."),
	maxDuration: z.string().optional().describe("The job is stopped after this time, for example 12h."),
	deadline: z.string().optional().describe("When it must be finished, for example 2026-12-01T08:00:00Z."),
	outputs: z.record(z.string(), z.string()).optional().describe("Results to upload: path by name."),
};

export const jobArgument = { job: z.string().min(1).max(128).describe("Id or name of the job.") };

export const logArguments = {
	...jobArgument,
	tail: z.number().int().min(1).max(2_000).default(100).describe("The last so many lines."),
	attempt: z.number().int().min(1).optional().describe("Default: the newest attempt."),
};

export const spendArguments = {
	from: z.string().optional().describe("A day such as 2026-11-01. Default: 30 days ago."),
	to: z.string().optional().describe("Up to this day, UTC. Default: now."),
	groupBy: z.string().default("team").describe("day, week, month, team, project, class, provider, region, accelerator, site or job."),
	team: z.string().optional().describe("Only this team."),
};

type JobArguments = z.infer<z.ZodObject<typeof jobArguments>>;

/** Builds a job document from a tool's arguments. */
export function documentOf(given: JobArguments, env: Readonly<Record<string, string | undefined>>, approvalAboveUsd?: number): JobDocument {
	const { command, name, gpus, nodes, interconnect, accelerators, image, estimate, maxDuration, deadline, outputs } = given;
	const team = given.team ?? env.SPILLWAY_TEAM;
	return {
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: name ?? nameOfCommand(command), ...(team !== undefined && { team }) } },
		spec: withoutAbsent({
			...{ command, nodes, interconnect, image, env: given.env, deadline, approvalAboveUsd },
			resources: withoutAbsent({ gpus, accelerators }),
			duration: withoutAbsent({ estimate, max: maxDuration }),
			outputs: outputs && Object.entries(outputs).map(([output, path]) => ({ name: output, path })),
		}),
	};
}

const withoutAbsent = (fields: Record<string, unknown>): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The fields of a job that agents need. */
export function summaryOf(job: z.infer<typeof jobSchema>): Record<string, unknown> {
	const { id, name, team, state, reason, attempts, placement, costMicroUsd, startedAt, finishedAt } = job;
	return { id, name, team, state, reason: reason.message, attempts, placement, costMicroUsd, startedAt, finishedAt };
}
