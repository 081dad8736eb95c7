import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Connection, connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { freePort } from "../../scripts/lib/ports.mjs";
import { startPostgres } from "../../scripts/lib/postgres.mjs";
import { startThrowawayPostgres } from "../../scripts/test-postgres.mjs";
import { type BooksSize, fillBooks } from "./ledger-books.ts";

export interface BenchServer {
	urlOf(database: string): string;
	stop(): Promise<void>;
}

/** A PostgreSQL that is deleted afterwards, or one that stays in `dir` with its databases for the next run. */
export async function startServer(dir: string): Promise<BenchServer> {
	const server = dir === "" ? await startThrowawayPostgres() : await startKept(path.resolve(dir));
	return {
		urlOf: (database) => {
			const url = new URL(server.url);
			url.pathname = `/${database}`;
			return url.href;
		},
		stop: () => server.stop(),
	};
}

async function startKept(dir: string) {
	mkdirSync(dir, { recursive: true, mode: 0o711 });
	const file = path.join(dir, "password");
	if (!existsSync(file)) writeFileSync(file, randomBytes(12).toString("hex"), { mode: 0o600 });
	return startPostgres({ dir: path.join(dir, "server"), port: await freePort(), password: readFileSync(file, "utf8"), durable: false });
}

/** Opens the database with a ledger of that size; `filled` is true if it had to be written, which takes minutes. */
export async function openBooks(server: BenchServer, name: string, size: BooksSize): Promise<{ connection: Connection; filled: boolean }> {
	const wanted = JSON.stringify(size);
	if (await exists(server, name)) {
		const known = connect(server.urlOf(name), { max: 8 });
		const [row] = await known.sql<{ text: string | null }[]>`
			select shobj_description(oid, 'pg_database') as text from pg_database where datname = current_database()`;
		if (row?.text === wanted) {
			await migrate(server.urlOf(name));
			return { connection: known, filled: false };
		}
		await known.end();
		await dropDatabase(server, name);
	}
	await migrate(server.urlOf(name));
	const connection = connect(server.urlOf(name), { max: 8 });
	await fillBooks(connection, size);
	await connection.sql.unsafe(`comment on database "${name}" is '${wanted}'`);
	return { connection, filled: true };
}

async function exists(server: BenchServer, name: string): Promise<boolean> {
	return administer(server, async (admin) => (await admin.sql`select 1 from pg_database where datname = ${name}`).length > 0);
}

export async function dropDatabase(server: BenchServer, name: string): Promise<void> {
	await administer(server, (admin) => admin.sql.unsafe(`drop database if exists "${name}" with (force)`));
}

async function administer<T>(server: BenchServer, work: (admin: Connection) => PromiseLike<T>): Promise<T> {
	const admin = connect(server.urlOf("postgres"), { max: 1 });
	try {
		return await work(admin);
	} finally {
		await admin.end();
	}
}
