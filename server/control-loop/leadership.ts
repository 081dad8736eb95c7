import type { Sql } from "postgres";

/** Any constant: the scheduler that holds this advisory lock is the leader. */
const LEADER_LOCK = 727_010;

/** A leader shows itself ten times in it; one that has not for so long stands still, or its host or network is gone. */
const SILENT_MAX_MS = 20_000;

/**
 * Waits until this process is the leader. The lock belongs to the one connection of `sql`: when the process or the
 * connection dies, PostgreSQL frees it at once, and when nothing is heard on it any more, after `silentMaxMs`. Another scheduler
 * takes over then. Ends the client when it gives up.
 */
export async function becomeLeader(
	sql: Sql,
	options: { retryMs: number; signal: AbortSignal; silentMaxMs?: number },
): Promise<Leadership | null> {
	const silentMaxMs = options.silentMaxMs ?? SILENT_MAX_MS;
	try {
		while (!options.signal.aborted) {
			// A process that is stopped answers TCP still, and a host that lost its power says no goodbye: else both would lead for hours.
			const [row] = await sql<{ got: boolean }[]>`
				select set_config('idle_session_timeout', ${`${silentMaxMs}`}, false), set_config('tcp_user_timeout', ${`${silentMaxMs}`}, false),
					set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '5', false),
					set_config('tcp_keepalives_count', '3', false), pg_try_advisory_lock(${LEADER_LOCK}) as got`;
			if (row?.got) return new Leadership(sql, silentMaxMs);
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
	readonly #beat: NodeJS.Timeout;
	constructor(sql: Sql, silentMaxMs: number) {
		this.#sql = sql;
		// From the first moment to the last: a term that takes long to begin, or to end, is one of a process that lives.
		this.#beat = setInterval(() => void this.stillHeld(), silentMaxMs / 10).unref();
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
		clearInterval(this.#beat);
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
