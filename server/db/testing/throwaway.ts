import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { type Connection, connect } from "../client.ts";
import { migrate } from "../migrate.ts";

const TEMPLATE = "spillway_template";
const TEMPLATE_LOCK = 727_002;

export interface TestDatabase extends Connection {
	url: string;
	/** Closes the connections and drops the database. */
	drop(): Promise<void>;
}

/** A database of its own on a server of which the address is a superuser's, cloned from a migrated template. */
export async function createDatabaseOn(serverUrl: string): Promise<TestDatabase> {
	const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
	const name = `test_${randomBytes(6).toString("hex")}`;
	try {
		await ensureTemplate(admin, serverUrl);
		await admin.unsafe(`create database ${name} template ${TEMPLATE}`);
	} finally {
		await admin.end();
	}
	const url = withDatabase(serverUrl, name);
	const connection = connect(url, { max: 12 });
	return {
		...connection,
		url,
		drop: async () => {
			await connection.end();
			const again = postgres(serverUrl, { max: 1, onnotice: () => {} });
			await again.unsafe(`drop database if exists ${name} with (force)`);
			await again.end();
		},
	};
}

async function ensureTemplate(admin: postgres.Sql, serverUrl: string): Promise<void> {
	await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`;
	try {
		const found = await admin`select 1 from pg_database where datname = ${TEMPLATE} and datistemplate`;
		if (found.length > 0) return;
		await migrate(withDatabase(serverUrl, TEMPLATE));
		await admin.unsafe(`alter database ${TEMPLATE} with is_template true`);
	} finally {
		await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
	}
}

function withDatabase(serverUrl: string, name: string): string {
	const url = new URL(serverUrl);
	url.pathname = `/${name}`;
	return url.href;
}
