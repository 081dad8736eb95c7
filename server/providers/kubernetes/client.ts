import type { V1Job, V1Pod, V1Secret, V1Service } from "@kubernetes/client-node";
import { z } from "zod";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import { type Asked, Connection, readJson, type Sent } from "./connection.ts";
import { ALREADY_EXISTS, isCode, isExpired, notUnderstood, statusError } from "./errors.ts";
import { eventSchema, jobSchema, type KubeEvent, type KubeJob, type KubePod, podSchema } from "./objects.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

const listSchema = z.object({
	metadata: z.object({ resourceVersion: z.string().nullish(), continue: z.string().nullish() }),
	items: z.array(z.unknown()).nullish(),
});
const watchEventSchema = z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]), object: z.unknown() });
export type WatchEvent = z.output<typeof watchEventSchema>;

export interface Listing<T> {
	items: T[];
	resourceVersion: string;
}
type Query = NonNullable<Asked["query"]>;

export const STRATEGIC_MERGE = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";

/** The driver's API calls. Every response is validated. Errors: DriverError. */
export class KubeCalls {
	readonly #settings: ParsedKubernetesSettings;
	readonly #connection: Connection;

	constructor(settings: ParsedKubernetesSettings, clock: Clock) {
		this.#settings = settings;
		this.#connection = new Connection(settings.access, clock);
	}

