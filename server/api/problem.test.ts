import { DrizzleQueryError } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { isLogged, problemOf } from "./problem.ts";

const wrapped = (facts: Record<string, unknown>): Error => new DrizzleQueryError("select 1", [], Object.assign(new Error("driver"), facts));

describe("an error of the database", () => {
	it.each([{ code: "ECONNREFUSED" }, { code: "CONNECTION_CLOSED" }, { code: "57P03", severity: "FATAL" }])(
		"that means it is unavailable (%o) gives 503",
		(facts) => {
			expect(problemOf(wrapped(facts), "r")).toMatchObject({ status: 503, code: "unavailable", fix: "Try again in 5 seconds." });
		},
	);

	it("that means its disk is full gives 507", () => {
		expect(problemOf(wrapped({ code: "53100", severity: "ERROR" }), "r")).toMatchObject({ status: 507, code: "insufficient_storage" });
		expect(problemOf(Object.assign(new Error("write"), { code: "ENOSPC" }), "r")).toMatchObject({ status: 507 });
	});

	it.each(["40P01", "40001", "23503", "23505"])("that means another request came first (%s) gives 409 and is logged", (code) => {
		const error = wrapped({ code, severity: "ERROR" });
		expect(problemOf(error, "r")).toMatchObject({ status: 409, code: "conflict", fix: "Reload, then try again." });
		expect(isLogged(error)).toBe(true);
	});

	it("of another kind stays unknown", () => {
		expect(problemOf(wrapped({ code: "42703", severity: "ERROR" }), "r")).toMatchObject({ status: 500, code: "internal" });
	});
});
