import { createHash, createHmac } from "node:crypto";

export interface AwsCredentials {
	accessKeyId: string;
	secretAccessKey: string;
	sessionToken: string | null;
}

/**
 * Headers that sign a request to AWS (Signature Version 4). `at` has the form 20150830T123600Z. Written here because the SDK's
 * signer would make up half of the agent.
 */
export function signedHeaders(
	request: { method: string; url: URL; headers: Readonly<Record<string, string>>; body: string },
	{ credentials, region, service, at }: { credentials: AwsCredentials; region: string; service: string; at: string },
): Record<string, string> {
	const headers: Record<string, string> = {
		...request.headers,
		host: request.url.host,
		"x-amz-date": at,
		...(credentials.sessionToken === null ? {} : { "x-amz-security-token": credentials.sessionToken }),
	};
	const names = Object.keys(headers).sort();
	const canonical = [
		...[request.method, request.url.pathname, request.url.searchParams.toString()],
		...names.map((name) => `${name}:${headers[name]?.trim()}`),
		...["", names.join(";"), sha256(request.body)],
	].join("\n");
	const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
	const text = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
	const key = scope.split("/").reduce<string | Buffer>((k, part) => hmac(k, part), `AWS4${credentials.secretAccessKey}`);
	const signature = hmac(key, text).toString("hex");
	const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
	const { host: _, ...sent } = headers;
	return { ...sent, authorization };
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
	return createHmac("sha256", key).update(text).digest();
}
