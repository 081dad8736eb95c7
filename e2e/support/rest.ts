import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Job, JobDetail } from "#cli/response-types.ts";
import { budgetStatusSchema } from "#server/contract/outputs/budget.ts";
import { decisionSchema } from "#server/contract/outputs/decision.ts";
import { jobDetailSchema, jobSchema, logPageSchema, submittedJobSchema, submittedJobsSchema } from "#server/contract/outputs/job.ts";
import { policySchema } from "#server/contract/outputs/policy.ts";
import { receiptSchema } from "#server/contract/outputs/receipt.ts";
import { instanceSchema } from "#server/contract/outputs/shared.ts";
import { spendSchema } from "#server/contract/outputs/spend.ts";
import { pageOf } from "#server/contract/parts.ts";
import { countUnsettled } from "./database.ts";
import { eventually } from "./eventually.ts";
import { API_URL, token } from "./system.ts";

/** REST client with the token from the state folder: it acts as the platform engineer. */
export async function call(method: "GET" | "POST", path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
	const response = await fetch(`${API_URL}${path}`, {
		method,
		headers: {
			authorization: `Bearer ${token()}`,
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...(method === "POST" && path === "/jobs" ? { "idempotency-key": randomUUID() } : {}),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(60_000),
	});
	return { status: response.status, body: await response.json() };
}

async function read<T>(path: string, shape: z.ZodType<T>): Promise<T> {
	const { status, body } = await call("GET", path);
	if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
	return shape.parse(body);
}

export const rest = {
	job: (id: string): Promise<JobDetail> => read(`/jobs/${id}`, jobDetailSchema),
	jobs: async (query: string): Promise<Job[]> => (await read(`/jobs?${query}`, pageOf(jobSchema))).items,
	logs: async (id: string, attempt: number) => (await read(`/jobs/${id}/logs?attempt=${attempt}&limit=2000`, logPageSchema)).lines,
	decisions: async (id: string) => (await read(`/jobs/${id}/decisions`, pageOf(decisionSchema))).items,
	receipt: (id: string) => read(`/jobs/${id}/receipt`, receiptSchema),
	spend: (query: string) => read(`/spend?${query}`, spendSchema),
	instancesOf: async (jobId: string) => (await read(`/instances?job=${jobId}`, pageOf(instanceSchema))).items,
	budgets: async () => (await read("/budgets", pageOf(budgetStatusSchema))).items,
	policy: () => read("/policies/default", policySchema),

	/** @returns the job's id */
	async submit(document: unknown): Promise<string> {
		const { status, body } = await call("POST", "/jobs", document);
		if (status !== 201) throw new Error(`POST /jobs answered ${status}: ${JSON.stringify(body)}`);
		return submittedJobSchema.parse(body).id;
	},
	async submitAll(items: readonly unknown[]): Promise<string[]> {
		const { status, body } = await call("POST", "/jobs", { items });
		if (status !== 201) throw new Error(`POST /jobs answered ${status}: ${JSON.stringify(body)}`);
		return submittedJobsSchema.parse(body).items.map(({ id }) => id);
	},
	cancel: (id: string) => call("POST", `/jobs/${id}/cancel`, {}),
};

export async function jobWhen(id: string, what: string, holds: (job: JobDetail) => boolean): Promise<JobDetail> {
	return eventually(`job ${id} ${what}`, () => rest.job(id), holds);
}

export const isOver = ({ state }: Pick<Job, "state">): boolean => state === "succeeded" || state === "failed" || state === "cancelled";

/** Ends everything that an earlier test left behind, to free slots and budget. */
export async function makeQuiet(): Promise<void> {
	const live = () => rest.jobs("state=held,queued,admitted,running&limit=500");
	for (const { id } of await live()) await rest.cancel(id);
	await eventually("no job waits or runs", live, (jobs) => jobs.length === 0);
}

/** Like `makeQuiet`, and waits until everything ended is fully charged: from then on past amounts do not change. */
export async function makeSettled(): Promise<void> {
	await makeQuiet();
	await eventually("everything that has ended is charged", countUnsettled, (count) => count === 0);
}

export interface JobChanges {
	name: string;
	team?: string;
	class?: string;
	command?: string[];
	estimate?: string;
	priority?: number;
	gpus?: number;
	accelerators?: string[];
}

/** The test jobs sleep, so every accelerator is equally fast and the cheapest hour is the cheapest work. */
const EQUAL_SPEEDS = Object.fromEntries(
	[
		...["H100-80GB", "H200-141GB", "B200-180GB", "MI300X-192GB", "A100-40GB", "A100-80GB"],
		...["A10G-24GB", "L4-24GB", "L40S-48GB", "T4-16GB", "V100-16GB", "V100-32GB"],
	].map((accelerator) => [accelerator, 1]),
);

/** A job document that needs no files. It runs for a minute by default. */
export function aJob(changes: JobChanges): Record<string, unknown> {
	const { accelerators } = changes;
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: changes.name, team: changes.team ?? "research" },
		spec: {
			class: changes.class ?? "burst",
			command: changes.command ?? ["sleep", "60"],
			resources: { gpus: changes.gpus ?? 1, ...(accelerators ? { accelerators } : {}) },
			throughput: EQUAL_SPEEDS,
			duration: { estimate: changes.estimate ?? "60s", max: "10m" },
			...(changes.priority === undefined ? {} : { priority: changes.priority }),
		},
	};
}
