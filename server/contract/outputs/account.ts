import { z } from "zod";
import { ROLES } from "#server/domain/vocabulary.ts";
import { instant } from "../parts.ts";

export const tokenSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		owner: z.object({
			id: z.string(),
			name: z.string(),
			service: z.boolean(),
		}),
		scopes: z.array(z.string()).nullable(),
		approvalAboveUsd: z.number().nullable().meta({ description: "Its jobs need approval above this estimated cost; null: no limit." }),
		createdAt: instant,
		expiresAt: instant.nullable(),
		lastUsedAt: instant.nullable(),
	})
	.meta({ id: "Token" });

export const teamSchema = z
	.object({
		name: z.string(),
		title: z.string().nullable(),
		costCenter: z.string().nullable(),
		parent: z.string().nullable(),
		members: z.number(),
	})
	.meta({ id: "Team" });

export const accountSchema = z
	.object({
		id: z.string(),
		email: z.string(),
		name: z.string(),
		role: z.enum(ROLES).meta({ description: "The built-in role; for a custom role, the one that it restricts." }),
		customRole: z.string().nullable(),
		teams: z.array(z.string()),
		kind: z.enum(["person", "service", "demo"]),
		hasPassword: z.boolean(),
		disabledAt: instant.nullable(),
		invitedUntil: z.string().nullable(),
		identities: z.array(
			z.object({
				id: z.string(),
				issuer: z.string(),
				subject: z.string(),
				email: z.string(),
				linkedAt: instant.nullable(),
				lastSignInAt: instant.nullable(),
			}),
		),
	})
	.meta({ id: "Account" });
