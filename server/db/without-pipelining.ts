import type { Sql } from "postgres";

type Unsafe = Sql["unsafe"];

/** postgres sends no further query on a connection while one runs there for which this answers false. */
const ALONE = { onexecute: () => false };

/**
 * Sends the next statement on a connection only when the one before has been answered. A pooler in transaction mode may give the
 * connection's server to another client after the first answer: pgbouncer 1.18 then loses the answer to a second statement that
 * was already on its way, which then waits without limit. `max_pipeline: 1` still allows one statement in advance. Statements of a
 * transaction are not affected: it keeps its server. Modifies the client.
 */
export function withoutPipelining<C extends Sql>(client: C): C {
	const { unsafe } = client;
	const alone: Unsafe = (text, parameters = [], options = {}) => unsafe(text, parameters, { ...ALONE, ...options });
	return Object.assign(client, { unsafe: alone });
}
