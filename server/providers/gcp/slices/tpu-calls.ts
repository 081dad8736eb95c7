import { z } from "zod";
import { DriverError } from "../../driver-errors.ts";
import { repeatAfterReset } from "../../repeat-after-reset.ts";
import type { ComputeCalls } from "../client.ts";
import type { ParsedGcpSettings } from "../settings.ts";
import { type QueuedResource, queuedResourceSchema, type TpuNode, tpuNodeSchema } from "./queued-resource.ts";
import { tpuRefusal } from "./tpu-errors.ts";

const GOOGLE = "https://tpu.googleapis.com";
/** More pages than any project has. */
const PAGES_MAX = 1_000;

const resourcesPage = z.object({ queuedResources: z.array(queuedResourceSchema).default([]), nextPageToken: z.string().optional() });
const typesPage = z.object({ acceleratorTypes: z.array(z.object({ type: z.string() })).default([]), nextPageToken: z.string().optional() });

/** The driver's calls of the TPU API v2. Every response is validated. */
export class TpuCalls {
	readonly #settings: ParsedGcpSettings;
	readonly #compute: ComputeCalls;

	/** @param compute authenticates the calls */
	constructor(settings: ParsedGcpSettings, compute: ComputeCalls) {
		this.#settings = settings;
		this.#compute = compute;
	}

	/** Accelerator types that a zone has. */
	async acceleratorTypes(zone: string): Promise<string[]> {
		const pages = await this.#pages(`${this.#parent(zone)}/acceleratorTypes`, typesPage, `accelerator types in ${zone}`);
		return pages.flatMap(({ acceleratorTypes }) => acceleratorTypes.map(({ type }) => type));
	}

	async queuedResources(zone: string): Promise<QueuedResource[]> {
		const pages = await this.#pages(`${this.#parent(zone)}/queuedResources`, resourcesPage, `queued resources in ${zone}`);
		return pages.flatMap(({ queuedResources }) => queuedResources);
	}

	/** null if there is none with this name. */
	queuedResource(zone: string, name: string): Promise<QueuedResource | null> {
		return this.#find(`${this.#parent(zone)}/queuedResources/${name}`, queuedResourceSchema, `queued resource ${name} in ${zone}`);
	}

	/** null if there is none with this name. */
	node(zone: string, name: string): Promise<TpuNode | null> {
		return this.#find(`${this.#parent(zone)}/nodes/${name}`, tpuNodeSchema, `node ${name} in ${zone}`);
	}

	/** Creates a queued resource, unless the name is taken. */
	async createQueuedResource(zone: string, name: string, body: object): Promise<void> {
		const path = `${this.#parent(zone)}/queuedResources?queuedResourceId=${name}`;
		try {
			await this.#call("POST", path, `launch of ${name} in ${zone}`, body);
		} catch (error) {
			if (!(error instanceof DriverError) || error.providerCode !== "ALREADY_EXISTS") throw error;
		}
	}

	/** Deletes a queued resource with its node. */
	async deleteQueuedResource(zone: string, name: string): Promise<void> {
		await this.#call("DELETE", `${this.#parent(zone)}/queuedResources/${name}?force=true`, `termination of ${name} in ${zone}`);
	}

	#parent(zone: string): string {
		return `/v2/projects/${this.#settings.project}/locations/${zone}`;
	}

	async #find<S extends z.ZodType>(path: string, schema: S, what: string): Promise<z.output<S> | null> {
		try {
			return parse(schema, await repeatAfterReset(() => this.#call("GET", path, what)), what);
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return null;
			throw error;
		}
	}

	async #pages<S extends z.ZodType<{ nextPageToken?: string | undefined }>>(path: string, schema: S, what: string): Promise<z.output<S>[]> {
		const pages: z.output<S>[] = [];
		let token: string | undefined;
		for (let count = 0; count < PAGES_MAX; count += 1) {
			const query = new URLSearchParams({ pageSize: String(this.#settings.pageSize), ...(token && { pageToken: token }) });
			const page = parse(schema, await repeatAfterReset(() => this.#call("GET", `${path}?${query}`, what)), what);
			pages.push(page);
			token = page.nextPageToken;
			if (!token) return pages;
		}
		throw notUnderstood(what, `more than ${PAGES_MAX} pages`);
	}

	async #call(method: string, path: string, what: string, body?: object): Promise<unknown> {
		const url = new URL(path, this.#settings.endpoint ?? GOOGLE);
		const headers = await this.#compute.headersFor(url, what);
		if (body !== undefined) headers.set("content-type", "application/json");
		const signal = AbortSignal.timeout(this.#settings.answerTimeoutMs);
		const sent = fetch(url, { method, headers, redirect: "error", signal, ...(body !== undefined && { body: JSON.stringify(body) }) });
		const answer = await sent.catch((error: unknown) => {
			throw new DriverError("transient", `Google Cloud TPU: ${what}: no response`, { providerCode: "NoAnswer", cause: error });
		});
		const text = await answer.text();
		if (!answer.ok) throw tpuRefusal(answer.status, text, what);
		return readJson(text, what);
	}
}

function readJson(text: string, what: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw notUnderstood(what, "it is not JSON");
	}
}

function parse<S extends z.ZodType>(schema: S, answer: unknown, what: string): z.output<S> {
	const result = schema.safeParse(answer);
	if (result.success) return result.data;
	const [first] = result.error.issues;
	throw notUnderstood(what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
}

/** An unreadable response says nothing about whether the call was executed. */
function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `Google Cloud TPU: ${what}: could not parse the response (${why})`, {
		providerCode: "UnexpectedAnswer",
	});
}
