import type { DbOrTx } from "#server/db/client.ts";
import { env } from "#server/env.ts";
import type { DataView as KnownData } from "#server/scheduling/types.ts";
import { readInboundSpeeds } from "./inbound-speeds.ts";
import { readDataSets } from "./list.ts";

/**
 * Where data sets lie and how fast they move, as the core sees it; undefined while nothing is known. `before` is answered again
 * as long as it says the same: what was worked out with it then still holds.
 */
export async function readDataView(db: DbOrTx, nowMs: number, before: KnownData | undefined): Promise<KnownData | undefined> {
	const sets = await readDataSets(db);
	const inboundMiBPerS = await readInboundSpeeds(db, nowMs);
	const filesStayHome = !isOneHost();
	if (!filesStayHome && sets.length === 0 && inboundMiBPerS.size === 0) return undefined;
	const replicas = new Map(sets.map(({ uri, copies }) => [uri, copies.map(({ at }) => at)]));
	const same = before !== undefined && JSON.stringify([...before.replicas]) === JSON.stringify([...replicas]);
	return { replicas: same ? before.replicas : replicas, inboundMiBPerS, filesStayHome };
}

/** The machines of emulated clouds are processes of this host. */
function isOneHost(): boolean {
	const { SPILLWAY_AWS_ENDPOINT, SPILLWAY_AZURE_ENDPOINT, SPILLWAY_GCP_ENDPOINT } = env();
	return [SPILLWAY_AWS_ENDPOINT, SPILLWAY_AZURE_ENDPOINT, SPILLWAY_GCP_ENDPOINT].some((endpoint) => endpoint !== undefined);
}
