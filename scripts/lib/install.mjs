// Brings node_modules in line with package-lock.json.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { pathWithoutProject, root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";
import { runToEnd } from "./run.mjs";

/**
 * Compares npm's record in node_modules with the lock, package by package. A newer file date alone (a fresh checkout)
 * must not send an offline machine to the registry.
 * @param {string} [projectRoot]
 * @returns {string | undefined} why an install is needed, or undefined
 */
export function installNeeded(projectRoot = root) {
	const installedFile = path.join(projectRoot, "node_modules/.package-lock.json");
	if (!existsSync(installedFile)) return "nothing is installed yet";
	try {
		const wanted = JSON.parse(readFileSync(path.join(projectRoot, "package-lock.json"), "utf8")).packages;
		const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
		for (const [place, entry] of Object.entries(wanted)) {
			if (place === "" || entry.link) continue;
			const present = installed[place];
			// Optional packages belong to other platforms, or may fail to install; only a wrong version counts.
			if (!present && entry.optional) continue;
			if (present?.version !== entry.version) return `${place.replace(/^.*node_modules\//, "")} ${entry.version} is missing`;
		}
	} catch (error) {
		return `the list of installed packages cannot be read (${error.message})`;
	}
	return undefined;
}

/**
 * Runs `npm ci`, and `npm install` if that rejects the lock.
 * @param {{log?: string, signal?: AbortSignal, update?: (detail: string) => void, projectRoot?: string}} options
 */
export async function install({ log, signal, update = () => {}, projectRoot = root }) {
	const env = { ...process.env, PATH: pathWithoutProject(projectRoot).join(path.delimiter) };
	const npm = npmCommand();
	const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--include=dev", "--include=optional"];
	const common = { env, cwd: projectRoot, log, signal };
	try {
		await runToEnd([...npm, "ci", ...flags], { ...common, what: "npm ci failed", todo: "" });
	} catch (error) {
		if (signal?.aborted) throw error;
		update("npm ci did not work, trying npm install");
		await runToEnd([...npm, "install", ...flags], {
			...common,
			what: "The packages that Spillway is built from could not be installed",
			todo: "check that this machine reaches the npm registry (npm ping) and that the disk has 2 GB free, then start again.",
		});
	}
	const missing = installNeeded(projectRoot);
	if (missing) throw new PlainError(`npm finished, but ${missing}.`, "delete node_modules and start again.");
}

/** The npm that started this script, run by its own Node; else the one on PATH. */
function npmCommand() {
	const { npm_execpath: script, npm_node_execpath: node } = process.env;
	const own = path.join(root, "node_modules") + path.sep;
	if (script?.endsWith(".js") && node && existsSync(node) && !node.startsWith(own)) return [node, script];
	return ["npm"];
}
