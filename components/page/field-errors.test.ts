import { expect, it } from "vitest";
import { fieldErrorsOf } from "./field-errors.ts";

it("reads the wrong fields of a tRPC error", () => {
	const fields = [
		{ path: "email", message: "An account has this address." },
		{ path: "", message: "The document is empty." },
	];
	expect(fieldErrorsOf({ data: { problem: { fields } } })).toEqual({ email: "An account has this address." });
	expect(fieldErrorsOf(new Error("x"))).toEqual({});
	expect(fieldErrorsOf(null)).toEqual({});
});
