// The message printed when everything runs: the address, the sign-in, and how to submit a job.
import { readFileSync } from "node:fs";
import path from "node:path";
import { readJson } from "./home.mjs";
import { root } from "./node.mjs";

/** @param {{home: string, url: string, demo: boolean, seconds: number}} facts */
export function welcome({ home, url, demo, seconds }) {
	const accounts = demo ? (readJson(path.join(home, "demo-accounts.json")) ?? []) : [];
	const setUpCode = readSetUpCode(path.join(home, "setup-code"));
	const shownHome = path.relative(root, home).startsWith("..") ? home : path.relative(root, home);
	// Only the demo writes a token to its folder.
	const token = demo ? `$(cat ${path.join(shownHome, "token")})` : "$SPILLWAY_TOKEN";
	return [
		"",
		`Spillway is ready after ${seconds.toFixed(1)} s:  ${url}`,
		"",
		...(accounts.length > 0 ? ["Sign in as", ...table(accounts.map(({ role, email, password }) => [role, email, password])), ""] : []),
		...(setUpCode
			? [
					"Set up the first administrator",
					...table([
						["address", `${url}/setup`],
						["set-up code", setUpCode],
						["or", "npx spillway init"],
					]),
				]
			: [
					"Submit a job",
					...table([
						["in the browser", `${url}/jobs/new`],
						["on the command line", "npx spillway submit -f examples/language-id/job.yaml --count 7"],
						["by the API", `curl -H "Authorization: Bearer ${token}" ${url}/api/v1/jobs`],
					]),
				]),
		"",
		`State and logs are in ${shownHome}. Ctrl-C stops everything.`,
	].join("\n");
}

/** Exists while no administrator can sign in. */
function readSetUpCode(file) {
	try {
		return readFileSync(file, "utf8").trim();
	} catch {
		return null;
	}
}

function table(rows) {
	const widths = [];
	for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, String(cell).length);
	return rows.map((row) => `  ${row.map((cell, column) => String(cell).padEnd(widths[column])).join("  ")}`.trimEnd());
}
