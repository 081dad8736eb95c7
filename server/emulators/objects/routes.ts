import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ObjectStoreCounts } from "./counts.ts";
import { type ObjectFiles, type StoredObject, sizeOf } from "./object-files.ts";
import { S3Error } from "./s3-error.ts";

export interface ObjectCall {
	request: IncomingMessage;
	response: ServerResponse;
	url: URL;
	bucket: string;
	key: string;
	files: ObjectFiles;
	counts: ObjectStoreCounts;
}

interface ObjectRoute {
	/** The required IAM action. */
	action: string;
	fits(call: ObjectCall): boolean;
	run(call: ObjectCall): Promise<void>;
}

const KEYS_MAX = 1_000;
const PART_BYTES_MIN = 5 * 1024 ** 2;
/** Records of uploads in progress: the metadata of the future object. */
const uploads = new Map<string, { bucket: string; key: string; meta: Record<string, string> }>();

const on = (method: string, where: "object" | "bucket", test: (query: URLSearchParams, call: ObjectCall) => boolean = () => true) => {
	return (call: ObjectCall) =>
		call.request.method === method && (call.key !== "") === (where === "object") && test(call.url.searchParams, call);
};

/** In the order in which they are matched. */
export const OBJECT_ROUTES: readonly ObjectRoute[] = [
	{ action: "s3:ListBucket", fits: on("GET", "bucket"), run: listObjects },
	{ action: "s3:ListBucket", fits: on("HEAD", "bucket"), run: async ({ response }) => void response.writeHead(200).end() },
	{ action: "s3:PutObject", fits: on("PUT", "object", (query) => query.has("partNumber")), run: putPart },
	{
		action: "s3:PutObject",
		fits: on("PUT", "object", (_, { request }) => request.headers["x-amz-copy-source"] !== undefined),
		run: copyObject,
	},
	{ action: "s3:PutObject", fits: on("PUT", "object"), run: putObject },
	{ action: "s3:PutObject", fits: on("POST", "object", (query) => query.has("uploads")), run: beginUpload },
	{ action: "s3:PutObject", fits: on("POST", "object", (query) => query.has("uploadId")), run: completeUpload },
	{ action: "s3:AbortMultipartUpload", fits: on("DELETE", "object", (query) => query.has("uploadId")), run: abortUpload },
	{ action: "s3:DeleteObject", fits: on("DELETE", "object"), run: deleteObject },
	{ action: "s3:GetObject", fits: on("HEAD", "object"), run: getObject },
	{ action: "s3:GetObject", fits: on("GET", "object"), run: getObject },
];

