import { z } from "zod";
import { LAST_INSTANT_MS } from "#server/kernel/units.ts";

// Schemas shared by most operations. JSON has no 64-bit integers, so amounts are strings.

/** A whole number of any size as a decimal text: micro-dollars, milliwatt-hours, milligrams, GPU-milliseconds. */
export const integerText = z.string().regex(/^-?\d+$/);

/** ISO 8601 in UTC. */
export const instant = z.string().meta({ format: "date-time" });

/** UTC, in ms from 1970 to the end of year 9999: the range of times in requests. */
export const instantMs = z.number().int().min(0).max(LAST_INSTANT_MS);

export const entityId = z.string().min(1).max(64);

export const byId = z.strictObject({ id: entityId });

/** A page of a list; pass `nextCursor` to get the next one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });
