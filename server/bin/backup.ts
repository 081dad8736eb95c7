// `spillway backup` and `spillway restore` on the database that DATABASE_URL names. scripts/backup.mjs starts this program, with
// the embedded PostgreSQL when there is no DATABASE_URL.
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { restoreBackup } from "#server/db/backup/restore-backup.ts";
import { writeBackup } from "#server/db/backup/write-backup.ts";
import { connect } from "#server/db/client.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { directDatabaseUrl, env, logFolder } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { listKept, releaseKept } from "#server/services/capacity/instance/kept.ts";
import { acceptRestored, readRestored } from "#server/services/capacity/instance/restored.ts";
import { systemContext } from "#server/services/core/context.ts";

/** Files that belong to database rows. */
const FILES = ["checkpoints", "artifacts"];
/** The log store, wherever it is. */
const LOGS = "job-logs";
/** Keys that decrypt sealed values of the database. Included only on request, because together they are the credentials. */
const KEYS = ["credential-keys", "secrets.json"];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		replace: { type: "boolean", default: false },
		"database-only": { type: "boolean", default: false },
		"with-keys": { type: "boolean", default: false },
		reviewed: { type: "boolean", default: false },
		keep: { type: "string", multiple: true, default: [] },
		kept: { type: "boolean", default: false },
		release: { type: "string" },
	},
});
const [action, place] = positionals;

try {
	if (action === "restore" && (place === undefined || values.reviewed)) await review(values);
	else if ((action !== "backup" && action !== "restore") || place === undefined) throw new SpillwayError("invalid_input", "Name a folder.");
	else await run(action, path.resolve(place));
} catch (error) {
	if (!(error instanceof SpillwayError)) throw error;
	process.stderr.write(`${error.message}\n${error.fix ?? ""}\n`);
	process.exitCode = 2;
}

async function run(action: "backup" | "restore", folder: string): Promise<void> {
	const { SPILLWAY_HOME: home } = env();
	const url = directDatabaseUrl();
	const names = [...(values["database-only"] ? [] : FILES), ...(values["with-keys"] ? KEYS : [])];
	if (action === "backup") {
		// Files first: a row never names a checkpoint that the backup lacks because it was deleted in between.
		copy(names, home, path.join(folder, "files"));
		const manifest = await writeBackup(url, folder, {
			// After the tables: lines move from the database to these files, never back.
			afterTables: () => copyLogs(logFolder(env()), path.join(folder, "files", LOGS)),
		});
		const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
		process.stdout.write(`Backed up ${rows} rows of ${manifest.tables.length} tables to ${folder}.\n`);
		return;
	}
	const manifest = await restoreBackup(url, folder, { replace: values.replace });
	copy(names, path.join(folder, "files"), home);
	copyLogs(path.join(folder, "files", LOGS), logFolder(env()));
	process.stdout.write(
		`Restored the backup of ${manifest.createdAt}.\nThe scheduler launches and terminates nothing until you run: spillway restore --reviewed\n`,
	);
}

/** Shows how the clouds and the restored database differ, or ends the guard. */
async function review({ reviewed, keep, kept, release }: typeof values): Promise<void> {
	const connection = connect(directDatabaseUrl(), { max: 1, applicationName: "spillway-restore" });
	try {
		if (kept) return void process.stdout.write(`${JSON.stringify(await listKept(connection.db), exactMoney, "\t")}\n`);
		const ctx = systemContext(connection.db, systemClock, "seed");
		if (release !== undefined) {
			await releaseKept(ctx, release, userInfo().username);
			return void process.stdout.write(`Released. The next sweep terminates ${release}.\n`);
		}
		const restored = await readRestored(connection.db);
		if (!restored) return void process.stdout.write("The database was not restored, or the restore has been reviewed.\n");
		if (reviewed) {
			await acceptRestored(ctx, keep, userInfo().username);
			const released = (restored.unknown?.length ?? 0) - keep.length;
			return void process.stdout.write(
				`Reviewed. The scheduler continues within seconds, terminates ${plural(released, "machine")} and leaves ${keep.length} alone.\n`,
			);
		}
		process.stdout.write(`${JSON.stringify(restored, null, "\t")}\n`);
	} finally {
		await connection.end();
	}
}

/** JSON has no big integers. */
function exactMoney(_: string, value: unknown): unknown {
	return typeof value === "bigint" ? value.toString() : value;
}

function copyLogs(from: string, to: string): void {
	if (values["database-only"] || !existsSync(from)) return;
	mkdirSync(to, { recursive: true, mode: 0o700 });
	// Drafts are renamed while this runs.
	cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: (file) => !file.endsWith(".new") });
}

function copy(names: readonly string[], from: string, to: string): void {
	for (const name of names) {
		const source = path.join(from, name);
		if (!existsSync(source)) continue;
		mkdirSync(to, { recursive: true, mode: 0o700 });
		cpSync(source, path.join(to, name), { recursive: true, preserveTimestamps: true });
	}
}
