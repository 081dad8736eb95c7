import { readFile } from "node:fs/promises";
import type { KubeConfig, RequestContext } from "@kubernetes/client-node";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import { noAnswer, notUnderstood } from "./errors.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** Loaded only with a Kubernetes site, because it is large. */
export const loadKubernetesSdk = () => import("@kubernetes/client-node");
type Sdk = Awaited<ReturnType<typeof loadKubernetesSdk>>;
type Access = ParsedKubernetesSettings["access"];

/** Credentials are read again at this interval, so that ones replaced before their expiry are noticed. */
const READ_AGAIN_MS = 5 * 60_000;

export interface Sent {
	status: number;
	text(): Promise<string>;
	stream(): ReadableStream<Uint8Array> | null;
}
export interface Asked {
	method: "GET" | "POST" | "PATCH" | "DELETE";
	path: string;
	/** Describes the call in errors. */
	what: string;
	query?: Record<string, string | number | boolean | undefined>;
	body?: unknown;
	contentType?: string;
	signal: AbortSignal;
}

interface Session {
	sdk: Sdk;
	config: KubeConfig;
	server: string;
	/** Keeps connections open; the client itself would open one per call. */
	dispatcher: ReturnType<RequestContext["getDispatcher"]> | null;
	openedAtMs: number;
}

/**
 * Sends requests with Kubernetes' own client: its authentication methods, its certificates and its transport. Errors:
 * DriverError.
 */
export class Connection {
	readonly #access: Access;
	readonly #clock: Clock;
	#session: Promise<Session> | null = null;

	constructor(access: Access, clock: Clock) {
		this.#access = access;
		this.#clock = clock;
	}

	/** A request rejected for its credentials is repeated with freshly read ones. */
	async send(asked: Asked): Promise<Sent> {
		const session = await this.#open();
		const sent = await this.#once(session, asked);
		if (sent.status !== 401) return sent;
		await sent.text();
		this.#session = null;
		return this.#once(await this.#open(), asked);
	}

	async #open(): Promise<Session> {
		const known = this.#session && (await this.#session.catch(() => null));
		if (known && this.#clock.nowMs() - known.openedAtMs < READ_AGAIN_MS) return known;
		this.#session = this.#read();
		return this.#session;
	}

	async #read(): Promise<Session> {
		const sdk = await loadKubernetesSdk();
		const config = new sdk.KubeConfig();
		try {
			await loadAccess(config, this.#access);
		} catch (error) {
			const words = error instanceof Error ? error.message : String(error);
			throw new DriverError("unauthorized", `Kubernetes: could not read the site's credentials: ${words}`, { cause: error });
		}
		const cluster = config.getCurrentCluster();
		if (!cluster) throw new DriverError("unauthorized", "Kubernetes: the kubeconfig has no current context; set a context for the site");
		return { sdk, config, server: cluster.server.replace(/\/+$/, ""), dispatcher: null, openedAtMs: this.#clock.nowMs() };
	}

	async #once(session: Session, { method, path, what, query, body, contentType, signal }: Asked): Promise<Sent> {
		const { sdk, config, server } = session;
		const url = new URL(server + path);
		for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
		const context = new sdk.RequestContext(url.toString(), sdk.HttpMethod[method]);
		try {
			await config.applySecurityAuthentication(context);
		} catch (error) {
			const words = error instanceof Error ? error.message : String(error);
			throw new DriverError("unauthorized", `Kubernetes: ${what}: sign-in failed: ${words}`, { cause: error });
		}
		if (session.dispatcher === null) session.dispatcher = context.getDispatcher();
		else if (session.dispatcher) context.setDispatcher(session.dispatcher);
		context.setHeaderParam("accept", "application/json");
		if (body !== undefined) {
			context.setHeaderParam("content-type", contentType ?? "application/json");
			context.setBody(JSON.stringify(body));
		}
		context.setSignal(signal);
		try {
			const answer = await new sdk.IsomorphicFetchHttpLibrary().send(context).toPromise();
			return {
				status: answer.httpStatusCode,
				text: () =>
					answer.body.text().catch((error: unknown) => {
						throw noAnswer(what, server, error);
					}),
				stream: () => answer.body.stream(),
			};
		} catch (error) {
			throw noAnswer(what, server, error);
		}
	}
}

/** Token syntax of RFC 6750, 2.1. The longest tokens that Kubernetes itself issues are some kB. */
const BEARER_TOKEN = /^[\w.~+/-]{1,16384}=*$/;

async function loadAccess(config: KubeConfig, access: Access): Promise<void> {
	if ("inCluster" in access) return config.loadFromCluster();
	if ("kubeconfig" in access) {
		config.loadFromFile(access.kubeconfig);
		if (access.context !== undefined) config.setCurrentContext(access.context);
		return;
	}
	const token = (await readFile(access.tokenFile, "utf8")).trim();
	// The file's content is sent to the server in the site's settings, so no other file of this host may be read.
	if (!BEARER_TOKEN.test(token))
		throw new Error(`${access.tokenFile} does not contain a bearer token (one line of letters, digits and -._~+/=)`);
	const { server, caFile } = access;
	// The settings allow plain http only for this host; the client needs this option in addition.
	const cluster = { name: "site", server, skipTLSVerify: server.startsWith("http:"), ...(caFile === undefined ? {} : { caFile }) };
	config.loadFromClusterAndUser(cluster, { name: "spillway", token });
}

/**
 * Parses JSON.
 * @throws DriverError transient if it is invalid
 */
export async function readJson(sent: Sent, what: string): Promise<unknown> {
	const text = await sent.text();
	try {
		return JSON.parse(text) as unknown;
	} catch {
		if (sent.status >= 400) return text;
		throw notUnderstood(what, "no JSON");
	}
}
