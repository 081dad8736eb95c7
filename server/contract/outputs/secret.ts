import { z } from "zod";
import { instant } from "../parts.ts";

export const secretSchema = z
	.object({
		team: z.string(),
		name: z.string(),
		source: z.discriminatedUnion("kind", [
			z.object({ kind: z.literal("stored") }),
			z.object({ kind: z.literal("file"), path: z.string() }),
			z.object({ kind: z.literal("vault"), path: z.string(), key: z.string() }),
		]),
		version: z.number(),
		createdAt: instant,
		changedAt: instant,
		changedBy: z.string(),
		lastUsedAt: instant.nullable(),
	})
	.meta({ id: "Secret" });
