import { z } from "zod";

/** A trigger as text, so that problems have a line and column, or as a document. */
export const createTriggerInput = z.strictObject({ text: z.string().optional(), document: z.unknown().optional() });

export const enableTriggerInput = z.strictObject({ enabled: z.boolean().default(true) });

export const listTriggersInput = z.strictObject({ team: z.string().max(64).optional() });
