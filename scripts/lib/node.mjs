// Chooses the Node for each program. The scripts here run on Node 20 or newer; everything else needs one that runs TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PlainError } from "./plain-error.mjs";

/** The root of the clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The first Node that runs .ts files without a flag. */
const TYPESCRIPT_NODE = [22, 18];

/** @param {string} version such as "v22.18.0" */
export function runsTypeScript(version) {
	const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
	const [wantedMajor, wantedMinor] = TYPESCRIPT_NODE;
	return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/**
 * The Node that runs the project: the one that npm installed with it, else the current one.
 * @param {string} [projectRoot]
 * @returns {string} path of the executable
 * @throws {PlainError} when neither runs TypeScript
 */
export function projectNode(projectRoot = root) {
	const own = path.join(projectRoot, "node_modules/.bin/node");
	if (existsSync(own)) {
		const answer = spawnSync(own, ["--version"], { encoding: "utf8" });
		if (answer.status === 0 && runsTypeScript(answer.stdout.trim())) return own;
	}
	if (runsTypeScript(process.version)) return process.execPath;
	throw new PlainError(
		`Spillway brings its own Node for Linux on x64 and arm64, but it is not usable here (${process.platform} ${process.arch}), and this Node is ${process.version}.`,
		`install Node ${TYPESCRIPT_NODE.join(".")} or newer from https://nodejs.org and start again.`,
	);
}

/** PATH with the project's own programs (and its Node) first. */
export function projectPath(projectRoot = root, inherited = process.env.PATH ?? "") {
	return [path.join(projectRoot, "node_modules/.bin"), ...pathWithoutProject(projectRoot, inherited)].join(path.delimiter);
}

/** PATH without the project's programs: npm must not run on a Node that it is about to replace. */
export function pathWithoutProject(projectRoot = root, inherited = process.env.PATH ?? "") {
	const own = path.join(projectRoot, "node_modules/.bin");
	return inherited.split(path.delimiter).filter((folder) => folder !== own && !folder.endsWith("node-gyp-bin"));
}
