import http from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/**
 * A small MLflow tracking server in memory, for tests. Requests must have exactly the fields of MLflow's REST API 2.0 (mlflow.org/docs/latest/rest-api.html) and keep
 * the limits of log-batch. As in MLflow, a metric value that is identical to a stored one is ignored, and a parameter does not change.
 */
export interface MlflowReceiver {
	url: string;
	experiments: Map<string, string>;
	runs: Map<string, ReceivedRun>;
	/** `METHOD path`, and the authorization header, of each request. */
	requests: { what: string; authorization: string | undefined }[];
	/** Statuses of the next answers, in order. `lost` handles the request and closes the connection without an answer. */
	answers: (number | "lost" | "ok")[];
	close(): Promise<void>;
}

export interface ReceivedRun {
	experimentId: string;
	name: string;
	startMs: number;
	status: string;
	endMs: number | null;
	tags: Map<string, string>;
	params: Map<string, string>;
	metrics: { key: string; value: number | string; timestamp: number; step: number }[];
}

const key = z.string().min(1).max(250);
const pair = z.strictObject({ key, value: z.string().max(8_000) });
const value = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
const time = z.number().int().min(0);
const requests = {
	"POST experiments/create": z.strictObject({ name: z.string().min(1) }),
	"POST runs/search": z.strictObject({
		experiment_ids: z.array(z.string()).min(1),
		filter: z.string().regex(/^tags\.`[a-z_.]+` = '[\w-]+'$/),
		max_results: z.number().int().min(1).max(50_000),
	}),
	"POST runs/create": z.strictObject({ experiment_id: z.string(), run_name: z.string(), start_time: time, tags: z.array(pair) }),
	"POST runs/log-batch": z
		.strictObject({
			run_id: z.string(),
			metrics: z
				.array(z.strictObject({ key, value, timestamp: time, step: z.number().int() }))
				.max(1_000)
				.default([]),
			params: z
				.array(z.strictObject({ key, value: z.string().max(6_000) }))
				.max(100)
				.default([]),
			tags: z.array(pair).max(100).default([]),
		})
		.refine(({ metrics, params, tags }) => metrics.length + params.length + tags.length <= 1_000),
	"POST runs/update": z.strictObject({ run_id: z.string(), status: z.enum(["FINISHED", "FAILED", "KILLED"]), end_time: time }),
};

class Refusal extends Error {
	readonly status: number;
	constructor(status: number, code: string) {
		super(code);
		this.status = status;
	}
}

export async function openMlflow(): Promise<MlflowReceiver> {
	const state: Omit<MlflowReceiver, "url" | "close"> = { experiments: new Map(), runs: new Map(), requests: [], answers: [] };
	const server = http.createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const url = new URL(request.url ?? "/", "http://mlflow");
			const what = `${request.method} ${url.pathname.replace("/api/2.0/mlflow/", "")}`;
			state.requests.push({ what, authorization: request.headers.authorization });
			const planned = state.answers.shift() ?? "ok";
			if (typeof planned === "number") return void response.writeHead(planned).end("<html>");
			const [status, answer] = respond(state, what, url, Buffer.concat(chunks).toString());
			if (planned === "lost") return void request.socket.destroy();
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
	return { ...state, url: `http://127.0.0.1:${port}`, close };
}

type State = Omit<MlflowReceiver, "url" | "close">;

function respond(state: State, what: string, url: URL, body: string): [number, object] {
	try {
		if (what === "GET experiments/get-by-name") return [200, findExperiment(state, url.searchParams.get("experiment_name") ?? "")];
		const schema = requests[what as keyof typeof requests];
		if (!schema) throw new Refusal(404, "ENDPOINT_NOT_FOUND");
		const parsed = schema.safeParse(JSON.parse(body));
		if (!parsed.success) throw new Refusal(400, "INVALID_PARAMETER_VALUE");
		return [200, handle(state, what, parsed.data)];
	} catch (error) {
		if (error instanceof Refusal) return [error.status, { error_code: error.message, message: "secret text of the server" }];
		return [500, {}];
	}
}

function findExperiment({ experiments }: State, name: string): object {
	const id = experiments.get(name);
	if (id === undefined) throw new Refusal(404, "RESOURCE_DOES_NOT_EXIST");
	return { experiment: { experiment_id: id, name, lifecycle_stage: "active" } };
}

function handle(state: State, what: string, data: z.output<(typeof requests)[keyof typeof requests]>): object {
	const { experiments, runs } = state;
	if ("name" in data) {
		if (experiments.has(data.name)) throw new Refusal(400, "RESOURCE_ALREADY_EXISTS");
		experiments.set(data.name, String(experiments.size + 1));
		return { experiment_id: experiments.get(data.name) };
	}
	if ("filter" in data) {
		const [, tag = "", wanted] = /^tags\.`(.+)` = '(.+)'$/.exec(data.filter) ?? [];
		const found = [...runs].filter(([, run]) => run.tags.get(tag) === wanted && data.experiment_ids.includes(run.experimentId));
		// MLflow leaves out an empty list.
		return found.length === 0 ? {} : { runs: found.slice(0, data.max_results).map(([id]) => ({ info: { run_id: id } })) };
	}
	if ("experiment_id" in data) {
		const id = `remote${runs.size + 1}`;
		const tags = new Map(data.tags.map((tag) => [tag.key, tag.value]));
		runs.set(id, {
			...{ experimentId: data.experiment_id, name: data.run_name, startMs: data.start_time, status: "RUNNING", endMs: null, tags },
			...{ params: new Map(), metrics: [] },
		});
		return { run: { info: { run_id: id } } };
	}
	const run = runs.get(data.run_id);
	if (!run) throw new Refusal(404, "RESOURCE_DOES_NOT_EXIST");
	if ("status" in data) Object.assign(run, { status: data.status, endMs: data.end_time });
	else log(run, data);
	return what === "POST runs/update" ? { run_info: { run_id: data.run_id } } : {};
}

function log(run: ReceivedRun, { metrics, params, tags }: z.output<(typeof requests)["POST runs/log-batch"]>): void {
	if (params.some((param) => (run.params.get(param.key) ?? param.value) !== param.value)) throw new Refusal(400, "INVALID_PARAMETER_VALUE");
	const idOf = (point: ReceivedRun["metrics"][number]): string => JSON.stringify([point.key, point.value, point.timestamp, point.step]);
	const stored = new Set(run.metrics.map(idOf));
	run.metrics.push(...metrics.filter((point) => !stored.has(idOf(point))));
	for (const param of params) run.params.set(param.key, param.value);
	for (const tag of tags) run.tags.set(tag.key, tag.value);
}
