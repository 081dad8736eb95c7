import { describe, expect, it } from "vitest";
import { describeError } from "./error-boundary.tsx";

const apiError = (problem: Record<string, unknown>) => Object.assign(new Error("reported by tRPC"), { data: { code: "ANY", problem } });

describe("describeError", () => {
	it("returns detail and request ID of a problem document", () => {
		const error = apiError({ code: "unavailable", detail: "The ledger is being migrated; try again in a minute.", requestId: "4f1c" });
		expect(describeError(error)).toEqual({
			kind: "failed",
			detail: "The ledger is being migrated; try again in a minute.",
			requestId: "4f1c",
		});
	});

	it("distinguishes forbidden and missing from failed", () => {
		expect(describeError(apiError({ code: "forbidden", detail: "finance only" })).kind).toBe("forbidden");
		expect(describeError(apiError({ code: "not_found", detail: "There is no job job_1.", fix: "Look for it." }))).toEqual({
			kind: "not_found",
			detail: "There is no job job_1.",
			fix: "Look for it.",
		});
	});

	it("falls back to tRPC's code without a problem document", () => {
		expect(describeError(Object.assign(new Error("finance only"), { data: { code: "FORBIDDEN" } })).kind).toBe("forbidden");
	});

	it("describes a network failure independently of the browser", () => {
		const error = Object.assign(new Error("Failed to fetch"), { data: undefined, cause: new TypeError("Failed to fetch") });
		expect(describeError(error)).toMatchObject({ kind: "failed", detail: expect.stringContaining("The server is unreachable") });
	});

	it("describes a foreign response by its status, not by a parser error", () => {
		const cause = new SyntaxError("Unexpected token '<', \"<html>\"... is not valid JSON");
		const error = Object.assign(new Error(cause.message), { data: undefined, cause, meta: { response: { status: 502 } } });
		const { detail } = describeError(error);
		expect(detail).toContain("Unexpected response (status 502)");
		expect(detail).not.toContain("token");
		expect(describeError(Object.assign(new Error(), { cause })).detail).toMatch(/^Unexpected response\./);
	});

	it("describes a thrown non-error", () => {
		expect(describeError(undefined)).toEqual({ kind: "failed", detail: "The browser gave no reason.", requestId: null });
	});
});
