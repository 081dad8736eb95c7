import { lookup as dnsLookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isRefusedAddress, refuseTarget } from "./target.ts";

export interface WebhookRequest {
	url: string;
	body: string;
	headers: Record<string, string>;
	timeoutMs: number;
	allowLinkLocal: boolean;
	/** Certificates that are trusted besides the system's; for tests of a private authority. */
	ca?: string;
}

/** What is kept of an answer, for the log. */
const ANSWER_BYTES = 300;

/**
 * One POST. Redirects are not followed: an answer that is not 2xx is a failure.
 * @throws Error with a sentence for the log: what failed, and what a person can do about it.
 */
export function sendWebhook(request: WebhookRequest): Promise<void> {
	const url = new URL(request.url);
	if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error(`${url.protocol} is no protocol of a webhook.`);
	const host = url.hostname.replace(/^\[|\]$/g, "");
	if (!request.allowLinkLocal && isIP(host) !== 0) refuseTarget(host);
	return new Promise((resolve, reject) => {
		const client = url.protocol === "https:" ? https : http;
		const sent = client.request(
			url,
			{
				method: "POST",
				agent: false,
				lookup: request.allowLinkLocal ? undefined : guardedLookup,
				signal: AbortSignal.timeout(request.timeoutMs),
				headers: {
					"content-type": "application/json",
					"content-length": Buffer.byteLength(request.body),
					"user-agent": "Spillway",
					...request.headers,
				},
				...(request.ca === undefined ? {} : { ca: request.ca }),
			},
			(response) => {
				const status = response.statusCode ?? 0;
				let text = "";
				response.setEncoding("utf8");
				response.on("data", (part: string) => {
					if (text.length < ANSWER_BYTES) text += part;
				});
				response.on("error", (error) => reject(new Error(explain(error, request.timeoutMs))));
				response.on("end", () => (status >= 200 && status < 300 ? resolve() : reject(new Error(refusal(status, text)))));
			},
		);
		sent.on("error", (error) => reject(new Error(explain(error, request.timeoutMs))));
		sent.end(request.body);
	});
}

const guardedLookup: LookupFunction = (hostname, options, callback) => {
	dnsLookup(hostname, options, (error, address, family) => {
		if (error) return callback(error, "", 0);
		const found = Array.isArray(address) ? address.map((a) => a.address) : [address];
		const refused = found.find(isRefusedAddress);
		if (refused !== undefined)
			return callback(Object.assign(new Error(`${hostname} leads to ${refused}`), { code: "REFUSED_TARGET" }), "", 0);
		callback(null, address, family);
	});
};

function refusal(status: number, text: string): string {
	const answer = text.replace(/\s+/g, " ").trim().slice(0, ANSWER_BYTES);
	const redirect = status >= 300 && status < 400 ? " Redirects are not followed: enter the address that it leads to." : "";
	return `The receiver answered ${status}${answer === "" ? "" : `: ${answer}`}.${redirect}`;
}

function explain(error: Error, timeoutMs: number): string {
	const code = "code" in error ? String(error.code) : "";
	if (error.name === "TimeoutError" || error.name === "AbortError") return `The receiver did not answer within ${timeoutMs / 1_000} s.`;
	if (code === "REFUSED_TARGET") return `${error.message}, a link-local or metadata address, which webhooks are not sent to.`;
	if (code === "ECONNREFUSED") return "Nobody listens at the receiver's address (connection refused).";
	if (code === "ENOTFOUND") return "The receiver's name is not known to DNS.";
	if (/CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO_VERIFY/.test(code))
		return `The receiver's certificate is not trusted (${code}): ${error.message}.`;
	return `The receiver could not be reached: ${code === "" ? error.message : code}.`;
}
