import { createHash, createVerify, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Implements as much of Azure Blob Storage and Google Cloud Storage as rclone needs for reading: pages of a list, one object's
 * metadata, and its bytes, whole or from an offset. Credentials are checked. Every other call is rejected, so that its test
 * fails.
 */
export interface ObjectStore {
	/** `http://127.0.0.1:<port>` */
	url: string;
	/** Method, path and query of each call, with ` from <offset>` if only the rest of an object was requested. */
	seen: string[];
	/** Cuts the connection after this many bytes the next time this object is sent. */
	cutOnce(name: string, afterBytes: number): void;
	/** Replaces its bytes with others of the same length; its checksum stays. */
	spoil(name: string): void;
	stop(): Promise<void>;
}

/** Objects by name, in one container or bucket. */
export type Objects = Readonly<Record<string, string>>;

interface Stored {
	name: string;
	body: Buffer;
	md5: string;
}

const CHANGED_AT = new Date("2026-11-02T10:00:00Z");
/** Page size of a list, so small that a handful of objects makes several pages. */
const PAGE = 2;

type Answering = (call: { request: IncomingMessage; response: ServerResponse; url: URL; body: string }, store: Shelf) => void;

class Shelf {
	readonly #objects: Map<string, Stored>;
	readonly #cuts = new Map<string, number>();

	constructor(objects: Objects) {
		const stored = Object.entries(objects).map(([name, text]): [string, Stored] => {
			const body = Buffer.from(text);
			return [name, { name, body, md5: createHash("md5").update(body).digest("base64") }];
		});
		this.#objects = new Map(stored.sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	get(name: string): Stored | undefined {
		return this.#objects.get(name);
	}

	cutOnce(name: string, afterBytes: number): void {
		this.#cuts.set(name, afterBytes);
	}

	spoil(name: string): void {
		const stored = this.#objects.get(name);
		if (stored) stored.body = Buffer.alloc(stored.body.length, "x");
	}

	/** One page of the names below a prefix. With a delimiter, names in subfolders are reported as folders. */
	page({ prefix, delimiter, after }: { prefix: string; delimiter: string; after: string }) {
		const below = [...this.#objects.keys()].filter((name) => name.startsWith(prefix));
		const entries = new Set(
			below.map((name) => {
				const end = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
				return end === -1 ? name : name.slice(0, end + 1);
			}),
		);
		const rest = [...entries].filter((entry) => entry > after);
		const page = rest.slice(0, PAGE);
		return {
			objects: page.flatMap((entry) => this.#objects.get(entry) ?? []),
			folders: page.filter((entry) => !this.#objects.has(entry)),
			next: rest.length > PAGE ? (page.at(-1) ?? "") : "",
		};
	}

	send({ name, body }: Stored, request: IncomingMessage, response: ServerResponse, headers: Record<string, string>): void {
		const from = Number(/^bytes=(\d+)-/.exec(String(request.headers["x-ms-range"] ?? request.headers["range"] ?? ""))?.[1] ?? 0);
		const rest = body.subarray(from);
		const range = from === 0 ? {} : { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` };
		response.writeHead(from === 0 ? 200 : 206, { ...headers, ...range, "content-length": rest.length, "accept-ranges": "bytes" });
		const cut = this.#cuts.get(name);
		this.#cuts.delete(name);
		if (cut === undefined) response.end(rest);
		else response.write(rest.subarray(0, cut), () => response.socket?.destroy());
	}
}

/** @param sas the one accepted signature, as the query of its addresses */
export function startBlobStore(container: string, objects: Objects, sas: string): Promise<ObjectStore> {
	return serve(objects, ({ request, response, url }, store) => {
		if (url.searchParams.get("sig") !== new URLSearchParams(sas).get("sig")) {
			const words = "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly.";
			return refuse(response, 403, "AuthenticationFailed", words);
		}
		const [, inContainer, name = ""] = /^\/([^/]+)(?:\/(.+))?$/.exec(decodeURIComponent(url.pathname)) ?? [];
		if (inContainer !== container) return refuse(response, 404, "ContainerNotFound", "The specified container does not exist.");
		if (url.searchParams.get("comp") === "list") return sendXmlList(response, store, url);
		const stored = store.get(name);
		if (!stored) return refuse(response, 404, "BlobNotFound", "The specified blob does not exist.");
		const headers = {
			...{ "content-md5": stored.md5, etag: `"${stored.md5}"`, "last-modified": CHANGED_AT.toUTCString(), "x-ms-blob-type": "BlockBlob" },
			...{ "content-type": "text/plain", "x-ms-version": "2020-10-02" },
		};
		if (request.method === "HEAD") return void response.writeHead(200, { ...headers, "content-length": stored.body.length }).end();
		store.send(stored, request, response, headers);
	});

	function refuse(response: ServerResponse, status: number, code: string, message: string): void {
		response.writeHead(status, { "content-type": "application/xml", "x-ms-error-code": code });
		response.end(`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
	}
}

function sendXmlList(response: ServerResponse, store: Shelf, { searchParams: query }: URL): void {
	const asked = { prefix: query.get("prefix") ?? "", delimiter: query.get("delimiter") ?? "", after: query.get("marker") ?? "" };
	const { objects, folders, next } = store.page(asked);
	const blobs = objects.map(
		({ name, body, md5 }) =>
			`<Blob><Name>${name}</Name><Properties><Last-Modified>${CHANGED_AT.toUTCString()}</Last-Modified><Etag>${md5}</Etag><Content-Length>${body.length}</Content-Length><Content-Type>text/plain</Content-Type><Content-MD5>${md5}</Content-MD5><BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier></Properties></Blob>`,
	);
	const prefixes = folders.map((name) => `<BlobPrefix><Name>${name}</Name></BlobPrefix>`);
	response.writeHead(200, { "content-type": "application/xml" });
	response.end(
		`<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>${[...blobs, ...prefixes].join("")}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
	);
}

/** @param account the one service account that gets a token, by an assertion signed with its key */
export function startGcsStore(bucket: string, objects: Objects, account: { email: string; publicKey: KeyObject }): Promise<ObjectStore> {
	const TOKEN = "a-token-for-an-hour";
	return serve(objects, ({ request, response, url, body }, store) => {
		if (url.pathname === "/token") {
			if (!isSigned(new URLSearchParams(body).get("assertion") ?? "", account))
				return sendJson(response, 400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
			return sendJson(response, 200, { access_token: TOKEN, token_type: "Bearer", expires_in: 3_600 });
		}
		if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse(response, 401, "authError", "Invalid Credentials");
		const [, inBucket, name] = /^(?:\/download)?\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname) ?? [];
		if (inBucket !== bucket) return refuse(response, 404, "notFound", "The specified bucket does not exist.");
		const site = `http://${request.headers.host}`;
		if (name === undefined) return sendJsonList(response, store, url, site);
		const stored = store.get(decodeURIComponent(name));
		if (!stored) return refuse(response, 404, "notFound", `No such object: ${bucket}/${decodeURIComponent(name)}`);
		if (url.searchParams.get("alt") === "media") return store.send(stored, request, response, { "content-type": "text/plain" });
		sendJson(response, 200, resourceOf(stored, site));
	});

	function refuse(response: ServerResponse, status: number, reason: string, message: string): void {
		sendJson(response, status, { error: { code: status, message, errors: [{ reason, message, domain: "global" }] } });
	}

	function resourceOf({ name, body, md5 }: Stored, site: string) {
		const mediaLink = `${site}/download/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}?generation=1&alt=media`;
		return {
			...{ kind: "storage#object", name, bucket, size: String(body.length), md5Hash: md5, etag: md5, contentType: "text/plain" },
			...{ updated: CHANGED_AT.toISOString(), timeCreated: CHANGED_AT.toISOString(), storageClass: "STANDARD", generation: "1", mediaLink },
		};
	}

	function sendJsonList(response: ServerResponse, store: Shelf, { searchParams: query }: URL, site: string): void {
		const asked = { prefix: query.get("prefix") ?? "", delimiter: query.get("delimiter") ?? "", after: query.get("pageToken") ?? "" };
		const { objects, folders, next } = store.page(asked);
		const more = next === "" ? {} : { nextPageToken: next };
		sendJson(response, 200, {
			kind: "storage#objects",
			items: objects.map((stored) => resourceOf(stored, site)),
			prefixes: folders,
			...more,
		});
	}
}

function isSigned(assertion: string, { email, publicKey }: { email: string; publicKey: KeyObject }): boolean {
	const [header = "", claims = "", signature = ""] = assertion.split(".");
	const isOurs = createVerify("RSA-SHA256").update(`${header}.${claims}`).verify(publicKey, Buffer.from(signature, "base64url"));
	return isOurs && JSON.parse(Buffer.from(claims, "base64url").toString()).iss === email;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function serve(objects: Objects, answer: Answering): Promise<ObjectStore> {
	const shelf = new Shelf(objects);
	const seen: string[] = [];
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "/", "http://store");
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const from = /^bytes=([1-9]\d*)-/.exec(String(request.headers["x-ms-range"] ?? request.headers["range"] ?? ""))?.[1];
		seen.push(`${request.method} ${url.pathname}${url.search}${from === undefined ? "" : ` from ${from}`}`);
		answer({ request, response, url, body: Buffer.concat(chunks).toString() }, shelf);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		seen,
		cutOnce: (name, afterBytes) => shelf.cutOnce(name, afterBytes),
		spoil: (name) => shelf.spoil(name),
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
