import { describe, expect, it } from "vitest";
import { ownPath } from "./own-path.ts";

describe("ownPath", () => {
	it.each([
		["/jobs", "/jobs"],
		["/jobs?view=all&q=a%20b", "/jobs?view=all&q=a%20b"],
		["/jobs/../spend", "/spend"],
	])("keeps an own path: %s", (wanted, kept) => expect(ownPath(wanted)).toBe(kept));

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
	])("replaces %j with Overview", (wanted) => expect(ownPath(wanted)).toBe("/"));

	it("rejects a repeated parameter", () => {
		expect(ownPath(["/jobs", "/spend"])).toBe("/");
		expect(ownPath(undefined)).toBe("/");
	});
});
