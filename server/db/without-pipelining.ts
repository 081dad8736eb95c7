import type { Sql } from "postgres";

type Unsafe = Sql["unsafe"];

/** postgres sends no further query on a connection while a query runs there for which this returns false. */
const ALONE = { onexecute: () => false };

/**
 * Sends the next statement on a connection only after the previous one was answered. A pooler in transaction mode may
 * hand the server connection to another client after the first answer. pgbouncer 1.18 then loses the answer to a
 * second statement already in flight, which waits forever. `max_pipeline: 1` still allows one statement ahead.
 * Statements in a transaction are not affected, because a transaction keeps its server. Modifies the client.
 */
export function withoutPipelining<C extends Sql>(client: C): C {
	const { unsafe } = client;
	const alone: Unsafe = (text, parameters = [], options = {}) => unsafe(text, parameters, { ...ALONE, ...options });
	return Object.assign(client, { unsafe: alone });
}
