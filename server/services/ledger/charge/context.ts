import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";

/** What the system's own ledger services need. */
export interface LedgerContext {
	db: Db;
	clock: Clock;
}
