import http from "node:http";
import https from "node:https";
import { guardedLookup, type OutgoingAllowance, requireAllowedHost } from "./outgoing.ts";

const ANSWER_BYTES_MAX = 4 * 1024 ** 2;
const TIMEOUT_MS = 10_000;

/**
 * `fetch` for URLs chosen by others: only public or allowed addresses, no redirects, responses of at most 4 MiB within
 * 10 s.
 * @throws Error when the address is not allowed, the host does not respond, or the response is too large
 */
export function guardedFetch(allowance: OutgoingAllowance): typeof fetch {
	return async (input, init) => {
		const request = new Request(input, init);
		const url = new URL(request.url);
		if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error(`${url.protocol} is not supported.`);
		requireAllowedHost(url.hostname, allowance);
		const body = Buffer.from(await request.arrayBuffer());
		return new Promise<Response>((resolve, reject) => {
			const headers = { ...Object.fromEntries(request.headers), ...(body.length > 0 ? { "content-length": body.length } : {}) };
			const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
			const client = url.protocol === "https:" ? https : http;
			const options = { method: request.method, agent: false, lookup: guardedLookup(allowance), signal, headers };
			const sent = client.request(url, options, (response) => {
				const chunks: Buffer[] = [];
				let bytes = 0;
				response.on("data", (chunk: Buffer) => {
					bytes += chunk.length;
					if (bytes > ANSWER_BYTES_MAX) sent.destroy(new Error(`${url.host} answered more than ${ANSWER_BYTES_MAX} bytes.`));
					else chunks.push(chunk);
				});
				response.on("error", reject);
				response.on("end", () => {
					const status = response.statusCode ?? 502;
					const text = status === 204 || status === 304 ? null : Buffer.concat(chunks);
					resolve(new Response(text, { status, headers: pairsOf(response.rawHeaders) }));
				});
			});
			sent.on("error", reject);
			sent.end(body);
		});
	};
}

function pairsOf(raw: readonly string[]): [string, string][] {
	return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""] satisfies [string, string]] : []));
}
