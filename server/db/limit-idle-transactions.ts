import type { Sql, TransactionSql } from "postgres";

type Work = (sql: TransactionSql) => unknown;

/**
 * Limits how long the server waits for the next statement of a transaction, in each transaction: a pooler accepts no such setting for a
 * session. Modifies the client.
 */
export function limitIdleTransactions<C extends Sql>(client: C, silentMaxMs: number): C {
	const begin = client.begin.bind(client) as (...args: unknown[]) => Promise<unknown>;
	const limited = (...args: unknown[]): Promise<unknown> => {
		const work = args.pop() as Work;
		return begin(...args, async (sql: TransactionSql) => {
			// Not set_config(): a query may not precede the choice of an isolation level.
			await sql.unsafe(`set local idle_in_transaction_session_timeout = ${Math.round(silentMaxMs)}`);
			return work(sql);
		});
	};
	return Object.assign(client, { begin: limited });
}
