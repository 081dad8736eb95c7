import { sql } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";

/** Marginal cost of an hour of a machine, µ$: its price; for reserved capacity, the marginal price of its offer. */
export const MARGINAL_PRICE = sql`case when ${instance.capacityType} = 'reserved' then (${instance.offer}->>'microUsdPerHour')::bigint else ${instance.microUsdPerHour} end`;
