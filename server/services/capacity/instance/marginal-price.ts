import { sql } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";

/** What an hour of a machine adds to what is paid anyway, µ$: its price, and of reserved capacity the marginal one of its offer. */
export const MARGINAL_PRICE = sql`case when ${instance.capacityType} = 'reserved' then (${instance.offer}->>'microUsdPerHour')::bigint else ${instance.microUsdPerHour} end`;
