import type { Sql } from "postgres";

/** An arbitrary constant: the scheduler that holds this advisory lock is the leader. */
const LEADER_LOCK = 727_010;

/** A leader signals ten times in this time. After silence this long, its process, host or network has failed. */
export const SILENT_MAX_MS = 4_000;

/**
 * Waits until this process is the leader. The lock belongs to the single connection of `sql`. PostgreSQL releases it when the
 * process or connection ends, or after `silentMaxMs` without traffic; then another scheduler takes over. Ends the client
 * if it gives up.
 */
export async function becomeLeader(
	sql: Sql,
	options: { retryMs: number; signal: AbortSignal; silentMaxMs?: number },
): Promise<Leadership | null> {
	const silentMaxMs = options.silentMaxMs ?? SILENT_MAX_MS;
	try {
		while (!options.signal.aborted) {
			// A stopped process still answers TCP, and a host without power closes no connection. Without this both would lead for
			// hours.
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
		// During the whole term: a process that starts or ends slowly is alive.
		this.#beat = setInterval(() => void this.stillHeld(), silentMaxMs / 10).unref();
	}

	/** False if the connection was lost: the client then has a new one, without the lock. */
	async stillHeld(): Promise<boolean> {
		try {
			const rows = await this.#sql`
				select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${LEADER_LOCK} and granted`;
			return rows.length > 0;
		} catch {
			return false;
		}
	}

	/** Ending the connection releases the lock. */
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
