import { z } from "zod";

// What the human output reads of the API's answers, an entity a file. Unknown fields are a newer server's and pass.

export const micro = z.string().regex(/^-?\d+$/);

export const time = z.string().nullable();

export const placement = z.looseObject({
	siteId: z.string(),
	provider: z.string(),
	region: z.string().nullable(),
	zone: z.string().nullable(),
	capacityType: z.string(),
	instanceType: z.string().nullable(),
	accelerator: z.string().nullable(),
});

export const reason = z.looseObject({ code: z.string(), message: z.string() });

export const range = z.looseObject({ p50Ms: z.number(), p90Ms: z.number() });

export const pageOf = <T extends z.ZodType>(item: T) => z.looseObject({ items: z.array(item), nextCursor: z.string().nullable() });
