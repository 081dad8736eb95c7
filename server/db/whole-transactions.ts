import type { Sql, TransactionSql } from "postgres";

/** What is thrown into a transaction that goes on after its session has ended. */
class SessionEnded extends Error {
	override name = "SessionEnded";
	constructor() {
		super("the session of this transaction has ended, and the transaction with it");
	}
}

type Work = (sql: TransactionSql) => unknown;

/**
 * Makes a transaction whose session ends (the server is restarted, an administrator or a fail-over cuts it) fail as a whole.
 * postgres 3.4.9 left alone goes on with it: it sends the rollback, and every further statement, to a connection that is
 * closed, which ends the process with "Cannot read properties of null (reading 'write')", or that stands for another
 * session by then, where the rest of the transaction is committed without its beginning.
 * Changes the client that it is given.
 */
export function keepTransactionsWhole<C extends Sql>(client: C): C {
	const begin = client.begin.bind(client) as (...args: unknown[]) => Promise<unknown>;
	const whole = async (...args: unknown[]): Promise<unknown> => {
		const work = args.pop() as Work;
		const state = { over: false };
		try {
			return await begin(...args, held(work, state));
		} finally {
			state.over = true;
		}
	};
	return Object.assign(client, { begin: whole });
}

/** The work, which hears that its session is over instead of writing to it, and then is left where it is. */
function held(work: Work, state: { over: boolean }): Work {
	return async (sql) => {
		try {
			return await work(guarded(sql, state));
		} catch (error) {
			// `begin` has failed by itself then, or is about to; an answer would make it send a rollback.
			if (state.over || endsSession(error)) return new Promise<never>(() => {});
			throw error;
		}
	};
}

function guarded(sql: TransactionSql, state: { over: boolean }): TransactionSql {
	const demandSession = (): void => {
		if (state.over) throw new SessionEnded();
	};
	return new Proxy(sql, {
		apply(target, self, args) {
			demandSession();
			return Reflect.apply(target, self, args);
		},
		get(target, key, receiver) {
			if (key === "unsafe")
				return (...args: Parameters<TransactionSql["unsafe"]>) => {
					demandSession();
					return target.unsafe(...args);
				};
			if (key === "savepoint")
				return (...args: unknown[]) => {
					demandSession();
					const inner = held(args.pop() as Work, state);
					return (target.savepoint as (...args: unknown[]) => Promise<unknown>)(...args, inner);
				};
			return Reflect.get(target, key, receiver);
		},
	});
}

/** The client's own words for a lost connection, and the operating system's. */
const LOST = /^(CONNECTION_|CONNECT_TIMEOUT$|ECONN|EPIPE$|ETIMEDOUT$)/;

/** Whether the error came with the end of the session. Causes are looked into: Drizzle wraps what it meets. */
function endsSession(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const { code, severity } = error as { code?: unknown; severity?: unknown };
	if (severity === "FATAL" || severity === "PANIC" || error instanceof SessionEnded) return true;
	return (typeof code === "string" && LOST.test(code)) || endsSession(error.cause);
}
