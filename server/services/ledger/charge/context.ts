import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";

/** Dependencies of the system's own ledger services. */
export interface LedgerContext {
	db: Db;
	clock: Clock;
}
