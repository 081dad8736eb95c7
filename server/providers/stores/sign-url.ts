import { createHash, createHmac, createSign } from "node:crypto";
import { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol, StorageSharedKeyCredential } from "@azure/storage-blob";
import { SignatureV4 } from "@smithy/signature-v4";
import { type ConfigOf, joinPath, type OpenStore } from "#server/domain/store.ts";
import { serviceAccountKeySchema } from "./grant-gcs.ts";
import { secretOf } from "./own-remote.ts";

export interface SignedDownload {
	seconds: number;
	fileName: string;
	mediaType: string;
}

/** A temporary URL that downloads one object; null if the kind of store has none. */
export async function signUrl(store: OpenStore, path: string, options: SignedDownload): Promise<string | null> {
	switch (store.config.kind) {
		case "s3":
			return signS3(store, store.config, path, options);
		case "gcs":
			return signGcs(store, store.config, path, options);
		case "azblob":
			return signAzure(store, store.config, path, options);
		case "webdav":
		case "folder":
			return null;
	}
}

async function signS3(store: OpenStore, config: ConfigOf<"s3">, path: string, { seconds, ...file }: SignedDownload): Promise<string> {
	const signer = new SignatureV4({
		credentials: secretOf(store, "s3"),
		region: config.region,
		service: "s3",
		sha256: Sha256,
		uriEscapePath: false,
	});
	const base = new URL(config.endpoint ?? `https://s3.${config.region}.amazonaws.com`);
	const request = {
		...{ method: "GET", protocol: base.protocol, hostname: base.hostname, ...(base.port && { port: Number(base.port) }) },
		...{
			path: `/${encodePath(joinPath(config.bucket, config.prefix, path))}`,
			headers: { host: base.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
		},
		query: { "response-content-disposition": disposition(file.fileName), "response-content-type": file.mediaType },
	};
	const signed = await signer.presign(request, { expiresIn: seconds });
	const query = new URLSearchParams(Object.entries(signed.query ?? {}).map(([name, value]) => [name, String(value)]));
	return `${base.origin}${signed.path}?${query.toString().replaceAll("+", "%20")}`;
}

/** V4 signing with a service account's key. Google Cloud Storage, "V4 signing process with your own program". */
function signGcs(store: OpenStore, config: ConfigOf<"gcs">, path: string, { seconds, ...file }: SignedDownload): string {
	const key = serviceAccountKeySchema.parse(JSON.parse(secretOf(store, "gcs").serviceAccountKey));
	const base = new URL(config.endpoint ?? "https://storage.googleapis.com");
	const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
	const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
	const query: Record<string, string> = {
		"X-Goog-Algorithm": "GOOG4-RSA-SHA256",
		"X-Goog-Credential": `${key.client_email}/${scope}`,
		"X-Goog-Date": time,
		"X-Goog-Expires": String(seconds),
		"X-Goog-SignedHeaders": "host",
		"response-content-disposition": disposition(file.fileName),
		"response-content-type": file.mediaType,
	};
	const canonicalQuery = Object.entries(query)
		.map(([name, value]) => `${encode(name)}=${encode(value)}`)
		.join("&");
	const resource = `/${encodePath(joinPath(config.bucket, config.prefix, path))}`;
	const canonical = ["GET", resource, canonicalQuery, `host:${base.host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
	const toSign = ["GOOG4-RSA-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
	const signature = createSign("RSA-SHA256").update(toSign).sign(key.private_key, "hex");
	return `${base.origin}${resource}?${canonicalQuery}&X-Goog-Signature=${signature}`;
}

function signAzure(store: OpenStore, config: ConfigOf<"azblob">, path: string, { seconds, ...file }: SignedDownload): string {
	const blobName = joinPath(config.prefix, path);
	const sas = generateBlobSASQueryParameters(
		{
			...{ containerName: config.container, blobName, permissions: BlobSASPermissions.parse("r") },
			...{ expiresOn: new Date(Date.now() + seconds * 1_000), contentDisposition: disposition(file.fileName), contentType: file.mediaType },
			protocol: config.endpoint?.startsWith("http:") ? SASProtocol.HttpsAndHttp : SASProtocol.Https,
		},
		new StorageSharedKeyCredential(config.account, secretOf(store, "azblob").accountKey),
	);
	const host = config.endpoint?.replace(/\/+$/, "") ?? `https://${config.account}.blob.core.windows.net`;
	return `${host}/${config.container}/${encodePath(blobName)}?${sas}`;
}

function disposition(fileName: string): string {
	return `attachment; filename*=UTF-8''${encode(fileName)}`;
}

function encodePath(path: string): string {
	return path.split("/").map(encode).join("/");
}

/** RFC 3986: `encodeURIComponent` leaves five characters unencoded that signatures require encoded. */
function encode(text: string): string {
	return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** Node's SHA-256 and HMAC in the form that the signer requires. */
class Sha256 {
	readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

	constructor(key?: Bytes) {
		this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(key));
	}

	update(data: Bytes): void {
		this.#hash.update(bytesOf(data));
	}

	async digest(): Promise<Uint8Array> {
		return this.#hash.digest();
	}

	reset(): void {}
}

function bytesOf(data: Bytes): Buffer {
	if (typeof data === "string") return Buffer.from(data);
	return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
