import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as drizzleMigrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { defined } from "#server/kernel/assert.ts";
import { type Adoption, adoptBaseline } from "./adopt-baseline.ts";
import { recordCompatibility, requireKnownSchema } from "./schema-version.ts";

/** Where drizzle finds the migrations. */
export const MIGRATIONS = { migrationsFolder: path.resolve(import.meta.dirname, "../../drizzle") };
/** An arbitrary constant: migrations run one at a time. */
const MIGRATION_LOCK = 727_001;

/**
 * Creates the database if it is missing and migrates its schema. Safe to run from several processes at once.
 * @throws SpillwayError `conflict` for a database from before the first release that is not up to date
 */
export async function migrate(url: string): Promise<void> {
	await createIfMissing(url);
	await withMigrationLock(url, async (client) => {
		await adopt(client);
		await drizzleMigrate(drizzle({ client }), MIGRATIONS);
		await recordCompatibility(client, readMigrationFiles(MIGRATIONS));
	});
}

/**
 * Startup check: rejects a database with an unknown schema.
 * @throws SpillwayError `precondition_failed`
 */
export async function requireMigrated(url: string): Promise<void> {
	const client = postgres(url, { max: 1, onnotice: () => {} });
	try {
		await requireKnownSchema(client, readMigrationFiles(MIGRATIONS));
	} finally {
		await client.end();
	}
}

/** Adopts a database from before the first release, without applying newer migrations. */
export function adoptDatabase(url: string): Promise<Adoption> {
	return withMigrationLock(url, adopt);
}

function adopt(client: postgres.Sql): Promise<Adoption> {
	const [baseline] = readMigrationFiles(MIGRATIONS);
	return adoptBaseline(client, defined(baseline, "baseline migration").hash);
}

/** Creates the database that the URL names, if it does not exist. */
export async function createIfMissing(url: string): Promise<void> {
	const target = new URL(url);
	const name = decodeURIComponent(target.pathname.slice(1));
	const adminUrl = new URL(url);
	adminUrl.pathname = "/postgres";
	const admin = postgres(adminUrl.href, { max: 1, onnotice: () => {} });
	try {
		const found = await admin`select 1 from pg_database where datname = ${name}`;
		if (found.length > 0) return;
		await admin.unsafe(`create database "${name.replaceAll('"', '""')}"`).catch((error: unknown) => {
			// Another process created it in the meantime.
			const code = error instanceof postgres.PostgresError ? error.code : "";
			if (code !== "42P04" && code !== "23505") throw error;
		});
	} finally {
		await admin.end();
	}
}

async function withMigrationLock<T>(url: string, work: (client: postgres.Sql) => Promise<T>): Promise<T> {
	const client = postgres(url, { max: 1, onnotice: () => {} });
	try {
		await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
		return await work(client);
	} finally {
		await client.end();
	}
}
