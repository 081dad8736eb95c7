import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { packCli } from "../../../scripts/pack-cli.mjs";
import { aJob, RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let folder: string;
let installed: string;
let tarball: string;
beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-cli-package-"));
	tarball = await packCli(folder);
	installed = path.join(folder, "laptop");
	mkdirSync(installed);
	const env = { ...process.env, npm_config_cache: path.join(folder, "cache") };
	await promisify(execFile)("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: installed, env });
});
afterAll(async () => {
	await world.close();
	rmSync(folder, { recursive: true, force: true });
});

const spillway = (...args: string[]) =>
	promisify(execFile)(path.join(installed, "node_modules/.bin/spillway"), args, {
		cwd: installed,
		env: {
			NODE_ENV: "production",
			PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}`,
			HOME: folder,
			SPILLWAY_URL: world.url,
			SPILLWAY_TOKEN: world.tokens.platform,
		},
	});

it("installs into an empty folder without dependencies, and works with a server", async () => {
	expect(readdirSync(path.join(installed, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["spillway-cli"]);
	expect(statSync(tarball).size).toBeLessThan(1024 * 1024);
	expect((await spillway("version")).stdout).toMatch(/^spillway \d+\.\d+\.\d+ \(Node /);
	writeFileSync(path.join(installed, "job.yaml"), stringify(aJob({ name: "from-laptop" })));
	const { stdout } = await spillway("submit", "-f", "job.yaml");
	expect(stdout).toMatch(/^job_\w+ +from-laptop/);
	expect((await spillway("jobs", "--json")).stdout).toContain("from-laptop");
	expect((await spillway("help")).stdout).toContain("Usage");
});

it("lists what needs an installation", async () => {
	await expect(spillway("backup", "here")).rejects.toMatchObject({
		code: 2,
		stderr: "spillway: Only the command line is installed here. Run this command in a Spillway installation (docs/install.md).\n",
	});
});
