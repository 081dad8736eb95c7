import type { IncomingMessage } from "node:http";
import { SpillwayError } from "#server/kernel/errors.ts";

const TAG = /(W\/)?"([^"\s]*)"/g;

/** A list of entity tags (RFC 9110, 13.1). `strong`: weak ones never match. */
function tagsOf(header: string, strong: boolean): string[] {
	return [...header.matchAll(TAG)].filter(([, weak]) => !strong || weak === undefined).map(([, , tag]) => `"${tag}"`);
}

/** True when If-None-Match of a GET matches the current version, so that it need not be sent again. */
export function notModified({ headers }: IncomingMessage, etag: string): boolean {
	const given = headers["if-none-match"];
	return given !== undefined && (given.trim() === "*" || tagsOf(given, false).includes(etag));
}

/**
 * The version that a PUT is based on, from its If-Match; 0 for `If-None-Match: *`, which requires that none exists.
 * `current` is null when there is none.
 * @throws SpillwayError `precondition_required` (428) without either; `precondition_failed` (412) when the tag names
 * the
 *   version in force with another text, or no version at all
 */
export function baseVersionOf({ headers }: IncomingMessage, current: { version: number; etag: string } | null): number {
	const match = headers["if-match"];
	if (match === undefined) {
		if (headers["if-none-match"]?.trim() === "*") return 0;
		throw new SpillwayError("precondition_required", "The request has no If-Match or If-None-Match header.", {
			fix: 'Send If-Match with the ETag from GET, or "If-None-Match: *" for a first version.',
		});
	}
	if (match.trim() === "*") return current?.version ?? -1;
	const tags = tagsOf(match, true);
	if (current && tags.includes(current.etag)) return current.version;
	// For an older version, publishing reports who has published since.
	const versions = tags.map((tag) => Number(/^"v(\d{1,9})-[0-9a-f]{16}"$/.exec(tag)?.[1] ?? Number.NaN));
	const older = versions.find((version) => current === null || version !== current.version);
	if (older !== undefined && !Number.isNaN(older)) return older;
	throw new SpillwayError("precondition_failed", `If-Match names ${match.slice(0, 80)}, which is not the current version.`, {
		fix: `Send the ETag from GET${current ? `, which is ${current.etag} now` : ""}.`,
	});
}
