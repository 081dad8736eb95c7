import { describe, expect, it } from "vitest";
import { ownPath } from "./own-path.ts";

describe("ownPath", () => {
	it.each([
		["/jobs", "/jobs"],
		["/jobs?view=all&q=a%20b", "/jobs?view=all&q=a%20b"],
		["/jobs/../spend", "/spend"],
	])("keeps a path of our own: %s", (wanted, kept) => expect(ownPath(wanted)).toBe(kept));

	it.each([
		"//evil.example",
		"/\\evil.example",
		"https://evil.example/jobs",
		"javascript:alert(1)",
		"/\t/evil.example",
		"/.//evil.example",
		"jobs",
		"",
		"/sign-in?callbackUrl=/sign-in",
	])("leads to the Overview instead of %j", (wanted) => expect(ownPath(wanted)).toBe("/"));

	it("does not take a repeated parameter", () => {
		expect(ownPath(["/jobs", "/spend"])).toBe("/");
		expect(ownPath(undefined)).toBe("/");
	});
});
