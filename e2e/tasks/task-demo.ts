import type { Page } from "@playwright/test";
import { z } from "zod";
import type { JobDetail } from "#cli/response-types.ts";
import { jobDetailSchema, submittedJobSchema } from "#server/contract/outputs/job.ts";
import { eventually } from "../support/eventually.ts";

/** Where tasks are walked, with the token of the platform engineer. */
interface Installation {
	url: string;
	token: string;
}

/** Preparations of tasks, by REST. They are not counted. */
export class TaskDemo {
	readonly #at: Installation;

	constructor(at: Installation) {
		this.#at = at;
	}

	/** @returns the response's JSON @throws Error unless the status is 200 or 201 */
	async call(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
		const { url, token } = this.#at;
		const response = await fetch(`${url}/api/v1${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
		return JSON.parse(text);
	}

	/** Submits as the platform engineer. @returns the job's ID */
	async submit(document: unknown): Promise<string> {
		return submittedJobSchema.parse(await this.call("POST", "/jobs", document)).id;
	}

	/** Submits as the person who is signed in on the page. @returns the job's ID */
	async submitAs(page: Page, document: unknown): Promise<string> {
		const response = await page.request.post("/api/trpc/job.submit", { data: { json: { document: z.json().parse(document) } } });
		const text = await response.text();
		const id = /job_[0-9a-z]{26}/.exec(text)?.[0];
		if (!response.ok() || !id) throw new Error(`job.submit answered ${response.status()}: ${text}`);
		return id;
	}

	jobWhen(id: string, what: string, holds: (job: JobDetail) => boolean): Promise<JobDetail> {
		return eventually(`job ${id} ${what}`, async () => jobDetailSchema.parse(await this.call("GET", `/jobs/${id}`)), holds);
	}
}

interface SleepingJob {
	name: string;
	team?: string;
	class?: string;
	gpus?: number;
	accelerators?: string[];
	command?: string[];
	outputs?: unknown[];
	labels?: Record<string, string>;
}

/** A job file. By default it sleeps for ten minutes. */
export function sleepingJob({ name, team = "research", gpus = 1, accelerators, labels, ...spec }: SleepingJob): unknown {
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name, team, ...(labels ? { labels } : {}) },
		spec: {
			class: "sensitive",
			command: ["sleep", "600"],
			resources: { gpus, ...(accelerators ? { accelerators } : {}) },
			duration: { estimate: "10m", max: "20m" },
			...spec,
		},
	};
}
