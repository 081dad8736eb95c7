import type { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import { toDriverError } from "./errors.ts";

/** More pages than any account has. An endpoint that returns tokens forever is an error, not a loop. */
const PAGES_MAX = 2_000;

/**
 * Makes an SDK call.
 * @throws DriverError
 */
export async function callAws<T>(what: string, send: () => Promise<T>): Promise<T> {
	try {
		return await send();
	} catch (error) {
		throw toDriverError(error, what);
	}
}

/**
 * Returns all rows of all pages.
 * @throws DriverError
 */
export function readPages<P, T>(what: string, paginator: AsyncIterable<P>, rowsOf: (page: P) => T[] | undefined): Promise<T[]> {
	return callAws(what, async () => {
		const rows: T[] = [];
		let pages = 0;
		for await (const page of paginator) {
			pages += 1;
			if (pages > PAGES_MAX) throw notUnderstood(what, `more than ${PAGES_MAX} pages`);
			rows.push(...(rowsOf(page) ?? []));
		}
		return rows;
	});
}

export function parseAnswer<S extends z.ZodType>(what: string, schema: S, answer: unknown): z.output<S> {
	const result = schema.safeParse(answer);
	if (result.success) return result.data;
	const [first] = result.error.issues;
	throw notUnderstood(what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
}

/** An unreadable response says nothing about whether the call was executed. */
export function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `AWS: ${what}: could not parse the response (${why})`, { providerCode: "UnexpectedAnswer" });
}
