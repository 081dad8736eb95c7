import type { Sql, TransactionSql } from "postgres";

/** Longer parameter lists vary in length, and each length would stay prepared for the life of the session. */
const PARAMETERS_MAX = 16;
/** For a statement without parameters, the simple protocol would parse and plan it each time. */
const READS = /^\s*(select|with)\b[^;]*$/i;

/** postgres requires both for a statement without parameters. */
const PREPARED = { prepare: true, simple: false };

type Unsafe = Sql["unsafe"];
type Work = (sql: TransactionSql) => unknown;

/**
 * Prepares the statements that Drizzle sends, once per session: one round trip instead of two, without parsing and
 * planning again. By default Drizzle disables this in postgres. Modifies the client, which must not connect through a
 * pooler.
 */
export function prepareStatements<C extends Sql>(client: C): C {
	const begin = client.begin.bind(client) as (...args: unknown[]) => Promise<unknown>;
	client.unsafe = preparing(client.unsafe);
	const prepared = async (...args: unknown[]): Promise<unknown> => {
		const work = args.pop() as Work;
		return begin(...args, (sql: TransactionSql) => work(prepareIn(sql)));
	};
	return Object.assign(client, { begin: prepared });
}

function prepareIn(sql: TransactionSql): TransactionSql {
	const savepoint = sql.savepoint as (...args: unknown[]) => Promise<unknown>;
	const nested = (...args: unknown[]): Promise<unknown> => {
		const work = args.pop() as Work;
		return savepoint(...args, (inner: TransactionSql) => work(prepareIn(inner)));
	};
	return Object.assign(sql, { unsafe: preparing(sql.unsafe), savepoint: nested });
}

function preparing(unsafe: Unsafe): Unsafe {
	const run: Unsafe = (text, parameters = [], options = {}) => {
		const isPrepared = parameters.length === 0 ? READS.test(text) : parameters.length <= PARAMETERS_MAX;
		return unsafe(text, parameters, isPrepared ? { ...options, ...PREPARED } : options);
	};
	return run;
}
