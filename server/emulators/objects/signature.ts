import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { S3Error } from "./s3-error.ts";

/** A request signed with AWS Signature Version 4, in a header or in the query. */
export interface SignedRequest {
	accessKeyId: string;
	sessionToken: string | null;
	/** Whether the signature was made with this secret. */
	isBy(secretAccessKey: string): boolean;
}

const AUTHORIZATION =
	/^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** @throws S3Error `AccessDenied` without a signature or after its expiry */
export function signedRequest(request: IncomingMessage, bodyHash: string, nowMs: number): SignedRequest {
	const url = new URL(request.url ?? "/", "http://host");
	const header = AUTHORIZATION.exec(request.headers.authorization ?? "");
	if (header) {
		const [, accessKeyId = "", day = "", region = "", service = "", signed = "", signature = ""] = header;
		const payload = request.headers["x-amz-content-sha256"] ?? bodyHash;
		const time = String(request.headers["x-amz-date"]);
		return {
			accessKeyId,
			sessionToken: textOf(request.headers["x-amz-security-token"]),
			isBy: (secret) => matches(signature, secret, { request, url, signed, payload: String(payload), time, scope: [day, region, service] }),
		};
	}
	const [accessKeyId, day, region, service] = (url.searchParams.get("X-Amz-Credential") ?? "").split("/");
	if (!accessKeyId || !day || !region || !service) throw new S3Error(403, "AccessDenied", "The request has no signature.");
	const time = url.searchParams.get("X-Amz-Date") ?? "";
	const expires = Number(url.searchParams.get("X-Amz-Expires"));
	const beganMs = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
	if (!(nowMs <= beganMs + expires * 1_000)) throw new S3Error(403, "AccessDenied", "Request has expired");
	const signature = url.searchParams.get("X-Amz-Signature") ?? "";
	const signed = url.searchParams.get("X-Amz-SignedHeaders") ?? "host";
	return {
		accessKeyId,
		sessionToken: url.searchParams.get("X-Amz-Security-Token"),
		isBy: (secret) =>
			matches(signature, secret, { request, url, signed, payload: "UNSIGNED-PAYLOAD", time, scope: [day, region, service] }),
	};
}

interface Parts {
	request: IncomingMessage;
	url: URL;
	signed: string;
	payload: string;
	time: string;
	scope: [string, string, string];
}

function matches(signature: string, secret: string, parts: Parts): boolean {
	const expected = Buffer.from(sign(secret, parts));
	const given = Buffer.from(signature);
	return given.length === expected.length && timingSafeEqual(given, expected);
}

/** AWS General Reference, "Create a signed AWS API request". */
function sign(secret: string, { request, url, signed, payload, time, scope }: Parts): string {
	const query = [...url.searchParams]
		.filter(([name]) => name !== "X-Amz-Signature")
		.map(([name, value]) => `${encode(name)}=${encode(value)}`)
		.sort()
		.join("&");
	const headers = signed.split(";").map((name) => `${name}:${(textOf(request.headers[name]) ?? "").trim().replaceAll(/\s+/g, " ")}\n`);
	const path = url.pathname
		.split("/")
		.map((part) => encode(decodeURIComponent(part)))
		.join("/");
	const canonical = [request.method, path, query, headers.join(""), signed, payload].join("\n");
	const toSign = ["AWS4-HMAC-SHA256", time, `${scope.join("/")}/aws4_request`, sha256(canonical)].join("\n");
	let key: Buffer = Buffer.from(`AWS4${secret}`);
	for (const part of [...scope, "aws4_request"]) key = createHmac("sha256", key).update(part).digest();
	return createHmac("sha256", key).update(toSign).digest("hex");
}

export function sha256(data: string | Buffer): string {
	return createHash("sha256").update(data).digest("hex");
}

function encode(text: string): string {
	return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function textOf(value: string | string[] | undefined): string | null {
	return value === undefined ? null : String(value);
}
