import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ObjectStoreCounts } from "./counts.ts";
import { ObjectFiles } from "./object-files.ts";
import { allows } from "./policy.ts";
import { OBJECT_ROUTES, type ObjectCall } from "./routes.ts";
import { S3Error } from "./s3-error.ts";
import { sha256, signedRequest } from "./signature.ts";
import { issueSession, type Session } from "./sts.ts";

export interface ObjectStoreOptions {
	/** Folder for the objects. */
	folder: string;
	buckets: readonly string[];
	accessKeyId: string;
	secretAccessKey: string;
	nowMs?: () => number;
}

/**
 * S3 and STS on loopback: signatures are verified, sessions expire, and session policies are enforced as AWS enforces them. Kept
 * small: objects, multipart uploads, listings, AssumeRole and GetFederationToken.
 */
export class ObjectStoreEmulator {
	readonly counts: ObjectStoreCounts = { bytesIn: 0, bytesOut: 0, puts: 0, denied: 0 };
	/** Whether the store crashes at this request: it and all requests in progress end without a response. */
	dies: (request: IncomingMessage) => boolean = () => false;
	readonly #options: ObjectStoreOptions;
	readonly #files: ObjectFiles;
	readonly #sessions = new Map<string, Session>();
	readonly #server: Server;

	private constructor(options: ObjectStoreOptions) {
		this.#options = options;
		this.#files = new ObjectFiles(options.folder);
		this.#server = createServer((request, response) => {
			if (this.dies(request)) this.#server.closeAllConnections();
			else void this.#answer(request, response);
		});
	}

	static async start(options: ObjectStoreOptions, port = 0): Promise<ObjectStoreEmulator> {
		const emulator = new ObjectStoreEmulator(options);
		for (const bucket of options.buckets) await emulator.#files.makeBucket(bucket);
		await new Promise<void>((resolve) => emulator.#server.listen(port, "127.0.0.1", resolve));
		return emulator;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async close(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	get files(): ObjectFiles {
		return this.#files;
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const url = new URL(request.url ?? "/", "http://host");
			if (request.method === "POST" && url.pathname === "/") return await this.#issue(request, response);
			const [bucket = "", ...rest] = url.pathname.slice(1).split("/").map(decodeURIComponent);
			const call: ObjectCall = { request, response, url, bucket, key: rest.join("/"), files: this.#files, counts: this.counts };
			const route = OBJECT_ROUTES.find(({ fits }) => fits(call));
			if (!route) throw new S3Error(501, "NotImplemented", `${request.method} ${url.pathname} is not emulated.`);
			this.#demandAllowed(call, route.action);
			await route.run(call);
		} catch (error) {
			if (response.headersSent) return void response.destroy();
			const { status, code, message } = error instanceof S3Error ? error : new S3Error(500, "InternalError", String(error));
			if (status === 403) this.counts.denied += 1;
			request.resume();
			const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message><RequestId>${randomUUID()}</RequestId></Error>`;
			response.writeHead(status, { "content-type": "application/xml" }).end(request.method === "HEAD" ? undefined : body);
		}
	}

	#demandAllowed({ request, url, bucket, key }: ObjectCall, action: string): void {
		const session = this.#sessionOf(request, "UNSIGNED-PAYLOAD");
		if (session === null || session.policy === null) return;
		const resource = `arn:aws:s3:::${key === "" ? bucket : `${bucket}/${key}`}`;
		if (allows(session.policy, action, resource, url.searchParams.get("prefix"))) return;
		throw new S3Error(403, "AccessDenied", "Access Denied");
	}

	/** Null for the store's own keys. @throws S3Error */
	#sessionOf(request: IncomingMessage, bodyHash: string): Session | null {
		const nowMs = (this.#options.nowMs ?? Date.now)();
		const signed = signedRequest(request, bodyHash, nowMs);
		const { accessKeyId, secretAccessKey } = this.#options;
		if (signed.accessKeyId === accessKeyId) {
			if (!signed.isBy(secretAccessKey)) throw new S3Error(403, "SignatureDoesNotMatch", "The signature does not match.");
			return null;
		}
		const session = this.#sessions.get(signed.accessKeyId);
		if (!session) throw new S3Error(403, "InvalidAccessKeyId", "The access key ID does not exist in our records.");
		if (signed.sessionToken !== session.token)
			throw new S3Error(403, "InvalidToken", "The provided token is malformed or otherwise invalid.");
		if (nowMs >= session.endsMs) throw new S3Error(400, "ExpiredToken", "The provided token has expired.");
		if (!signed.isBy(session.secretAccessKey)) throw new S3Error(403, "SignatureDoesNotMatch", "The signature does not match.");
		return session;
	}

	async #issue(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks);
		if (this.#sessionOf(request, sha256(body)) !== null) throw new S3Error(403, "AccessDenied", "A session cannot issue another one here.");
		const { session, xml } = issueSession(new URLSearchParams(body.toString("utf8")), (this.#options.nowMs ?? Date.now)());
		this.#sessions.set(session.accessKeyId, session);
		response.writeHead(200, { "content-type": "text/xml" }).end(xml);
	}
}
