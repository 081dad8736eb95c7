import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { playJobs } from "#server/api/testing/play-jobs.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";

const run = promisify(execFile);

/** Debian's Python: it finds the packages that `npm test` installs. */
const PYTHON = "/usr/bin/python3";
const hasPytest = existsSync("/usr/bin/pytest-3") && existsSync(PYTHON);

let world: RestWorld;
let stop: () => Promise<void>;
let folder: string;
beforeAll(async () => {
	[world, folder] = await Promise.all([RestWorld.open(), mkdtemp(path.join(os.tmpdir(), "spillway-python-"))]);
	stop = playJobs(world);
});
afterAll(async () => {
	await stop();
	await world.close();
	await rm(folder, { recursive: true, force: true });
});

/** @returns its output, even when the program failed */
async function python(...args: string[]): Promise<string> {
	const settings = { SPILLWAY_URL: world.url, SPILLWAY_TOKEN: world.tokens.scientist, SPILLWAY_TEAM: "research" };
	const env = { ...process.env, ...settings, PYTHONDONTWRITEBYTECODE: "1" };
	const ran = await run(PYTHON, args, { cwd: import.meta.dirname, env }).catch((error: { stdout: string; stderr: string }) => error);
	return `${ran.stdout}${ran.stderr}`;
}

it.skipIf(!hasPytest)("the Python client passes its tests against a server (skipped without python3-pytest)", async () => {
	expect(await python("-m", "pytest", "-q", "-p", "no:cacheprovider")).toMatch(/^\d+ passed in [\d.]+s( \(\d+:\d+:\d+\))?$/m);
	expect(world.failures).toEqual([]);
});
