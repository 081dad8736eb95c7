// Finds a Chromium for the browser tests: the one from npm, else an installed one. Starts each candidate to test it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";

/** Containers have a small /dev/shm and no user namespaces; the pages under test are the project's own. */
export const CHROMIUM_ARGS = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"];

const INSTALLED = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * @param {string} node the Node that runs the browser tests
 * @returns {{executable: string, libraries: string | undefined}} `libraries`: a folder for LD_LIBRARY_PATH
 * @throws {PlainError} when no Chromium opens a page, with the error of each one
 */
export function findChromium(node) {
	const said = [];
	for (const candidate of candidates(node, said)) {
		const problem = tryChromium(node, candidate);
		if (!problem) return candidate;
		said.push(`${candidate.executable}${candidate.libraries ? " (with its own libraries)" : ""}: ${problem}`);
	}
	throw new PlainError(
		"The browser tests need a Chromium, and none works on this machine.",
		"install one (on Debian: apt-get install chromium) or name one by SPILLWAY_CHROMIUM=/path/to/chromium; the other tests run by: npm test -- lint imports types knip unit",
		{ detail: said.join("\n") },
	);
}

function* candidates(node, said) {
	const named = process.env.SPILLWAY_CHROMIUM;
	if (named) {
		yield { executable: named, libraries: undefined };
		return;
	}
	const folder = unpack(node, said);
	if (folder) {
		yield { executable: path.join(folder, "chromium"), libraries: undefined };
		yield { executable: path.join(folder, "chromium"), libraries: path.join(folder, "al2023/lib") };
	}
	for (const name of INSTALLED) {
		const found = spawnSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" });
		if (found.status === 0) yield { executable: found.stdout.trim(), libraries: undefined };
	}
}

/** Unpacks into node_modules and not into the shared temp folder, where another user could have put another program. */
function unpack(node, said) {
	const packageFile = path.join(root, "node_modules/@sparticuz/chromium/package.json");
	if (!existsSync(packageFile)) return undefined;
	const folder = path.join(root, "node_modules/.cache/chromium", JSON.parse(readFileSync(packageFile, "utf8")).version);
	if (existsSync(folder)) return folder;
	const draft = `${folder}.${process.pid}`;
	mkdirSync(draft, { recursive: true });
	// With the environment of AWS Lambda, the package also unpacks system libraries that a minimal machine lacks.
	const env = { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
	const answer = spawnSync(node, [path.join(root, "scripts/chromium-unpack.mjs")], { env, encoding: "utf8" });
	if (answer.status === 0) {
		renameSync(draft, folder);
		return folder;
	}
	rmSync(draft, { recursive: true, force: true });
	said.push(`@sparticuz/chromium could not be unpacked: ${answer.stderr.trim().split("\n").at(-1)}`);
	return undefined;
}

function tryChromium(node, { executable, libraries }) {
	const env = { ...process.env, ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) };
	const answer = spawnSync(node, [path.join(root, "scripts/chromium-try.mjs"), executable, ...CHROMIUM_ARGS], {
		env,
		encoding: "utf8",
		timeout: 60_000,
	});
	if (answer.status === 0) return undefined;
	const lines = (answer.stderr ?? "").split("\n").map((line) => line.trim());
	return lines.find((line) => /error while loading|Error:|cannot|denied/i.test(line)) ?? `ended with ${answer.status ?? answer.signal}`;
}
