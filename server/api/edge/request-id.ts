import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's x-request-id, so that both logs use the same id; a new one without a usable header. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
	const given = headers["x-request-id"];
	return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}
