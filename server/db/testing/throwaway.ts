import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { type Connection, connect } from "../client.ts";
import { migrate } from "../migrate.ts";
import { markClone, releaseDatabase, reuseEmptiedDatabase } from "./emptied.ts";

const TEMPLATE = "spillway_template";
const TEMPLATE_LOCK = 727_002;
const SESSION_END_MS = 5_000;
const CONNECTIONS_MAX = 12;
const ADMIN_IDLE_SECONDS = 5;

export interface TestDatabase extends Connection {
	url: string;
	/** Closes the connections and makes the database unreachable. */
	drop(): Promise<void>;
}

/** Clones a database from a migrated template. The URL must be that of a superuser. */
export async function createDatabaseOn(serverUrl: string): Promise<TestDatabase> {
	const name = newName();
	await asAdmin(serverUrl, (admin) => clone(admin, serverUrl, name));
	return open(serverUrl, name, CONNECTIONS_MAX, () => asAdmin(serverUrl, (admin) => dropDatabase(admin, name)));
}

/** The same, but reuses an emptied database of a finished test if there is one. */
export async function acquireDatabase(serverUrl: string, connectionsMax = CONNECTIONS_MAX): Promise<TestDatabase> {
	const name = newName();
	const admin = keptAdmin(serverUrl);
	if (!(await reuseEmptiedDatabase(admin, name))) {
		await clone(admin, serverUrl, name);
		await asAdmin(withDatabase(serverUrl, name), (sql) => markClone(admin, name, sql));
	}
	return open(serverUrl, name, connectionsMax, async () => {
		await admin`select pg_terminate_backend(pid, ${SESSION_END_MS}) from pg_stat_activity where datname = ${name}`;
		const kept = await asAdmin(withDatabase(serverUrl, name), (sql) => releaseDatabase(admin, name, sql));
		if (!kept) await dropDatabase(admin, name);
	});
}

function open(serverUrl: string, name: string, connectionsMax: number, close: () => Promise<void>): TestDatabase {
	const url = withDatabase(serverUrl, name);
	const connection = connect(url, { max: connectionsMax });
	return {
		...connection,
		url,
		drop: async () => {
			await connection.end();
			await close();
		},
	};
}

async function asAdmin<T>(url: string, work: (admin: postgres.Sql) => Promise<T>): Promise<T> {
	const admin = openAdmin(url);
	try {
		return await work(admin);
	} finally {
		await admin.end();
	}
}

const openAdmin = (url: string, idleSeconds?: number): postgres.Sql =>
	postgres(url, { max: 1, onnotice: () => {}, ...(idleSeconds !== undefined && { idle_timeout: idleSeconds }) });

/** One server session for all databases of a test process; one per database would cost more than the database itself. */
const keptAdmins = new Map<string, postgres.Sql>();

function keptAdmin(serverUrl: string): postgres.Sql {
	const admin = keptAdmins.get(serverUrl) ?? openAdmin(serverUrl, ADMIN_IDLE_SECONDS);
	keptAdmins.set(serverUrl, admin);
	return admin;
}

const newName = (): string => `test_${randomBytes(6).toString("hex")}`;

async function clone(admin: postgres.Sql, serverUrl: string, name: string): Promise<void> {
	await ensureTemplate(admin, serverUrl);
	await admin.unsafe(`create database ${name} template ${TEMPLATE}`);
}

async function dropDatabase(admin: postgres.Sql, name: string): Promise<void> {
	await admin.unsafe(`drop database if exists ${name} with (force)`);
}

/** Once per process: its session already holds the lock when two of its tests arrive at the same time. */
const templates = new Map<string, Promise<void>>();

function ensureTemplate(admin: postgres.Sql, serverUrl: string): Promise<void> {
	const made = templates.get(serverUrl) ?? makeTemplate(admin, serverUrl);
	templates.set(serverUrl, made);
	return made;
}

async function makeTemplate(admin: postgres.Sql, serverUrl: string): Promise<void> {
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
