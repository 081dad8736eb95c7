import { z } from "zod";
import { instant } from "../parts.ts";

export const auditLineSchema = z
	.object({
		id: z.number(),
		at: z.string(),
		actor: z.string(),
		actorName: z.string().nullable(),
		action: z.string(),
		subject: z.string(),
		before: z.unknown(),
		after: z.unknown(),
		requestId: z.string().nullable(),
		via: z.enum(["session", "token"]).nullable(),
		source: z.string().nullable(),
		seal: z
			.object({
				sequence: z.number(),
				hash: z.string(),
			})
			.nullable(),
	})
	.meta({ id: "AuditLine" });

export const chainHeadSchema = z
	.object({
		sequence: z.number(),
		hash: z.string(),
		sealedAt: instant,
	})
	.meta({ id: "ChainHead" });

export const chainStateSchema = z
	.object({
		head: chainHeadSchema.nullable(),
		lastCheck: z
			.object({
				checkedAtMs: z.number(),
				verified: z.object({
					sequence: z.number(),
					hash: z.string(),
				}),
				fullAtMs: z.number(),
				broken: z
					.object({
						kind: z.enum(["changed_line", "changed_seal", "missing_line", "missing_seal", "unsealed_line", "sealed_twice", "cut_tail"]),
						sequence: z.number().nullable(),
						auditId: z.number().nullable(),
					})
					.nullable(),
				sentence: z.string().nullable(),
			})
			.nullable(),
	})
	.meta({ id: "ChainState" });

export const chainBreakSchema = z
	.object({
		kind: z.enum(["changed_line", "changed_seal", "missing_line", "missing_seal", "unsealed_line", "sealed_twice", "cut_tail"]),
		sequence: z.number().nullable(),
		auditId: z.number().nullable(),
	})
	.meta({ id: "ChainBreak" });

export const chainPositionSchema = z
	.object({
		sequence: z.number(),
		hash: z.string(),
	})
	.meta({ id: "ChainPosition" });

export const verificationSchema = z
	.object({
		broken: chainBreakSchema.nullable(),
		verified: chainPositionSchema,
		seals: z.number(),
		headFound: z.boolean().nullable(),
	})
	.meta({ id: "Verification" });

/** Progress, then the result. */
export const verificationLineSchema = z.union([
	z.object({ seals: z.number() }),
	z.object({ result: verificationSchema.extend({ sentence: z.string().nullable() }) }),
]);
