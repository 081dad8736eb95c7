import { describe, expect, it } from "vitest";
import { DriverError } from "../driver-errors.ts";
import { noCredentials, operationError, toDriverError } from "./errors.ts";

/** In the SDK's format: the HTTP status next to the message, and the response body under its own symbol. */
function refusal(reason: string, status: number): Error {
	const error = Object.assign(new Error(`words of ${reason}`), { httpStatusCode: status });
	const body = { error: { code: status, message: "whole", errors: [{ reason, message: `words of ${reason}`, domain: "global" }] } };
	Object.defineProperty(error, Symbol.for("google-gax.rawHttpResponsePayload"), { value: JSON.stringify(body) });
	return error;
}

describe("a refused call", () => {
	it.each([
		["rateLimitExceeded", 403, "throttled"],
		["quotaExceeded", 403, "quota_exceeded"],
		["forbidden", 403, "unauthorized"],
		["accessNotConfigured", 403, "unauthorized"],
		["authError", 401, "unauthorized"],
		["notFound", 404, "not_found"],
		["invalid", 400, "invalid_request"],
		["conditionNotMet", 412, "invalid_request"],
		["somethingOfNextYear", 429, "throttled"],
		["backendError", 503, "transient"],
		["somethingOfNextYear", 502, "transient"],
		["ZONE_RESOURCE_POOL_EXHAUSTED", 503, "insufficient_capacity"],
	] as const)("%s (%i) is %s", (reason, status, kind) => {
		const error = toDriverError(refusal(reason, status), "launch of x in us-central1-a");
		expect(error).toMatchObject({ kind, providerCode: reason });
		expect(error.message).toBe(`Google Cloud: launch of x in us-central1-a: ${reason}: words of ${reason}`);
	});

	it("without a body is mapped by its status, and a missing response is transient", () => {
		expect(toDriverError(Object.assign(new Error("proxy"), { httpStatusCode: 403 }), "x")).toMatchObject({
			kind: "unauthorized",
			providerCode: "HTTP 403",
		});
		expect(toDriverError(new Error("socket hang up"), "x")).toMatchObject({ kind: "transient", providerCode: "NoAnswer" });
		expect(toDriverError("?", "x").kind).toBe("transient");
		expect(toDriverError(new DriverError("throttled", "ours"), "x").kind).toBe("throttled");
	});

	const dated = (error: Error, offsetMs: number) => {
		const headers = new Headers({ date: new Date(Date.now() + offsetMs).toUTCString() });
		return Object.assign(error, { cause: Object.assign(new Error("gaxios"), { response: { headers } }) });
	};
	const ofToken = (error_description: string) => {
		const error = Object.assign(new Error("invalid_grant"), { httpStatusCode: 400 });
		Object.defineProperty(error, Symbol.for("google-gax.rawHttpResponsePayload"), { value: { error: "invalid_grant", error_description } });
		return error;
	};
	const ASSERTION =
		"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values";

	it.each([
		[
			"a token that is expired by the provider's clock",
			dated(refusal("authError", 401), 7_300_000),
			"wrong_clock",
			/2\.0 h behind the provider's.*NTP/,
		],
		["a key's assertion from another time", ofToken(ASSERTION), "wrong_clock", /differ too much.*NTP/],
		["a deleted key", ofToken("Invalid JWT Signature."), "unauthorized", /invalid_grant: Invalid JWT Signature\.$/],
		["a rejected token, with equal clocks", dated(refusal("authError", 401), 0), "unauthorized", /words of authError$/],
		["a missing permission, with a wrong clock", dated(refusal("forbidden", 403), 7_300_000), "unauthorized", /words of forbidden$/],
	] as const)("tells a wrong clock apart: %s", (_what, thrown, kind, words) => {
		expect(toDriverError(thrown, "x")).toMatchObject({ kind, message: expect.stringMatching(words) });
	});

	it("for lack of credentials names the setting", () => {
		const error = noCredentials("zones of the project", new Error("Could not load the default credentials."));
		expect(error.kind).toBe("unauthorized");
		expect(error.message).toMatch(/Could not load the default credentials\..*GOOGLE_APPLICATION_CREDENTIALS/);
	});
});

describe("a failed operation", () => {
	it.each([
		["ZONE_RESOURCE_POOL_EXHAUSTED", 503, "insufficient_capacity"],
		["ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", 503, "insufficient_capacity"],
		["QUOTA_EXCEEDED", 403, "quota_exceeded"],
		["RESOURCE_OPERATION_RATE_EXCEEDED", 429, "throttled"],
		["PERMISSIONS_ERROR", 403, "unauthorized"],
		["RESOURCE_NOT_FOUND", 404, "invalid_request"],
		["INVALID_USAGE", 400, "invalid_request"],
		["SOMETHING_OF_NEXT_YEAR", null, "invalid_request"],
		["INTERNAL_ERROR", 500, "transient"],
	] as const)("%s (%s) is %s", (code, httpStatus, kind) => {
		const error = operationError({ errors: [{ code, message: "words" }], httpStatus }, "launch of x");
		expect(error).toMatchObject({ kind, providerCode: code, message: `Google Cloud: launch of x: ${code}: words` });
	});

	it("without a message is still a failure", () => {
		expect(operationError({ errors: [], httpStatus: null }, "x").kind).toBe("invalid_request");
	});
});
