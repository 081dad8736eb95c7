import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { limitIdleTransactions } from "./limit-idle-transactions.ts";
import { prepareStatements } from "./prepared-statements.ts";
import * as schema from "./schema/index.ts";
import { keepTransactionsWhole } from "./whole-transactions.ts";
import { withoutPipelining } from "./without-pipelining.ts";

/** A database or a transaction (its `transaction` is a savepoint). */
export type Db = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;
/** A transaction, for writers that require one. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
/** Either, for readers. */
export type DbOrTx = Db | Tx;

export interface Connection {
	db: Db;
	/** A separate client for LISTEN, advisory locks and COPY, because Drizzle changes how its client parses times. */
	sql: postgres.Sql;
	/** A client with exactly one connection without a maximum age, for session advisory locks. */
	single(): postgres.Sql;
	end(): Promise<void>;
}

export interface ConnectOptions {
	max?: number;
	applicationName?: string;
	directUrl?: string | undefined;
	/**
	 * How long a transaction may send nothing. After that PostgreSQL ends its session, so that a suspended process keeps no row locks.
	 * Absent: no limit.
	 */
	idleTransactionMaxMs?: number;
	/** Called with each statement that is sent. */
	onStatement?: (text: string) => void;
}

/**
 * Opens a pool with up to `max` connections for `db` and two for `sql`. With `directUrl`, `url` may be a pooler in
 * transaction mode: `db` then uses no session features (no prepared statements), and `sql` and `single` connect to the
 * server itself.
 */
export function connect(url: string, options: ConnectOptions = {}): Connection {
	const { onStatement, idleTransactionMaxMs: idleMs } = options;
	const direct = options.directUrl ?? url;
	// A pooler may send the next query to another session.
	const pooled = options.directUrl === undefined ? {} : { prepare: false };
	const base = {
		onnotice: () => {},
		connection: { application_name: options.applicationName ?? "spillway", TimeZone: "UTC" },
		types: { bigint: postgres.BigInt },
		...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
	};
	const own = idleMs === undefined ? base : { ...base, connection: { ...base.connection, idle_in_transaction_session_timeout: idleMs } };
	const pool = postgres(url, { ...(options.directUrl === undefined ? own : base), max: options.max ?? 10, ...pooled });
	const client = keepTransactionsWhole(options.directUrl === undefined ? prepareStatements(pool) : withoutPipelining(pool));
	if (options.directUrl !== undefined && idleMs !== undefined) limitIdleTransactions(client, idleMs);
	const sql = keepTransactionsWhole(postgres(direct, { ...own, max: 2 }));
	return {
		db: drizzle({ client, schema, casing: "snake_case" }),
		sql,
		single: () => postgres(direct, { ...base, max: 1, idle_timeout: 0, max_lifetime: null }),
		end: async () => {
			await Promise.all([client.end({ timeout: 3 }), sql.end({ timeout: 3 })]);
		},
	};
}
