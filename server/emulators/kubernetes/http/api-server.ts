import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../api-error.ts";
import type { NodeObject, PodObject } from "../objects.ts";
import { authorize, type Identity } from "../rbac.ts";
import type { Change } from "../store.ts";
import type { ApiFaults } from "./faults.ts";
import { discoveryOf, type Route, routeOf } from "./route.ts";
import { create, filterOf, found, list, patch, remove, replace, type VerbContext } from "./verbs.ts";

const BOOKMARK_EVERY_MS = 60_000;
/** API groups that exist only if someone has installed them. */
const ADDED_GROUPS = new Set(["kueue.x-k8s.io"]);

export interface ApiServerOptions extends VerbContext {
	minor: number;
	/** API groups in addition to the built-in ones, e.g. kueue.x-k8s.io. */
	groups: readonly string[];
	/** Users by token. */
	tokens: ReadonlyMap<string, Identity>;
	faults: ApiFaults;
	/** 0: a free one. */
	port?: number;
}

/** The HTTP side. It can be closed and reopened on its port, as when an API server restarts. */
export class ApiServer {
	readonly #options: ApiServerOptions;
	#server: http.Server | null = null;
	#port = 0;

	constructor(options: ApiServerOptions) {
		this.#options = options;
		this.#port = options.port ?? 0;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async open(): Promise<void> {
		const server = http.createServer((request, response) => void this.#answer(request, response));
		await new Promise<void>((resolve, reject) => server.once("error", reject).listen(this.#port, "127.0.0.1", resolve));
		this.#port = (server.address() as AddressInfo).port;
		this.#server = server;
	}

	async close(): Promise<void> {
		const server = this.#server;
		if (!server) return;
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		server.closeAllConnections();
		await closed;
		this.#server = null;
	}

	/** Closes every open connection, including watches. */
	cutConnections(): void {
		this.#server?.closeAllConnections();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const fault = this.#options.faults.take(request.method ?? "GET", request.url ?? "/");
			if (fault && "delayMs" in fault) await sleep(fault.delayMs, undefined, { ref: false });
			if (fault && "status" in fault) throw new ApiError(fault.status, "InternalError", `scripted to answer ${fault.status}`);
			const cut = fault !== null && "cut" in fault;
			if (cut && !fault.done) return void request.socket.destroy();
			const body = await this.#perform(request, response);
			if (cut) return void request.socket.destroy();
			if (body !== undefined) send(response, request.method === "POST" ? 201 : 200, body);
		} catch (error) {
			const known = error instanceof ApiError ? error : new ApiError(500, "InternalError", String(error));
			if (response.headersSent) response.end();
			else send(response, known.code, known.toStatus());
		}
	}

	/** Undefined if the response is a stream, which has started. */
	async #perform(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
		const { tokens, minor, groups } = this.#options;
		const url = new URL(request.url ?? "/", "http://server");
		const identity = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
		if (!identity) throw new ApiError(401, "Unauthorized", "Unauthorized");
		if (["/readyz", "/livez", "/healthz"].includes(url.pathname)) return "ok";
		const discovery = discoveryOf(url.pathname, { minor, groups });
		if (discovery !== undefined) return discovery;
		const route = routeOf(url.pathname);
		const isThere = route !== null && (!ADDED_GROUPS.has(route.type.group) || groups.includes(route.type.group));
		if (!route || !isThere) throw new ApiError(404, "NotFound", "the server could not find the requested resource");
		const verb = verbOf(request.method ?? "GET", route, url.searchParams);
		const resource = route.subresource === null ? route.type.plural : `${route.type.plural}/${route.subresource}`;
		authorize(identity, { verb, group: route.type.group, resource, namespace: route.namespace });
		if (verb === "watch") return this.#watch(response, route, url.searchParams);
		if (route.subresource === "log") return this.#log(response, route, url.searchParams);
		const body = await readJson(request);
		switch (verb) {
			case "list":
				return list(this.#options, route, url.searchParams);
			case "get":
				return found(this.#options, route);
			case "create":
				return create(this.#options, route, url.searchParams, body);
			case "patch":
				return patch(this.#options, route, (request.headers["content-type"] ?? "").replace(/;.*/, ""), body);
			case "update":
				return replace(this.#options, route, body);
			default:
				return remove(this.#options, route, url.searchParams, body);
		}
	}

	#watch(response: ServerResponse, route: Route, query: URLSearchParams): undefined {
		const { store } = this.#options;
		const filter = filterOf(query, route.namespace);
		const write = (event: unknown) => response.write(`${JSON.stringify(event)}\n`);
		const emit = ({ plural, type, object }: Change) => {
			if (plural === route.type.plural && filter(object)) write({ type, object });
		};
		response.writeHead(200, { "content-type": "application/json" });
		response.flushHeaders();
		try {
			for (const change of store.since(Number(query.get("resourceVersion") || store.version))) emit(change);
		} catch (error) {
			write({ type: "ERROR", object: (error as ApiError).toStatus() });
			response.end();
			return;
		}
		store.on("change", emit);
		const apiVersion = route.type.group ? `${route.type.group}/${route.type.version}` : route.type.version;
		const bookmark = () =>
			write({ type: "BOOKMARK", object: { kind: route.type.kind, apiVersion, metadata: { resourceVersion: String(store.version) } } });
		const bookmarks = query.get("allowWatchBookmarks") ? setInterval(bookmark, BOOKMARK_EVERY_MS).unref() : null;
		const end = setTimeout(() => response.end(), Number(query.get("timeoutSeconds") ?? 1_800) * 1_000).unref();
		response.on("close", () => {
			store.off("change", emit);
			if (bookmarks) clearInterval(bookmarks);
			clearTimeout(end);
		});
	}

	/** Requested from the node on which it runs. */
	async #log(response: ServerResponse, route: Route, query: URLSearchParams): Promise<undefined> {
		const pod = found(this.#options, route) as PodObject;
		const { name, namespace } = pod.metadata;
		const [container] = pod.spec.containers;
		const state = pod.status.containerStatuses?.[0]?.state;
		if (!state?.running && !state?.terminated) {
			throw new ApiError(
				400,
				"BadRequest",
				`container "${container?.name}" in pod "${name}" is waiting to start: ${state?.waiting?.reason ?? "ContainerCreating"}`,
			);
		}
		const node = this.#options.store.get<NodeObject>("nodes", null, pod.spec.nodeName ?? "");
		const port = node?.status.daemonEndpoints?.kubeletEndpoint?.Port;
		const path = `/containerLogs/${namespace}/${name}/${container?.name}?${query}`;
		await new Promise<void>((resolve, reject) => {
			const request = http.get({ host: "127.0.0.1", port, path }, (answer) => {
				// A node's error is passed on unchanged: GenericHttpResponseChecker of Kubernetes' registry.
				if (answer.statusCode !== 200)
					return reject(new ApiError(404, "NotFound", `the server could not find the requested resource ( pods/log ${name})`));
				response.writeHead(200, { "content-type": "text/plain" });
				response.flushHeaders();
				answer.pipe(response);
				answer.once("end", resolve).once("error", reject);
			});
			request.once("error", () =>
				reject(new ApiError(500, "InternalError", `Get "https://127.0.0.1:${port}${path}": connect: connection refused`)),
			);
			response.once("close", () => {
				request.destroy();
				resolve();
			});
		});
		return undefined;
	}
}

function verbOf(method: string, { name }: Route, query: URLSearchParams): string {
	const verbs: Record<string, string> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };
	if (method !== "GET") return verbs[method] ?? method.toLowerCase();
	if (name !== null) return "get";
	return ["1", "true"].includes(query.get("watch") ?? "") ? "watch" : "list";
}

async function readJson(request: IncomingMessage): Promise<unknown> {
	let text = "";
	for await (const chunk of request) text += String(chunk);
	if (text === "") return null;
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		throw new ApiError(400, "BadRequest", `couldn't decode the body: ${String(error)}`);
	}
}

function send(response: ServerResponse, status: number, body: unknown): void {
	const text = JSON.stringify(body);
	response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
	response.end(text);
}
