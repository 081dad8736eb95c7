import type { IncomingMessage, ServerResponse } from "node:http";
import { SpillwayError } from "#server/kernel/errors.ts";
import { correctForwarded } from "./forwarded.ts";
import { allowedHosts, requireKnownHost, requireSameOrigin } from "./hosts.ts";
import { DOORS, pageDoorOf } from "./limits.ts";
import { type RateLimiter, rateLimitHeaders } from "./rate-limiter.ts";
import { readBody } from "./read-body.ts";
import { replayRequest } from "./replay-request.ts";

export interface Edge {
	/** @throws SpillwayError for a foreign host or origin */
	demandOwn(req: IncomingMessage): void;
	/**
	 * A page request with its body read within the limits and its forwarded headers corrected; counted per address.
	 * @throws SpillwayError
	 */
	admitPage(req: IncomingMessage, res: ServerResponse): Promise<IncomingMessage>;
}

export function createEdge(options: {
	publicUrl: string;
	host: string;
	moreHosts: readonly string[];
	limiter: RateLimiter;
	nowMs(): number;
	addressOf(req: IncomingMessage): string | null;
}): Edge {
	const { publicUrl, host, limiter } = options;
	const allowed = allowedHosts({ publicUrl, host, more: options.moreHosts });
	return {
		demandOwn(req) {
			requireKnownHost(req, allowed);
			requireSameOrigin(req, publicUrl);
		},
		async admitPage(req, res) {
			const state = limiter.take(`address:${options.addressOf(req) ?? "unknown"}`, options.nowMs());
			for (const [name, value] of Object.entries(rateLimitHeaders(state))) res.setHeader(name, value);
			const path = (req.url ?? "/").split("?")[0] ?? "/";
			const door = DOORS[pageDoorOf(path)];
			const calls = path.split(/,|%2c/i).length;
			if (calls > door.batch) throw tooManyCalls(door.batch);
			const hasBody = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"] !== undefined;
			const page = hasBody ? replayRequest(req, await readBody(req, door)) : req;
			correctForwarded(page.headers, { publicUrl, allowed });
			return page;
		},
	};
}

function tooManyCalls(max: number): SpillwayError {
	return new SpillwayError("payload_too_large", `A batch has at most ${max} calls.`, { fix: "Send several batches." });
}
