// `npm run test:upgrade -- --from REF`: upgrades an earlier release to this clone's last commit, and rolls back, under load. Runs
// the earlier release's web server and scheduler, and replaces them in the documented order while clients submit and read jobs:
// migrate, web server, scheduler, and back. Requires that no request fails, and that each job succeeds exactly once. Takes about
// ten minutes on two cores, most of it for two web builds.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { describeError, PlainError } from "./lib/plain-error.mjs";
import { createProgress } from "./lib/progress.mjs";
import { startThrowawayPostgres } from "./test-postgres.mjs";
import { checkOut, Release } from "./upgrade/release.mjs";
import { upgradeAndBack } from "./upgrade/upgrade.mjs";

const EXAMPLE = "for example: npm run test:upgrade -- --from HEAD~20";

/** Ends what runs and removes the folder also when it is interrupted. */
async function run(from) {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-upgrade-"));
	chmodSync(folder, 0o711);
	const progress = createProgress();
	const undo = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
	const builds = new AbortController();
	const stop = () => {
		builds.abort();
		void undoAll(undo).finally(() => process.exit(1));
	};
	for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
	try {
		const folders = { old: path.join(folder, "old"), new: path.join(folder, "new") };
		await progress.run(`Building ${from}`, () => checkOut(from, folders.old, builds.signal));
		await progress.run("Building HEAD", () => checkOut("HEAD", folders.new, builds.signal));
		const postgres = await startThrowawayPostgres();
		undo.push(() => postgres.stop());
		const home = path.join(folder, "home");
		mkdirSync(home);
		const env = {
			...{ DATABASE_URL: postgres.url, SPILLWAY_HOME: home, SPILLWAY_DEMO: "0", SPILLWAY_LOCAL_SLOTS: "4", SPILLWAY_RATE_LIMIT: "1000000" },
			...{ SPILLWAY_SECRET: randomBytes(24).toString("hex"), AUTH_SECRET: randomBytes(24).toString("hex") },
		};
		const old = new Release({ name: from, folder: folders.old, env });
		const next = new Release({ name: "HEAD", folder: folders.new, env });
		await upgradeAndBack({ progress, undo, home, old, next });
	} finally {
		await undoAll(undo);
	}
}

async function undoAll(undo) {
	for (let step = undo.pop(); step; step = undo.pop()) await step();
}

try {
	const { values } = parseArgs({ options: { from: { type: "string" } } });
	if (values.from === undefined) throw new PlainError("The earlier release is missing.", EXAMPLE);
	await run(values.from);
} catch (error) {
	console.error(error?.code?.startsWith("ERR_PARSE_ARGS") ? `${error.message}\nWhat to do: ${EXAMPLE}` : describeError(error));
	process.exitCode = 1;
}
