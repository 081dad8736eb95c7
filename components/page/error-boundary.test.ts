import { describe, expect, it } from "vitest";
import { describeError } from "./error-boundary.tsx";

describe("describeError", () => {
	it("takes over the request id and the words of an API error", () => {
		const error = Object.assign(new Error("The ledger is being migrated; try again in a minute."), {
			data: { code: "INTERNAL_SERVER_ERROR", requestId: "req_01" },
		});
		expect(describeError(error)).toEqual({
			kind: "failed",
			detail: "The ledger is being migrated; try again in a minute.",
			requestId: "req_01",
		});
	});

	it("tells a refusal from a failure", () => {
		expect(describeError(Object.assign(new Error("finance only"), { data: { code: "FORBIDDEN" } })).kind).toBe("forbidden");
	});

	it("says something about what is not even an error", () => {
		expect(describeError(undefined)).toEqual({ kind: "failed", detail: "The browser gave no reason.", requestId: null });
	});
});
