/** Error codes of the client and the operating system for a lost connection. */
const LOST = /^(CONNECTION_|CONNECT_TIMEOUT$|ECONN|EPIPE$|ETIMEDOUT$)/;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: disk_full. */
const DISK_FULL = "53100";

/** Whether an error, or one that it wraps, means that the database is unreachable or ended the session. Drizzle wraps errors. */
export function isDatabaseAway(error: unknown): boolean {
	return hasCause(error, ({ code, severity }) => severity === "FATAL" || severity === "PANIC" || (isText(code) && LOST.test(code)));
}

/** Whether the database or the operating system had no room to write. */
export function isDiskFull(error: unknown): boolean {
	return hasCause(error, ({ code }) => code === DISK_FULL || code === "ENOSPC" || code === "EDQUOT");
}

/**
 * Rejections of a value from the request: numbers and times out of range, NUL, a lone surrogate.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html, class 22.
 */
const UNSTORABLE = new Set(["22003", "22007", "22008", "22009", "22021", "22P02", "22P05"]);

/** Whether the database rejected a value because no column can store it. */
export function isUnstorable(error: unknown): boolean {
	return hasCause(error, ({ code }) => isText(code) && UNSTORABLE.has(code));
}

/**
 * Two requests wrote the same data concurrently: serialization failure, deadlock, and a row that another request added
 * or deleted between this one's check and its write (foreign key, unique key). Classes 40 and 23 of the same table.
 */
const OVERTAKEN = new Set(["40001", "40P01", "23503", "23505"]);

/** Whether the database rolled a transaction back because another one changed the same data. */
export function isOvertaken(error: unknown): boolean {
	return hasCause(error, ({ code }) => isText(code) && OVERTAKEN.has(code));
}

/** Whether an error or any of its causes matches. */
export function hasCause(error: unknown, matches: (error: Error & { code?: unknown; severity?: unknown }) => boolean): boolean {
	for (let e = error; e instanceof Error; e = e.cause) if (matches(e)) return true;
	return false;
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}
