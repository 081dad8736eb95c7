import { expect, it } from "vitest";
import { readPlaywright, readVitest } from "./test-reports.mjs";

it("lists each failed test in Vitest's report, and files that could not be loaded", () => {
	const testResults = [
		{
			name: "/house/server/a.test.ts",
			status: "failed",
			message: "",
			assertionResults: [
				{ fullName: "adds", status: "passed" },
				{ fullName: "later", status: "pending" },
				{ fullName: "sums up", status: "failed", failureMessages: ["\u001b[31mError: 2 is not 3\u001b[39m\n    at line"] },
			],
		},
		{ name: "/house/server/b.test.ts", status: "failed", message: "Cannot find module", assertionResults: [] },
	];
	expect(readVitest({ testResults }, "/house")).toEqual({
		count: { passed: 1, failed: 2, skipped: 1 },
		failures: ["server/a.test.ts › sums up › Error: 2 is not 3", "server/b.test.ts › Cannot find module"],
	});
});

it("lists each failed test in Playwright's report, in any group", () => {
	const spec = (title, ok, message) => ({ title, ok, file: "a.spec.ts", tests: [{ results: [{ error: { message } }] }] });
	const suites = [
		{
			title: "a.spec.ts",
			file: "a.spec.ts",
			specs: [spec("passes", true)],
			suites: [{ title: "finance", file: "a.spec.ts", specs: [spec("reads", false, "Expected: 1\nReceived: 2")] }],
		},
	];
	expect(readPlaywright({ stats: { expected: 1, unexpected: 1, flaky: 0, skipped: 0 }, suites })).toEqual({
		count: { passed: 1, failed: 1, skipped: 0 },
		failures: ["e2e/a.spec.ts › finance reads › Expected: 1"],
	});
});
