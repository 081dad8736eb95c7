import { z } from "zod";
import { time } from "./parts.ts";

export const accountShape = z.looseObject({
	id: z.string(),
	email: z.string(),
	name: z.string(),
	role: z.string(),
	teams: z.array(z.string()),
	kind: z.string(),
	disabledAt: time,
	invitedUntil: time,
	identities: z.array(z.looseObject({ id: z.string(), linkedAt: time, lastSignInAt: time })),
});

export const teamShape = z.looseObject({
	name: z.string(),
	title: z.string().nullable(),
	costCenter: z.string().nullable(),
	parent: z.string().nullable(),
	members: z.number(),
});

export const tokenShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	owner: z.looseObject({ name: z.string() }),
	scopes: z.array(z.string()).nullable(),
	expiresAt: time,
	lastUsedAt: time,
});

export const createdTokenShape = z.looseObject({ id: z.string(), token: z.string(), expiresAt: z.string() });

export const createdShape = z.looseObject({ id: z.string() });
