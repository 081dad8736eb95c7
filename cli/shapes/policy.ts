import { z } from "zod";

const problem = z.looseObject({
	severity: z.enum(["error", "warning"]),
	line: z.number(),
	column: z.number(),
	message: z.string(),
	fix: z.string().nullable(),
});
export type ProblemShape = z.infer<typeof problem>;

const side = z.looseObject({ sentence: z.array(z.looseObject({ text: z.string() })) }).nullable();
const diff = z.looseObject({
	changes: z
		.array(z.looseObject({ kind: z.enum(["added", "removed", "changed", "moved"]), id: z.string(), before: side, after: side }))
		.nullable(),
	lines: z.array(z.looseObject({ kind: z.enum(["same", "removed", "added"]), lines: z.array(z.string()) })),
});
export type DiffShape = z.infer<typeof diff>;
export const diffShape = diff;

export const inForceShape = z.looseObject({ version: z.number(), etag: z.string(), source: z.string(), managedBy: z.unknown() });
export const checkShape = z.looseObject({
	ok: z.boolean(),
	problems: z.array(problem),
	published: z.looseObject({ version: z.number(), ...diff.shape }).nullable(),
});
export const publishedShape = z.looseObject({
	outcome: z.enum(["published", "unchanged", "proposed"]),
	version: z.number(),
	proposalId: z.string().nullable(),
	warnings: z.array(problem),
});
export const versionsShape = z.looseObject({
	items: z.array(
		z.looseObject({
			version: z.number(),
			authorName: z.string(),
			message: z.string(),
			createdAt: z.string(),
			baseVersion: z.number().nullable(),
			inForce: z.boolean(),
			origin: z.looseObject({ kind: z.string() }).nullable(),
			publications: z.array(
				z.looseObject({ kind: z.enum(["publish", "rollback"]), at: z.string(), byName: z.string(), approvedByName: z.string().nullable() }),
			),
		}),
	),
	nextBefore: z.number().nullable(),
});
const shadowChoice = z.looseObject({ sentence: z.string(), costMicroUsd: z.string().regex(/^\d+$/) });
export type ShadowChoiceShape = z.infer<typeof shadowChoice>;
export const shadowShape = z.looseObject({
	id: z.string(),
	baseVersion: z.number(),
	startedAt: z.string(),
	startedBy: z.string(),
	stoppedAt: z.string().nullable(),
	decided: z.number(),
	agreed: z.number(),
	publishedMicroUsd: z.string().regex(/^\d+$/),
	draftMicroUsd: z.string().regex(/^\d+$/),
	differences: z.array(z.looseObject({ name: z.string(), team: z.string(), published: shadowChoice, draft: shadowChoice })),
});
export type ShadowShape = z.infer<typeof shadowShape>;
export const unmanagedShape = z.looseObject({ wasManagedBy: z.looseObject({ repository: z.string(), path: z.string() }).nullable() });
export type VersionShape = z.infer<typeof versionsShape>["items"][number];

export const policyShape = z.looseObject({
	name: z.string(),
	version: z.number(),
	source: z.string(),
	author: z.string(),
	message: z.string(),
	publishedAt: z.string(),
	warnings: z
		.array(z.looseObject({ severity: z.string(), line: z.number(), column: z.number(), message: z.string(), fix: z.string().nullable() }))
		.default([]),
});
