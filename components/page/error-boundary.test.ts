import { describe, expect, it } from "vitest";
import { describeError } from "./error-boundary.tsx";

const apiError = (problem: Record<string, unknown>) => Object.assign(new Error("told by tRPC"), { data: { code: "ANY", problem } });

describe("describeError", () => {
	it("takes over the words and the request id of a problem document", () => {
		const error = apiError({ code: "unavailable", detail: "The ledger is being migrated; try again in a minute.", requestId: "4f1c" });
		expect(describeError(error)).toEqual({
			kind: "failed",
			detail: "The ledger is being migrated; try again in a minute.",
			requestId: "4f1c",
		});
	});

	it("tells a refusal and a missing thing from a failure", () => {
		expect(describeError(apiError({ code: "forbidden", detail: "finance only" })).kind).toBe("forbidden");
		expect(describeError(apiError({ code: "not_found", detail: "There is no job job_1.", fix: "Look for it." }))).toEqual({
			kind: "not_found",
			detail: "There is no job job_1.",
			fix: "Look for it.",
		});
	});

	it("goes by tRPC's own code when there is no problem document", () => {
		expect(describeError(Object.assign(new Error("finance only"), { data: { code: "FORBIDDEN" } })).kind).toBe("forbidden");
	});

	it("says that nobody answered, in no browser's own words", () => {
		const error = Object.assign(new Error("Failed to fetch"), { data: undefined, cause: new TypeError("Failed to fetch") });
		expect(describeError(error)).toMatchObject({ kind: "failed", detail: expect.stringContaining("The server could not be reached") });
	});

	it("says that an answer was not Spillway's own, with its status, in place of a parser's words", () => {
		const cause = new SyntaxError("Unexpected token '<', \"<html>\"... is not valid JSON");
		const error = Object.assign(new Error(cause.message), { data: undefined, cause, meta: { response: { status: 502 } } });
		const { detail } = describeError(error);
		expect(detail).toContain("An answer with status 502 came that is not Spillway's own");
		expect(detail).not.toContain("token");
		expect(describeError(Object.assign(new Error(), { cause })).detail).toMatch(/^An answer came that is not Spillway's own/);
	});

	it("says something about what is not even an error", () => {
		expect(describeError(undefined)).toEqual({ kind: "failed", detail: "The browser gave no reason.", requestId: null });
	});
});
