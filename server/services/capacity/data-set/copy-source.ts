import { and, eq, isNotNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { isHome } from "#server/scheduling/copy-ahead.ts";
import { readDataSets } from "./read-lists.ts";

/** An address that the scheduler can read. */
export interface CopySource {
	uri: string;
	/** The time of its data; null: it is the set itself, as it is now. */
	asOf: Date | null;
}

/** Where a copy is read: the listed copy at its source, or the one that Spillway made there. Null if neither exists any more. */
export async function findCopySource(
	db: DbOrTx,
	{ uri, fromPlace }: { uri: string; fromPlace: string | null },
): Promise<CopySource | null> {
	const set = (await readDataSets(db)).find((known) => known.uri === uri);
	const listed = set?.copies.find(({ at }) => (fromPlace === null ? isHome(at) : at === fromPlace));
	const address = listed && (listed.readUri ?? (isHome(listed.at) ? listed.uri : undefined));
	if (address !== undefined) return { uri: address, asOf: null };
	if (fromPlace === null) return null;
	const [made] = await db
		.select({ uri: dataCopy.writeUri, asOf: dataCopy.asOfAt })
		.from(dataCopy)
		.where(and(eq(dataCopy.uri, uri), eq(dataCopy.place, fromPlace), isNotNull(dataCopy.asOfAt)));
	return made ?? null;
}
