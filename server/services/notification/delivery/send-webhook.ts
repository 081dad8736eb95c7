import http from "node:http";
import https from "node:https";
import { guardedLookup, type OutgoingAllowance, REFUSED_TARGET, requireAllowedHost } from "#server/kernel/outgoing.ts";

export interface WebhookRequest {
	url: string;
	body: string;
	headers: Record<string, string>;
	timeoutMs: number;
	/** Hosts inside the network that an administrator allowed. */
	allowance: OutgoingAllowance;
	/** Certificates trusted in addition to the system's; for tests with a private certificate authority. */
	ca?: string;
}

/**
 * One POST. Redirects are not followed: a response other than 2xx is a failure.
 * @throws Error with a message for the log: what failed, and how to fix it.
 */
export function sendWebhook(request: WebhookRequest): Promise<void> {
	const url = new URL(request.url);
	if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error(`${url.protocol} is no protocol of a webhook.`);
	requireAllowedHost(url.hostname, request.allowance);
	return new Promise((resolve, reject) => {
		const client = url.protocol === "https:" ? https : http;
		const sent = client.request(
			url,
			{
				method: "POST",
				agent: false,
				lookup: guardedLookup(request.allowance),
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
				// The body is not stored: showing it to people would expose internal pages to them.
				response.resume();
				response.on("error", (error) => reject(new Error(explain(error, request.timeoutMs))));
				response.on("end", () => (status >= 200 && status < 300 ? resolve() : reject(new Error(refusal(status)))));
			},
		);
		sent.on("error", (error) => reject(new Error(explain(error, request.timeoutMs))));
		sent.end(request.body);
	});
}

function refusal(status: number): string {
	const redirect = status >= 300 && status < 400 ? " Redirects are not followed: enter the final address." : "";
	return `The receiver answered ${status}.${redirect}`;
}

function explain(error: Error, timeoutMs: number): string {
	const code = "code" in error ? String(error.code) : "";
	if (error.name === "TimeoutError" || error.name === "AbortError") return `The receiver did not answer within ${timeoutMs / 1_000} s.`;
	if (code === REFUSED_TARGET) return error.message;
	if (code === "ECONNREFUSED") return "No one listens at the receiver's address (connection refused).";
	if (code === "ENOTFOUND") return "The receiver's name is not known to DNS.";
	if (/CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO_VERIFY/.test(code))
		return `The receiver's certificate is not trusted (${code}): ${error.message}.`;
	return `The receiver could not be reached: ${code === "" ? error.message : code}.`;
}
