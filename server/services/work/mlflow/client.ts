import { z } from "zod";
import { FORWARDED_RUN_TAG, type MlflowStatus, type MlflowTag } from "#server/domain/metric/mlflow-run.ts";
import { guardedFetch } from "#server/kernel/guarded-fetch.ts";
import type { OutgoingAllowance } from "#server/kernel/outgoing.ts";

/** An MLflow tracking server that runs are forwarded to. */
export interface MlflowServer {
	/** Its address, without `/api`. */
	url: string;
	/** Value of the authorization header; null: none. */
	authorization: string | null;
	/** Hosts inside the network that may be contacted. */
	allowance: OutgoingAllowance;
}

/** A request that MLflow did not accept. `affectsAll`: other runs would fail too. */
export class MlflowError extends Error {
	readonly code: string | null;
	readonly affectsAll: boolean;
	constructor(message: string, given: { code?: string | null; affectsAll: boolean }) {
		super(message);
		this.code = given.code ?? null;
		this.affectsAll = given.affectsAll;
	}
}

export interface MlflowBatch {
	metrics?: { key: string; value: number | string; timestamp: number; step: number }[];
	params?: MlflowTag[];
	tags?: MlflowTag[];
}

const experimentAnswer = z.object({ experiment: z.object({ experiment_id: z.string() }) });
const createdAnswer = z.object({ experiment_id: z.string() });
const runSchema = z.object({ info: z.object({ run_id: z.string() }) });
const runAnswer = z.object({ run: runSchema });
const runsAnswer = z.object({ runs: z.array(runSchema).optional() });
const nothing = z.unknown();
const errorAnswer = z.object({ error_code: z.string().regex(/^[A-Z_]{1,64}$/) });

/** The part of MLflow's REST API 2.0 that forwarding needs. All calls throw MlflowError. */
export class MlflowClient {
	readonly #server: MlflowServer;
	readonly #fetch: typeof fetch;

	constructor(server: MlflowServer) {
		this.#server = server;
		this.#fetch = guardedFetch(server.allowance);
	}

	/** Id of the experiment with this name, which is created if it is missing. */
	async experimentId(name: string): Promise<string> {
		const find = async (): Promise<string> => {
			const query = new URLSearchParams({ experiment_name: name });
			const { experiment } = await this.#call("GET", `experiments/get-by-name?${query}`, experimentAnswer);
			return experiment.experiment_id;
		};
		try {
			return await find();
		} catch (error) {
			if (!isCode(error, "RESOURCE_DOES_NOT_EXIST")) throw error;
		}
		try {
			return (await this.#call("POST", "experiments/create", createdAnswer, { name })).experiment_id;
		} catch (error) {
			if (isCode(error, "RESOURCE_ALREADY_EXISTS")) return find();
			throw error;
		}
	}

	/** Id of the run with this tag; null if there is none. */
	async findRun(experimentId: string, runId: string): Promise<string | null> {
		const filter = `tags.\`${FORWARDED_RUN_TAG}\` = '${runId}'`;
		const { runs = [] } = await this.#call("POST", "runs/search", runsAnswer, { experiment_ids: [experimentId], filter, max_results: 1 });
		return runs[0]?.info.run_id ?? null;
	}

	async createRun(run: { experimentId: string; name: string; startMs: number; tags: MlflowTag[] }): Promise<string> {
		const body = { experiment_id: run.experimentId, run_name: run.name, start_time: run.startMs, tags: run.tags };
		return (await this.#call("POST", "runs/create", runAnswer, body)).run.info.run_id;
	}

	async logBatch(runId: string, batch: MlflowBatch): Promise<void> {
		await this.#call("POST", "runs/log-batch", nothing, { run_id: runId, ...batch });
	}

	async endRun(runId: string, status: MlflowStatus, endMs: number): Promise<void> {
		await this.#call("POST", "runs/update", nothing, { run_id: runId, status, end_time: endMs });
	}

	async #call<T>(method: "GET" | "POST", path: string, answer: z.ZodType<T>, body?: object): Promise<T> {
		const { url, authorization } = this.#server;
		const headers = { accept: "application/json", "content-type": "application/json", ...(authorization !== null && { authorization }) };
		const target = `${url.replace(/\/+$/, "")}/api/2.0/mlflow/${path}`;
		const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
		const response = await this.#fetch(target, init).catch((error: unknown) => {
			throw new MlflowError(`Could not reach MLflow: ${error instanceof Error ? error.message : String(error)}`, { affectsAll: true });
		});
		const json: unknown = await response.json().catch(() => null);
		if (!response.ok) throw refusal(response.status, json);
		const parsed = answer.safeParse(json);
		if (parsed.success) return parsed.data;
		throw new MlflowError(`MLflow answered ${path.split("?")[0]} with another format than its API's.`, { affectsAll: true });
	}
}

function isCode(error: unknown, code: string): boolean {
	return error instanceof MlflowError && error.code === code;
}

/** The body itself is not stored: showing it to people would expose internal pages to them. */
function refusal(status: number, json: unknown): MlflowError {
	const code = errorAnswer.safeParse(json).data?.error_code ?? null;
	const affectsAll = status >= 500 || status === 429 || status === 401 || status === 403 || (status >= 300 && status < 400);
	return new MlflowError(`MLflow answered ${status}${code === null ? "" : ` (${code})`}.`, { code, affectsAll });
}
