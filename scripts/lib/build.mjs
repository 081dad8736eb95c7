// Builds the production files, only if one of their inputs has changed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { placesReachableFrom } from "../house.mjs";
import { takeLock } from "./home.mjs";
import { projectNode, projectPath, root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";
import { runToEnd } from "./run.mjs";
import { shortenInstalledExports } from "./short-exports.mjs";

const SETTINGS = ["package-lock.json", "tsconfig.json"];

/**
 * Each build's inputs, output, and the file that proves it is complete. The import rules restrict each room to the rooms listed
 * here, so nothing else can be part of a build. Tests are not inputs, because they do not affect the product.
 * @type {Record<"web" | "agent", {inputs: string[], env: NodeJS.ProcessEnv, product: string,
 * stamp: string, command: string[]}>}
 */
const TARGETS = {
	web: {
		inputs: [...SETTINGS, ...placesReachableFrom("app"), "public", "next.config.ts", "tsconfig.build.json", "postcss.config.mjs"],
		env: { SPILLWAY_BASE_PATH: basePath() },
		product: ".next/BUILD_ID",
		stamp: ".next/spillway-inputs",
		command: ["node_modules/next/dist/bin/next", "build"],
	},
	agent: {
		inputs: [...SETTINGS, ...placesReachableFrom("agent"), "scripts/build-agent.mjs"],
		env: {},
		product: "dist/agent.mjs",
		stamp: "dist/agent-inputs",
		command: ["scripts/build-agent.mjs"],
	},
};

/**
 * Called before anything that runs the project's programs.
 * @param {"web" | "agent"} name
 * @param {{log?: string, signal?: AbortSignal, onLine?: (line: string) => void}} [options]
 * @returns {Promise<boolean>} whether anything was built
 */
export async function buildIfChanged(name, options = {}) {
	const target = TARGETS[name];
	shortenInstalledExports();
	if (isFresh(target)) return false;
	const lock = await waitForLock(path.join(root, "dist", `${name}.build-lock`), options.signal);
	try {
		if (isFresh(target)) return false;
		// The stamp is deleted first and written last, so that an interrupted build never counts as complete.
		rmSync(path.join(root, target.stamp), { force: true });
		const before = fingerprint(target);
		await runToEnd([projectNode(), ...target.command], {
			...options,
			env: { ...process.env, ...target.env, PATH: projectPath(), NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
			what: `The ${name} could not be built`,
			todo: "read the lines above; on an unchanged clone, delete .next and dist and start again.",
		});
		writeFileSync(path.join(root, target.stamp), before);
		return true;
	} finally {
		lock.release();
	}
}

/** @param {"web" | "agent"} name */
export function needsBuild(name) {
	return !isFresh(TARGETS[name]);
}

function isFresh(target) {
	const file = path.join(root, target.stamp);
	return existsSync(path.join(root, target.product)) && existsSync(file) && readFileSync(file, "utf8") === fingerprint(target);
}

/** The path of SPILLWAY_URL, which is built into the pages. A wrong address is reported by the servers. */
export function basePath() {
	const url = process.env.SPILLWAY_URL ?? "";
	return URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, "") : "";
}

/** A hash of settings, names and contents; a few thousand small files take well under a second. */
function fingerprint({ inputs, env }) {
	const { imports, dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
	const hash = createHash("sha256").update(JSON.stringify({ imports, dependencies, env }));
	for (const input of inputs) {
		for (const file of filesBelow(input)) {
			hash.update(`${file}\0`);
			hash.update(
				createHash("sha256")
					.update(readFileSync(path.join(root, file)))
					.digest(),
			);
		}
	}
	return hash.digest("hex");
}

function* filesBelow(relative) {
	const absolute = path.join(root, relative);
	if (!existsSync(absolute)) return;
	const entries = readdirSyncOrFile(absolute);
	if (entries === undefined) {
		if (!/\.test\.(ts|tsx|mjs)$/.test(relative)) yield relative;
		return;
	}
	for (const entry of entries.sort()) yield* filesBelow(path.join(relative, entry));
}

function readdirSyncOrFile(absolute) {
	try {
		return readdirSync(absolute);
	} catch (error) {
		if (error.code === "ENOTDIR") return undefined;
		throw error;
	}
}

const BUILD_WAIT_MS = 5 * 60_000;

/** Another start or test of the same clone may be building. Waits for it and uses its result. */
async function waitForLock(file, signal) {
	mkdirSync(path.dirname(file), { recursive: true });
	const until = performance.now() + BUILD_WAIT_MS;
	for (;;) {
		const lock = takeLock(file);
		if (lock.held) return lock;
		if (performance.now() > until)
			throw new PlainError(`Process ${lock.owner.pid} has been building this clone for more than 5 minutes.`, "end it, and start again.");
		await sleep(200, undefined, { signal });
	}
}
