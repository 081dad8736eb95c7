import { z } from "zod";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import { answerError, NOT_BELIEVED, noAnswer, notUnderstood, type Refusal, refusalsSchema } from "./errors.ts";
import { type HttpAnswer, sendHttp } from "./http.ts";
import { jobSchema, nodeSchema, partitionSchema, type SlurmJob, type SlurmNode, type SlurmPartition } from "./mapper.ts";
import type { ParsedSlurmSettings } from "./settings.ts";
import { shareNextCall } from "./share-next-call.ts";
import { SlurmToken } from "./token.ts";
import { type ApiVersion, isPlain, newestOf, VERSIONS } from "./versions.ts";

/** More than a listing of ten thousand jobs, which is 35 MB. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;
/**
 * The token was rejected. Newer servers report it with this number or with the status; 22.05 uses its error without a message.
 */
const REFUSED = /"err(or_number|or_code|no)": *(1007|-1)\b/;
// Built once, because building a schema costs more than parsing a response.
const openApiSchema = z.looseObject({ paths: z.record(z.string(), z.unknown()) });
const nodesSchema = z.looseObject({ nodes: z.array(nodeSchema) });
const partitionsSchema = z.looseObject({ partitions: z.array(partitionSchema) });
const jobsSchema = z.looseObject({ jobs: z.array(jobSchema) });
const submittedSchema = z.looseObject({ job_id: z.number().int().positive() });
const doneSchema = z.looseObject({});
const releaseOf = z.looseObject({ release: z.string() }).optional();
/** 22.05 capitalizes the name. */
const metaSchema = z.looseObject({ meta: z.looseObject({ Slurm: releaseOf, slurm: releaseOf }) });

interface Asked {
	method: "GET" | "POST" | "DELETE";
	path: string;
	/** Describes the call in errors. */
	what: string;
	body?: unknown;
}

export interface JobChange {
	hold?: boolean;
	comment?: string;
	dependency?: string;
	notBeforeMs?: number;
}

/** The driver's calls to slurmrestd. Every response is validated. Errors: DriverError. */
export class SlurmCalls {
	readonly #settings: ParsedSlurmSettings;
	readonly #token: SlurmToken;
	readonly #base: string;
	#version: ApiVersion | null = null;

	constructor(settings: ParsedSlurmSettings, clock: Clock) {
		this.#settings = settings;
		this.#token = new SlurmToken(settings, clock);
		this.#base = settings.url.replace(/\/+$/, "");
	}

	/** The newest API version that both sides support, queried once. */
	async version(): Promise<ApiVersion> {
		this.#version ??= await this.#findVersion();
		return this.#version;
	}

	/** The cluster's version, e.g. `22.05.8`. */
	async release(): Promise<string | null> {
		const { meta } = await this.#call(metaSchema, { method: "GET", path: "/ping", what: "its release" });
		return (meta.slurm ?? meta.Slurm)?.release ?? null;
	}

