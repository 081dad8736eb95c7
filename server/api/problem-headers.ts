import { RateLimitError, rateLimitHeaders } from "./edge/rate-limiter.ts";
import { MethodNotAllowedError } from "./method-not-allowed.ts";
import { type Problem, RETRY_AFTER_SECONDS } from "./problem.ts";

/** Headers of a problem document, the same at every entry point. */
export function problemHeaders({ status }: Pick<Problem, "status">, error: unknown): Record<string, string> {
	return {
		"content-type": "application/problem+json; charset=utf-8",
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
		...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
		...(status === 413 ? { connection: "close" } : {}),
		...(status === 503 || status === 507 ? { "retry-after": String(RETRY_AFTER_SECONDS) } : {}),
		...(error instanceof MethodNotAllowedError ? { allow: error.allow } : {}),
		...(error instanceof RateLimitError ? { ...rateLimitHeaders(error.state), "retry-after": String(error.state.resetSeconds) } : {}),
	};
}
