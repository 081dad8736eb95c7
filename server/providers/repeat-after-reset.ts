/** Node's socket error codes for a connection that the other end closed. */
const RESET_CODES = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Retries the request once immediately if the connection was closed before a response arrived: the other end may close an idle
 * connection at the moment it is reused. For reads only, which change nothing (RFC 9110, section 9.2.2).
 */
export async function repeatAfterReset<T>(read: () => Promise<T>): Promise<T> {
	try {
		return await read();
	} catch (error) {
		if (!isReset(error)) throw error;
		return await read();
	}
}

/** The libraries wrap the socket's error, one of them twice. */
function isReset(error: unknown): boolean {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if ("code" in cause && RESET_CODES.has(String(cause.code))) return true;
	}
	return false;
}
