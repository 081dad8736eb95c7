import type { ReservedSql, Sql } from "postgres";

/** Any constant: the scheduler that holds this advisory lock is the leader. */
const LEADER_LOCK = 727_010;

/**
 * Waits until this process is the leader. The lock belongs to one connection: when the process or its connection dies,
 * PostgreSQL frees it at once and another scheduler takes over.
 */
export async function becomeLeader(sql: Sql, options: { retryMs: number; signal: AbortSignal }): Promise<Leadership | null> {
	while (!options.signal.aborted) {
		const connection = await sql.reserve();
		try {
			const [row] = await connection<{ got: boolean }[]>`select pg_try_advisory_lock(${LEADER_LOCK}) as got`;
			if (row?.got) return new Leadership(connection);
		} catch (error) {
			connection.release();
			throw error;
		}
		connection.release();
		await pause(options.retryMs, options.signal);
	}
	return null;
}

export class Leadership {
	readonly #connection: ReservedSql;
	constructor(connection: ReservedSql) {
		this.#connection = connection;
	}

	/** Whether the connection that holds the lock still lives; when not, this process must stop acting. */
	async stillHeld(): Promise<boolean> {
		try {
			const rows = await this.#connection`
				select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${LEADER_LOCK} and granted`;
			return rows.length > 0;
		} catch {
			return false;
		}
	}

	async resign(): Promise<void> {
		try {
			await this.#connection`select pg_advisory_unlock(${LEADER_LOCK})`;
		} finally {
			this.#connection.release();
		}
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
