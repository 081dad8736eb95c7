// Parses the reports of Vitest and Playwright: the counts, and one line for each failed test.
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

/** @typedef {{passed: number, failed: number, skipped: number}} Count */

const REASON_CHARS = 200;

/**
 * @param {{testResults: any[]}} report from Vitest's JSON reporter
 * @param {string} root file paths are shown relative to it
 * @returns {{count: Count, failures: string[]}} a file that failed before its first test counts as one failure
 */
export function readVitest({ testResults }, root) {
	const count = { passed: 0, failed: 0, skipped: 0 };
	const failures = [];
	for (const { name, status, message, assertionResults } of testResults) {
		const file = path.relative(root, name);
		if (status === "failed" && assertionResults.length === 0) {
			count.failed++;
			failures.push(failureLine(file, "", message));
		}
		for (const test of assertionResults) {
			count[test.status === "passed" || test.status === "failed" ? test.status : "skipped"]++;
			if (test.status === "failed") failures.push(failureLine(file, test.fullName, test.failureMessages?.[0]));
		}
	}
	return { count, failures };
}

/**
 * @param {{stats: {expected: number, unexpected: number, flaky: number, skipped: number}, suites?: any[]}} report from Playwright
 * @returns {{count: Count, failures: string[]}}
 */
export function readPlaywright({ stats, suites = [] }) {
	const count = { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
	return { count, failures: suites.flatMap((suite) => failedSpecs(suite, [])) };
}

function failedSpecs({ title, file, specs = [], suites = [] }, above) {
	const titles = title === file ? above : [...above, title];
	const own = specs
		.filter(({ ok }) => !ok)
		.map((spec) => failureLine(`e2e/${spec.file}`, [...titles, spec.title].join(" "), spec.tests?.[0]?.results?.at(-1)?.error?.message));
	return [...own, ...suites.flatMap((suite) => failedSpecs(suite, titles))];
}

function failureLine(file, title, reason = "") {
	const first = stripVTControlCharacters(reason).split("\n")[0].slice(0, REASON_CHARS);
	return [file, title, first].filter(Boolean).join(" › ");
}