async function listObjects({ url, bucket, files, response }: ObjectCall): Promise<void> {
	const [prefix, delimiter] = [url.searchParams.get("prefix") ?? "", url.searchParams.get("delimiter")];
	const after = url.searchParams.get("continuation-token") ?? url.searchParams.get("marker") ?? "";
	const max = Math.min(KEYS_MAX, Number(url.searchParams.get("max-keys") ?? KEYS_MAX));
	const found = (await files.list(bucket, prefix)).filter(({ key }) => key > after);
	const page = found.slice(0, max);
	const folders = new Set<string>();
	const contents: StoredObject[] = [];
	for (const object of page) {
		const end = delimiter ? object.key.indexOf(delimiter, prefix.length) : -1;
		if (end >= 0) folders.add(object.key.slice(0, end + 1));
		else contents.push(object);
	}
	const last = page.at(-1)?.key ?? "";
	const truncated = found.length > page.length;
	const next = truncated
		? `<NextContinuationToken>${escapeXml(last)}</NextContinuationToken><NextMarker>${escapeXml(last)}</NextMarker>`
		: "";
	const encode =
		url.searchParams.get("encoding-type") === "url" ? (key: string) => encodeURIComponent(key).replaceAll("%2F", "/") : escapeXml;
	const rows = contents.map(
		(o) =>
			`<Contents><Key>${encode(o.key)}</Key><LastModified>${new Date(o.atMs).toISOString()}</LastModified><ETag>"${o.etag}"</ETag><Size>${o.bytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
	);
	const prefixes = [...folders].map((folder) => `<CommonPrefixes><Prefix>${encode(folder)}</Prefix></CommonPrefixes>`);
	sendXml(
		response,
		`<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix>${encode(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys><IsTruncated>${truncated}</IsTruncated>${next}${rows.join("")}${prefixes.join("")}</ListBucketResult>`,
	);
}

async function getObject({ request, response, bucket, key, url, files, counts }: ObjectCall): Promise<void> {
	const object = await files.get(bucket, key);
	if (object === null) throw new S3Error(404, "NoSuchKey", "The specified key does not exist.");
	const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
	const start = match ? Number(match[1]) : 0;
	const end = match?.[2] ? Math.min(Number(match[2]), object.bytes - 1) : object.bytes - 1;
	if (match && start >= object.bytes) throw new S3Error(416, "InvalidRange", "The requested range is not satisfiable");
	response.writeHead(match ? 206 : 200, {
		"content-length": end - start + 1,
		"content-type": url.searchParams.get("response-content-type") ?? object.meta["content-type"] ?? "binary/octet-stream",
		"last-modified": new Date(object.atMs).toUTCString(),
		"accept-ranges": "bytes",
		etag: `"${object.etag}"`,
		...Object.fromEntries(Object.entries(object.meta).filter(([name]) => name.startsWith("x-amz-meta-"))),
		...(url.searchParams.has("response-content-disposition") && {
			"content-disposition": url.searchParams.get("response-content-disposition") ?? "",
		}),
		...(match && { "content-range": `bytes ${start}-${end}/${object.bytes}` }),
	});
	if (request.method === "HEAD" || object.bytes === 0) return void response.end();
	counts.bytesOut += end - start + 1;
	await pipeline(files.read(bucket, object, { start, end }), response);
}

async function putObject(call: ObjectCall): Promise<void> {
	const { request, response, bucket, key, files, counts } = call;
	requirePlainBody(request);
	const object = await files.put(bucket, key, [request], metaOf(request));
	counts.bytesIn += object.bytes;
	counts.puts += 1;
	response.writeHead(200, { etag: `"${object.etag}"` }).end();
}

async function copyObject({ request, response, bucket, key, files }: ObjectCall): Promise<void> {
	const [fromBucket = "", ...rest] = decodeURIComponent(String(request.headers["x-amz-copy-source"])).replace(/^\//, "").split("/");
	const from = await files.get(fromBucket, rest.join("/"));
	if (from === null) throw new S3Error(404, "NoSuchKey", "The specified key does not exist.");
	const meta = request.headers["x-amz-metadata-directive"] === "REPLACE" ? metaOf(request) : from.meta;
	const object = await files.put(bucket, key, [files.read(fromBucket, from)], meta, from.etag);
	sendXml(
		response,
		`<CopyObjectResult><LastModified>${new Date(object.atMs).toISOString()}</LastModified><ETag>"${object.etag}"</ETag></CopyObjectResult>`,
	);
}

async function beginUpload({ request, response, bucket, key }: ObjectCall): Promise<void> {
	const id = randomUUID();
	uploads.set(id, { bucket, key, meta: metaOf(request) });
	request.resume();
	sendXml(
		response,
		`<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
	);
}

async function putPart({ request, response, url, files, counts }: ObjectCall): Promise<void> {
	const [id, number] = [url.searchParams.get("uploadId") ?? "", Number(url.searchParams.get("partNumber"))];
	if (!uploads.has(id)) throw new S3Error(404, "NoSuchUpload", "The specified upload does not exist.");
	requirePlainBody(request);
	const hash = createHash("md5");
	const measure = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const chunk of source) {
			counts.bytesIn += chunk.length;
			hash.update(chunk);
			yield chunk;
		}
	};
	await pipeline(request, measure, createWriteStream(await files.partFile(id, number), { highWaterMark: 1024 ** 2 }));
	response.writeHead(200, { etag: `"${hash.digest("hex")}"` }).end();
}

async function completeUpload({ request, response, url, files, counts }: ObjectCall): Promise<void> {
	const id = url.searchParams.get("uploadId") ?? "";
	const upload = uploads.get(id);
	if (!upload) throw new S3Error(404, "NoSuchUpload", "The specified upload does not exist.");
	const text = await Readable.from(request).toArray();
	const numbers = [
		...Buffer.concat(text as Buffer[])
			.toString("utf8")
			.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g),
	].map((m) => Number(m[1]));
	const parts = await Promise.all(numbers.map((number) => files.partFile(id, number)));
	const sizes = await Promise.all(parts.map(sizeOf));
	if (sizes.slice(0, -1).some((bytes) => bytes < PART_BYTES_MIN))
		throw new S3Error(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed object size.");
	const etag = `${createHash("md5").update(id).digest("hex")}-${parts.length}`;
	await files.compose(upload.bucket, upload.key, { id, numbers }, upload.meta, etag);
	uploads.delete(id);
	counts.puts += 1;
	sendXml(
		response,
		`<CompleteMultipartUploadResult><Bucket>${upload.bucket}</Bucket><Key>${escapeXml(upload.key)}</Key><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`,
	);
}

async function abortUpload({ response, url, files }: ObjectCall): Promise<void> {
	const id = url.searchParams.get("uploadId") ?? "";
	uploads.delete(id);
	await files.dropParts(id);
	response.writeHead(204).end();
}

async function deleteObject({ response, bucket, key, files }: ObjectCall): Promise<void> {
	await files.remove(bucket, key);
	response.writeHead(204).end();
}

/** Chunked signatures are not supported, because the tested clients do not need them. */
function requirePlainBody(request: IncomingMessage): void {
	if (String(request.headers["x-amz-content-sha256"]).startsWith("STREAMING-"))
		throw new S3Error(501, "NotImplemented", "aws-chunked bodies are not emulated.");
}

function metaOf({ headers }: IncomingMessage): Record<string, string> {
	const kept = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-") || name === "content-type");
	return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function sendXml(response: ServerResponse, body: string): void {
	response.writeHead(200, { "content-type": "application/xml" }).end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);
}

function escapeXml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