	/** All pages of a listing. If a continuation has expired, the listing starts again, once. */
	async list<S extends z.ZodType>(path: string, item: S, query: Query = {}): Promise<Listing<z.output<S>>> {
		const whole = async () => {
			const items: z.output<S>[] = [];
			for (let next: string | undefined; ; ) {
				const page = await this.#ask(listSchema, {
					method: "GET",
					path,
					what: path,
					query: { ...query, limit: this.#settings.pageSize, continue: next },
				});
				for (const each of page.items ?? []) items.push(parsed(item, each, path));
				next = page.metadata.continue || undefined;
				if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion ?? "" };
			}
		};
		try {
			return await whole();
		} catch (error) {
			if (isExpired(error)) return whole();
			throw error;
		}
	}

	/** Jobs and pods of the site's own namespace. */
	async jobs(selector: string): Promise<KubeJob[]> {
		return (await this.list(`${this.#batch()}/jobs`, jobSchema, { labelSelector: selector })).items;
	}

	async pods(selector: string): Promise<KubePod[]> {
		return (await this.list(`${this.#core()}/pods`, podSchema, { labelSelector: selector })).items;
	}

	/** The cluster's events about one object. */
	async events(kind: "Pod" | "Job" | "Workload", name: string): Promise<KubeEvent[]> {
		const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
		return (await this.list(`${this.#core()}/events`, eventSchema, { fieldSelector })).items;
	}

	/** The preferred version of an API group, e.g. of kueue.x-k8s.io; null if the server does not have the group. */
	async groupVersion(name: string): Promise<string | null> {
		const groupSchema = z.object({ name: z.string(), preferredVersion: z.object({ version: z.string() }) });
		const schema = z.object({ groups: z.array(groupSchema) });
		const { groups } = await this.#ask(schema, { method: "GET", path: "/apis", what: "its API groups" });
		return groups.find((g) => g.name === name)?.preferredVersion.version ?? null;
	}

	/** Creates nothing: returns the Job as the server would store it. */
	tryJob(body: V1Job): Promise<unknown> {
		return this.#ask(z.unknown(), {
			method: "POST",
			path: `${this.#batch()}/jobs`,
			what: "what it can do",
			query: { dryRun: "All" },
			body,
		});
	}

	/** Does nothing if one with this name exists, because names belong to attempts. */
	createJob(body: V1Job): Promise<void> {
		return this.#create(`${this.#batch()}/jobs`, body);
	}

	createPod(body: V1Pod): Promise<void> {
		return this.#create(`${this.#core()}/pods`, body);
	}

	createSecret(body: V1Secret): Promise<void> {
		return this.#create(`${this.#core()}/secrets`, body);
	}

	createService(body: V1Service): Promise<void> {
		return this.#create(`${this.#core()}/services`, body);
	}

	/** Does nothing if it no longer exists. */
	patchJob(name: string, patch: unknown): Promise<void> {
		return this.#nullIfMissing({
			method: "PATCH",
			path: `${this.#batch()}/jobs/${name}`,
			what: `job ${name}`,
			body: patch,
			contentType: MERGE,
		});
	}

	/** Patches a Job of others, or its status. Does nothing if it no longer exists. */
	patchTheirJob({ namespace, name }: { namespace: string; name: string }, patch: unknown, subresource: "status" | null): Promise<void> {
		const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}${subresource === null ? "" : `/${subresource}`}`;
		return this.#nullIfMissing({ method: "PATCH", path, what: `job ${namespace}/${name}`, body: patch, contentType: MERGE });
	}

	patchPod(name: string, patch: unknown): Promise<void> {
		const path = `${this.#core()}/pods/${name}`;
		return this.#nullIfMissing({ method: "PATCH", path, what: `pod ${name}`, body: patch, contentType: STRATEGIC_MERGE });
	}

	/** The server deletes its pods afterwards. Does nothing if it no longer exists. */
	deleteJob(name: string): Promise<void> {
		const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };
		return this.#nullIfMissing({ method: "DELETE", path: `${this.#batch()}/jobs/${name}`, what: `job ${name}`, body });
	}

	/** Deletes it with a grace period; a repeated call can shorten the period. Does nothing if it no longer exists. */
	deletePod(name: string, gracePeriodSeconds: number): Promise<void> {
		const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds };
		return this.#nullIfMissing({ method: "DELETE", path: `${this.#core()}/pods/${name}`, what: `pod ${name}`, body });
	}

	deleteSecret(name: string): Promise<void> {
		return this.#nullIfMissing({ method: "DELETE", path: `${this.#core()}/secrets/${name}`, what: `secret ${name}` });
	}

	deleteService(name: string): Promise<void> {
		return this.#nullIfMissing({ method: "DELETE", path: `${this.#core()}/services/${name}`, what: `service ${name}` });
	}

	/** Changes since a listing, until the server or `signal` ends the watch. An ERROR event is thrown. */
	async *watch(path: string, query: Query, resourceVersion: string, signal: AbortSignal, opened: () => void): AsyncGenerator<WatchEvent> {
		const sent = await this.#connection.send({
			...{ method: "GET", path, what: path, signal },
			query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds: WATCH_SECONDS },
		});
		if (sent.status >= 400) throw statusError(path, sent.status, await readJson(sent, path));
		const stream = sent.stream();
		if (!stream) throw notUnderstood(path, "no stream");
		opened();
		for await (const line of linesOf(stream)) {
			const event = parsed(watchEventSchema, line, path);
			if (event.type !== "ERROR") yield event;
			else throw statusError(path, z.looseObject({ code: z.number() }).safeParse(event.object).data?.code ?? 500, event.object);
		}
	}

	/** A container's log with the time of each line; with `follow` until it ends. null if there is none (any more, or yet). */
	async log(
		pod: string,
		options: { container: string; sinceTime?: string; follow?: boolean },
		signal: AbortSignal,
	): Promise<ReadableStream<Uint8Array> | null> {
		const path = `${this.#core()}/pods/${pod}/log`;
		const what = `log of ${pod}`;
		const sent = await this.#connection.send({ method: "GET", path, what, query: { ...options, timestamps: true }, signal });
		if (sent.status < 400) return sent.stream();
		const error = statusError(what, sent.status, await readJson(sent, what));
		// "container … is waiting to start", and pods or logs that no longer exist.
		if (error.kind === "not_found" || error.kind === "invalid_request") return null;
		throw error;
	}

	#core(): string {
		return `/api/v1/namespaces/${this.#settings.namespace}`;
	}

	#batch(): string {
		return `/apis/batch/v1/namespaces/${this.#settings.namespace}`;
	}

	async #create(path: string, body: V1Job | V1Pod | V1Secret | V1Service): Promise<void> {
		try {
			await this.#ask(z.unknown(), { method: "POST", path, what: `${body.kind ?? "object"} ${body.metadata?.name ?? ""}`, body });
		} catch (error) {
			if (!isCode(error, ALREADY_EXISTS)) throw error;
		}
	}

	async #nullIfMissing(asked: Omit<Asked, "signal">): Promise<void> {
		try {
			await this.#ask(z.unknown(), asked);
		} catch (error) {
			if (!(error instanceof DriverError) || error.kind !== "not_found") throw error;
		}
	}

	async #ask<S extends z.ZodType>(schema: S, asked: Omit<Asked, "signal">): Promise<z.output<S>> {
		const once = () => this.#connection.send({ ...asked, signal: AbortSignal.timeout(this.#settings.answerTimeoutMs) });
		const sent: Sent = await once().catch((error: unknown) => {
			// A restarted server has closed the kept connections.
			if (asked.method === "GET" && isBroken(error)) return once();
			throw error;
		});
		const body = await readJson(sent, asked.what);
		if (sent.status >= 400) throw statusError(asked.what, sent.status, body);
		return parsed(schema, body, asked.what);
	}
}

/** The server ends a watch after this long; it then resumes from its last position. */
export const WATCH_SECONDS = 300;

function parsed<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
	const result = schema.safeParse(value);
	if (result.success) return result.data;
	const [first] = result.error.issues;
	throw notUnderstood(what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
}

function isBroken(error: unknown): boolean {
	return error instanceof DriverError && ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(error.providerCode ?? "");
}

/** Parses JSON values, one per line. A truncated last value is dropped; readers resume from the one before. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as unknown;
	}
}
