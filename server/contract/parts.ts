import { z } from "zod";

// Schemas that most operations use. JSON has no 64-bit integers, so amounts are texts.

/** A whole number of any size as a decimal text: micro-dollars, milliwatt-hours, milligrams, GPU-milliseconds. */
export const integerText = z.string().regex(/^-?\d+$/);

/** ISO 8601 in UTC. */
export const instant = z.string().meta({ format: "date-time" });

export const entityId = z.string().min(1).max(64);

export const byId = z.strictObject({ id: entityId });

/** A page of a list; `nextCursor` asks for the next one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });
