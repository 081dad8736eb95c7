import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { problemOf } from "./problem.ts";
import { sendProblem } from "./rest/handler.ts";

/** Sends a problem document and closes the connection, because its body may be unread. */
export function refuse(res: ServerResponse, error: unknown): void {
	res.shouldKeepAlive = false;
	sendProblem(res, problemOf(error, randomUUID()), error);
}
