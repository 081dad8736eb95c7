import type { Sql, TransactionSql } from "postgres";
import { hasCause, isDatabaseAway } from "#server/kernel/database-failures.ts";

/** Thrown into a transaction that continues after its session has ended. */
class SessionEnded extends Error {
	override name = "SessionEnded";
	constructor() {
		super("the session of this transaction has ended, and the transaction with it");
	}
}

type Work = (sql: TransactionSql) => unknown;

/**
 * Makes a transaction fail as a whole when its session ends (restart, failover or an administrator). By itself, postgres
 * 3.4.9 sends the rollback and further statements to a closed connection, which ends the process with "Cannot read
 * properties of null (reading 'write')", or to a new session, which commits the rest without the beginning.
 * Modifies the client.
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

/** Runs the work, which gets an error instead of writing to an ended session. */
function held(work: Work, state: { over: boolean }): Work {
	return async (sql) => {
		try {
			return await work(guarded(sql, state));
		} catch (error) {
			// `begin` fails on its own; settling here would make it send a rollback.
			if (state.over || endsSession(error)) return new Promise<never>(() => {});
			throw error;
		}
	};
}

function guarded(sql: TransactionSql, state: { over: boolean }): TransactionSql {
	const requireSession = (): void => {
		if (state.over) throw new SessionEnded();
	};
	return new Proxy(sql, {
		apply(target, self, args) {
			requireSession();
			return Reflect.apply(target, self, args);
		},
		get(target, key, receiver) {
			if (key === "unsafe")
				return (...args: Parameters<TransactionSql["unsafe"]>) => {
					requireSession();
					return target.unsafe(...args);
				};
			if (key === "savepoint")
				return (...args: unknown[]) => {
					requireSession();
					const inner = held(args.pop() as Work, state);
					return (target.savepoint as (...args: unknown[]) => Promise<unknown>)(...args, inner);
				};
			return Reflect.get(target, key, receiver);
		},
	});
}

/** Whether the session ended. */
function endsSession(error: unknown): boolean {
	return isDatabaseAway(error) || hasCause(error, (e) => e instanceof SessionEnded);
}