	async nodes(): Promise<SlurmNode[]> {
		return (await this.#call(nodesSchema, { method: "GET", path: "/nodes", what: "nodes" })).nodes;
	}

	async partitions(): Promise<SlurmPartition[]> {
		return (await this.#call(partitionsSchema, { method: "GET", path: "/partitions", what: "partitions" })).partitions;
	}

	/** All jobs of the controller, of all users. The response is large, so concurrent callers share one request. */
	readonly jobs: () => Promise<SlurmJob[]> = shareNextCall(
		async () => (await this.#call(jobsSchema, { method: "GET", path: "/jobs", what: "jobs" })).jobs,
	);

	/** The same, or null if nothing has changed since that second of the controller's clock. */
	async jobsSince(seconds: number): Promise<SlurmJob[] | null> {
		const what = "jobs";
		const { answer, refusals, status, text } = await this.#send({ method: "GET", path: `/jobs?update_time=${seconds}`, what });
		if (status === 304) return null;
		if (status >= 400 || refusals.length > 0) throw answerError(what, status, refusals, text);
		const parsed = jobsSchema.safeParse(answer);
		if (parsed.success) return parsed.data.jobs;
		throw notUnderstood(what, "no list of jobs");
	}

	/**
	 * Changes a job of any user, within the caller's rights. `notBeforeMs`: earliest start.
	 * @throws not_found if the controller does not know it
	 */
	async update(id: number, { notBeforeMs, ...change }: JobChange): Promise<void> {
		const seconds = Math.floor((notBeforeMs ?? 0) / 1_000);
		// 22.05 parses the formats of `--begin`; only this one needs no time zone.
		const begin = isPlain(await this.version()) ? `uts${seconds}` : { set: true, infinite: false, number: seconds };
		const body = { ...change, ...(notBeforeMs === undefined ? {} : { begin_time: begin }) };
		await this.#call(doneSchema, { method: "POST", path: `/job/${id}`, what: `job ${id}`, body });
	}

	/** null if the controller does not know it (any more). */
	async job(id: number): Promise<SlurmJob | null> {
		const what = `job ${id}`;
		try {
			const answer = await this.#call(jobsSchema, { method: "GET", path: `/job/${id}`, what });
			return answer.jobs.find((j) => j.id === id) ?? null;
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return null;
			throw error;
		}
	}

	/** Returns the number of the new job. A job that was created with a warning, such as a limit it waits for, counts. */
	async submit(payload: unknown): Promise<number> {
		const what = "submission";
		const { answer, refusals, status, text } = await this.#send({ method: "POST", path: "/job/submit", what, body: payload });
		const made = submittedSchema.safeParse(answer);
		if (made.success) return made.data.job_id;
		if (status >= 400 || refusals.length > 0) throw answerError(what, status, refusals, text);
		throw notUnderstood(what, "no job_id");
	}

	/** Cancels it: SIGTERM and, after the cluster's KillWait, SIGKILL. Does nothing if it has ended or is unknown. */
	cancel(id: number): Promise<void> {
		return this.#end(id, `/job/${id}`);
	}

	/**
	 * Signals every process of a running job. Does nothing if it has ended or is unknown.
	 * @throws transient while it is starting
	 */
	signal(id: number, signal: "SIGCONT"): Promise<void> {
		return this.#end(id, `/job/${id}?signal=${signal}`);
	}

	async #end(id: number, path: string): Promise<void> {
		try {
			await this.#call(doneSchema, { method: "DELETE", path, what: `job ${id}` });
		} catch (error) {
			if (!(error instanceof DriverError) || error.kind !== "not_found") throw error;
		}
	}

	async #call<S extends z.ZodType>(schema: S, asked: Asked): Promise<z.output<S>> {
		const { answer, refusals, status, text } = await this.#send(asked);
		if (status >= 400 || refusals.length > 0) throw answerError(asked.what, status, refusals, text);
		const parsed = schema.safeParse(answer);
		if (parsed.success) return parsed.data;
		const [first] = parsed.error.issues;
		throw notUnderstood(asked.what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
	}

	async #send(asked: Asked): Promise<{ answer: unknown; refusals: Refusal[]; status: number; text: string }> {
		const { status, text } = await this.#http(asked.method, `/slurm/${await this.version()}${asked.path}`, asked);
		const answer = readJson(text);
		const refusals = refusalsSchema.safeParse(answer);
		// An upgrade of the cluster removes versions; such a response has no Slurm message.
		if (status === 404 && !refusals.success) this.#version = null;
		if (answer === undefined && status < 400 && status !== 304) throw notUnderstood(asked.what, "no JSON");
		return { answer, refusals: refusals.success ? refusals.data.errors : [], status, text };
	}

	async #findVersion(): Promise<ApiVersion> {
		const what = "its versions";
		const { status, text } = await this.#http("GET", "/openapi/v3", { what });
		const spec = openApiSchema.safeParse(readJson(text));
		if (status >= 400 && status !== 404) throw answerError(what, status, [], text);
		const found = spec.success ? newestOf(Object.keys(spec.data.paths)) : await this.#tryVersions(what);
		if (found) return found;
		throw new DriverError(
			"invalid_request",
			`Slurm: slurmrestd at ${this.#base} supports none of ${VERSIONS.join(", ")}. Load one of these plugins (list them with slurmrestd -s list)`,
		);
	}

	/** Used if the server's specification is unreadable. */
	async #tryVersions(what: string): Promise<ApiVersion | null> {
		for (const version of VERSIONS) if ((await this.#http("GET", `/slurm/${version}/ping`, { what })).status !== 404) return version;
		return null;
	}

	/**
	 * A rejected token is replaced once, and a read is retried once if the connection broke. Calls that change something are not
	 * retried.
	 */
	async #http(method: Asked["method"], path: string, { what, body }: Pick<Asked, "what" | "body">): Promise<HttpAnswer> {
		const token = await this.#token.current();
		const once = () => this.#fetch(method, path, what, body);
		const answer = await once().catch((error: unknown) => {
			if (method === "GET" && isBroken(error)) return once();
			throw error;
		});
		const { status, text } = answer;
		const refused = status === 401 || status === NOT_BELIEVED || (method === "GET" && status >= 400 && REFUSED.test(text));
		return refused && (await this.#token.renew(token)) ? once() : answer;
	}

	async #fetch(method: string, path: string, what: string, body: unknown): Promise<HttpAnswer> {
		const { user, answerTimeoutMs } = this.#settings;
		const token = await this.#token.current();
		const headers: Record<string, string> = { "x-slurm-user-name": user, "x-slurm-user-token": token };
		if (body !== undefined) headers["content-type"] = "application/json";
		const url = `${this.#base}${path}`;
		const sent = body === undefined ? null : JSON.stringify(body);
		try {
			return await sendHttp({ method, url, headers, body: sent, timeoutMs: answerTimeoutMs, bytesMax: ANSWER_BYTES_MAX });
		} catch (error) {
			throw noAnswer(what, this.#base, error);
		}
	}
}

/** slurmrestd closes connections after some responses; the next request on one of them is cut before it is read. */
function isBroken(error: unknown): boolean {
	return error instanceof DriverError && ["ECONNRESET", "EPIPE"].includes(error.providerCode ?? "");
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
