import { eq, inArray, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import { policy } from "#server/db/schema/policy.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import { setting } from "#server/db/schema/setting.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { defined } from "#server/kernel/assert.ts";
import { FOREIGN_VERSION } from "#server/services/capacity/foreign-job/waiting.ts";
import { warmMachines } from "#server/services/capacity/instance/warm-machines.ts";
import { versionOf } from "#server/services/core/kept-read.ts";
import { ZONE_SETTING } from "#server/services/core/ledger-calendar.ts";
import { OFFER_INPUTS, type OfferInputs } from "#server/services/pricing/offer/offers-as-read.ts";
import { PENDING_LINES } from "./pending-rows.ts";

/** What a snapshot may have to read again. Versions are null when there are no rows. */
export interface Versions extends OfferInputs {
	policy: string | null;
	sites: string | null;
	pools: string | null;
	allocations: string | null;
	budgets: string | null;
	zone: string | null;
	foreign: string;
	pending: string | null;
	hasLive: boolean;
	hasWarm: boolean;
	hasCards: boolean;
}

/** One statement, so that a cycle without changes reads nothing else. */
export async function readVersions(tx: Tx): Promise<Versions> {
	const [row] = await tx.execute<Versions & Record<string, unknown>>(sql`select
		${versionOf(policy)} as policy,
		${versionOf(site)} as sites,
		${versionOf(pool)} as pools,
		${versionOf(allocation, isNull(allocation.endedAt))} as allocations,
		${versionOf(budgetPeriod)} as budgets,
		${versionOf(setting, eq(setting.key, sql.raw(`'${ZONE_SETTING}'`)))} as zone,
		${FOREIGN_VERSION} as foreign,
		${PENDING_LINES} as pending,
		exists (select from ${attempt} where ${inArray(attempt.state, [...LIVE_ATTEMPT_STATES])}) as "hasLive",
		exists (select from ${instance} where ${warmMachines()}) as "hasWarm",
		exists (select from ${rateCard}) as "hasCards",
		${OFFER_INPUTS}`);
	return defined(row, "row of a select without a table");
}
