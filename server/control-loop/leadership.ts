import type { Sql } from "postgres";

/** Any constant: the scheduler that holds this advisory lock is the leader. */
const LEADER_LOCK = 727_010;

/**
 * Waits until this process is the leader. The lock belongs to the one connection of `sql`: when the process or the
 * connection dies, PostgreSQL frees it at once and another scheduler takes over. Ends the client when it gives up.
 */
export async function becomeLeader(sql: Sql, options: { retryMs: number; signal: AbortSignal }): Promise<Leadership | null> {
	try {
		while (!options.signal.aborted) {
			const [row] = await sql<{ got: boolean }[]>`select pg_try_advisory_lock(${LEADER_LOCK}) as got`;
			if (row?.got) return new Leadership(sql);
			await pause(options.retryMs, options.signal);
		}
	} catch (error) {
		await sql.end({ timeout: 1 });
		throw error;
	}
	await sql.end({ timeout: 1 });
	return null;
}

export class Leadership {
	readonly #sql: Sql;
	constructor(sql: Sql) {
		this.#sql = sql;
	}

	/** False when the connection died: the client has a new one then, which does not hold the lock. */
	async stillHeld(): Promise<boolean> {
		try {
			const rows = await this.#sql`
				select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${LEADER_LOCK} and granted`;
			return rows.length > 0;
		} catch {
			return false;
		}
	}

	/** The lock goes with the connection. */
	async resign(): Promise<void> {
		await this.#sql.end({ timeout: 1 });
	}
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const timer = setTimeout(done, ms);
		function done(): void {
			clearTimeout(timer);
			signal?.removeEventListener("abort", done);
			resolve();
		}
		signal?.addEventListener("abort", done);
	});
}
