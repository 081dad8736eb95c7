import path from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as drizzleMigrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";

const MIGRATIONS = path.resolve(import.meta.dirname, "../../drizzle");
/** Any constant: two migrators wait for each other. */
const MIGRATION_LOCK = 727_001;

/** Creates the database when it is missing and brings its schema up to date. Safe to run at the same time from many processes. */
export async function migrate(url: string): Promise<void> {
	const target = new URL(url);
	const name = decodeURIComponent(target.pathname.slice(1));
	const adminUrl = new URL(url);
	adminUrl.pathname = "/postgres";
	const admin = postgres(adminUrl.href, { max: 1, onnotice: () => {} });
	try {
		const found = await admin`select 1 from pg_database where datname = ${name}`;
		if (found.length === 0) {
			await admin.unsafe(`create database "${name.replaceAll('"', '""')}"`).catch((error: unknown) => {
				const code = error instanceof postgres.PostgresError ? error.code : "";
				if (code !== "42P04" && code !== "23505") throw error;
			});
		}
	} finally {
		await admin.end();
	}
	const client = postgres(url, { max: 1, onnotice: () => {} });
	try {
		await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
		await drizzleMigrate(drizzle({ client }), { migrationsFolder: MIGRATIONS });
	} finally {
		await client.end();
	}
}
