import { readFile, stat } from "node:fs/promises";
import { and, eq, isNotNull } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import { siteVariable } from "#server/env.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { CredentialKeys } from "./credential-keys.ts";
import type { SiteRow } from "./row.ts";

/** Larger than any key file. */
const FILE_BYTES_MAX = 64 * 1024;
const objectSchema = z.record(z.string(), z.unknown());

/**
 * The credentials of a site in the form its driver takes; null when the provider's own SDK finds them.
 * @throws SpillwayError `precondition_failed` when they cannot be read; the message contains no part of them
 */
export async function credentialsOf(
	keys: CredentialKeys,
	row: Pick<SiteRow, "id" | "credentialSource" | "sealedCredentials">,
): Promise<Record<string, unknown> | null> {
	const source = row.credentialSource ?? { kind: "chain" };
	switch (source.kind) {
		case "chain":
			return null;
		case "stored":
			if (row.sealedCredentials === null) throw missing("None are stored", "Enter them again.");
			return objectSchema.parse(JSON.parse(keys.open(row.id, row.sealedCredentials)));
		case "file":
			return parse(await readCredentialFile(source.path), `the file ${source.path}`);
		case "environment": {
			const text = siteVariable(source.name);
			if (text === undefined)
				throw missing(`the variable ${source.name} is not set where Spillway runs`, "Set it and start Spillway again.");
			return parse(text, `the variable ${source.name}`);
		}
	}
}

/** Reseals credentials sealed under a key other than the first. Returns how many: afterwards that key may be deleted. */
export async function resealCredentials(db: Db, keys: CredentialKeys): Promise<number> {
	const rows = await db.select({ id: site.id, box: site.sealedCredentials }).from(site).where(isNotNull(site.sealedCredentials));
	let count = 0;
	for (const { id, box } of rows) {
		if (box === null || !keys.isOld(box)) continue;
		const sealed = keys.seal(id, keys.open(id, box));
		// Other credentials may have been entered meanwhile.
		const done = await db
			.update(site)
			.set({ sealedCredentials: sealed })
			.where(and(eq(site.id, id), eq(site.sealedCredentials, box)))
			.returning({ id: site.id });
		count += done.length;
	}
	return count;
}

async function readCredentialFile(file: string): Promise<string> {
	try {
		const found = await stat(file);
		// A device reports no size and never ends; a pipe blocks.
		if (!found.isFile()) throw missing(`${file} is no regular file`, "Name another one.");
		if (found.size > FILE_BYTES_MAX) throw missing(`the file ${file} is larger than ${FILE_BYTES_MAX} bytes`, "Name another one.");
		return await readFile(file, "utf8");
	} catch (cause) {
		if (cause instanceof SpillwayError) throw cause;
		const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
		throw missing(`the file ${file} cannot be read${code}`, "Make sure that it exists and that Spillway's user can read it.");
	}
}

function parse(text: string, from: string): Record<string, unknown> {
	// JSON.parse would quote the text in its error.
	let json: unknown = null;
	try {
		json = JSON.parse(text);
	} catch {
		json = null;
	}
	const result = objectSchema.safeParse(json);
	if (result.success) return result.data;
	throw missing(`${from} holds no JSON object`, "Write the credentials into it as docs/providers says for this provider.");
}

function missing(why: string, fix: string): SpillwayError {
	return new SpillwayError("precondition_failed", `Could not read the site's credentials: ${why}.`, { fix });
}
