import { z } from "zod";
import { instant, integerText } from "../parts.ts";

export const policyManagedBySchema = z
	.object({
		kind: z.literal("git"),
		repository: z.string(),
		path: z.string(),
	})
	.meta({ id: "PolicyManagedBy" });

export const policyNameSchema = z
	.object({
		name: z.string(),
		activeVersion: z.number(),
		managedBy: policyManagedBySchema.nullable(),
	})
	.meta({ id: "PolicyName" });

export const segmentSchema = z
	.object({
		text: z.string(),
		value: z.boolean().optional(),
	})
	.meta({ id: "Segment" });

export const descriptionSchema = z
	.object({
		id: z.string(),
		line: z.number().nullable(),
		group: z.enum(["burst", "move", "defer", "limit", "remove", "ask", "room", "prefer"]),
		sentence: z.array(segmentSchema),
	})
	.meta({ id: "Description" });

export const policyProblemSchema = z
	.object({
		severity: z.enum(["error", "warning"]),
		line: z.number(),
		column: z.number(),
		message: z.string(),
		fix: z.string().nullable(),
	})
	.meta({ id: "PolicyProblem" });

export const policySchema = z
	.object({
		name: z.string(),
		version: z.number(),
		etag: z.string(),
		source: z.string(),
		author: z.string(),
		authorName: z.string(),
		message: z.string(),
		publishedAt: instant,
		rolledBack: z.boolean(),
		origin: z
			.discriminatedUnion("kind", [
				z.object({
					kind: z.enum(["browser", "api", "cli", "seed"]),
				}),
				z.object({
					kind: z.literal("git"),
					repository: z.string(),
					commit: z.string(),
					path: z.string(),
				}),
			])
			.nullable(),
		managedBy: policyManagedBySchema.nullable(),
		rules: z.array(descriptionSchema),
		sentences: z.array(descriptionSchema),
		budgets: z.array(
			z.object({
				id: z.string(),
				scope: z.string(),
				period: z.string(),
				capMicroUsd: integerText,
				atCap: z.string(),
			}),
		),
		weights: z.object({
			delayMicroUsdPerHour: integerText,
			carbonMicroUsdPerTonne: integerText,
			/** What a GPU-hour of expected work costs a job in the queue order, in hours of waiting. */
			pointsPerGpuHour: z.number(),
		}),
		warnings: z.array(policyProblemSchema),
		versions: z.array(
			z.object({
				version: z.number(),
				author: z.string(),
				authorName: z.string(),
				message: z.string(),
				createdAt: instant,
			}),
		),
	})
	.meta({ id: "Policy" });

export const publishedSchema = z
	.object({
		outcome: z.enum(["published", "unchanged", "proposed"]),
		version: z.number(),
		proposalId: z.string().nullable(),
		warnings: z.array(policyProblemSchema),
	})
	.meta({ id: "Published" });

export const publicationSchema = z
	.object({
		id: z.string(),
		kind: z.enum(["publish", "rollback"]),
		at: z.string(),
		by: z.string(),
		byName: z.string(),
		approvedBy: z.string().nullable(),
		approvedByName: z.string().nullable(),
		backtestId: z.string().nullable(),
		noBacktestReason: z.string().nullable(),
	})
	.meta({ id: "Publication" });

export const versionSchema = z
	.object({
		version: z.number(),
		author: z.string(),
		authorName: z.string(),
		message: z.string(),
		createdAt: instant,
		baseVersion: z.number().nullable(),
		origin: z
			.discriminatedUnion("kind", [
				z.object({
					kind: z.enum(["browser", "api", "cli", "seed"]),
				}),
				z.object({
					kind: z.literal("git"),
					repository: z.string(),
					commit: z.string(),
					path: z.string(),
				}),
			])
			.nullable(),
		inForce: z.boolean(),
		publications: z.array(publicationSchema),
	})
	.meta({ id: "Version" });

export const versionDetailSchema = versionSchema
	.extend({
		name: z.string(),
		source: z.string(),
		etag: z.string(),
		sentences: z.array(descriptionSchema).nullable(),
	})
	.meta({ id: "VersionDetail" });

export const policyChangeSchema = z
	.object({
		kind: z.enum(["changed", "removed", "added", "moved"]),
		id: z.string(),
		group: z.enum(["burst", "move", "defer", "limit", "remove", "ask", "room", "prefer"]),
		before: z
			.object({
				line: z.number().nullable(),
				sentence: z.array(segmentSchema),
			})
			.nullable(),
		after: z
			.object({
				line: z.number().nullable(),
				sentence: z.array(segmentSchema),
			})
			.nullable(),
	})
	.meta({ id: "PolicyChange" });

export const lineRunSchema = z
	.object({
		kind: z.enum(["removed", "added", "same"]),
		oldLine: z.number(),
		newLine: z.number(),
		lines: z.array(z.string()),
	})
	.meta({ id: "LineRun" });

export const policyDiffSchema = z
	.object({
		changes: z.array(policyChangeSchema).nullable(),
		lines: z.array(lineRunSchema),
	})
	.meta({ id: "PolicyDiff" });

export const policyCheckSchema = z
	.object({
		ok: z.boolean(),
		problems: z.array(policyProblemSchema),
		sentences: z.array(descriptionSchema).nullable(),
		published: policyDiffSchema
			.extend({
				version: z.number(),
			})
			.nullable(),
	})
	.meta({ id: "PolicyCheck" });

export const mergeConflictSchema = z
	.object({
		key: z.string(),
		kind: z.enum(["text", "rule", "budget", "order"]),
		id: z.string().nullable(),
		base: z.string().nullable(),
		mine: z.string().nullable(),
		theirs: z.string().nullable(),
		message: z.string(),
	})
	.meta({ id: "MergeConflict" });

export const mergedPolicySchema = z
	.object({
		text: z.string(),
		conflicts: z.array(mergeConflictSchema),
	})
	.meta({ id: "MergedPolicy" });

export const policySettingsSchema = z
	.object({
		secondPerson: z.boolean(),
	})
	.meta({ id: "PolicySettings" });

export const policyDraftSchema = z
	.object({
		source: z.string(),
		baseVersion: z.number(),
		updatedAt: instant,
	})
	.meta({ id: "PolicyDraft" });

export const policyEffectsSchema = z
	.object({
		version: z.number(),
		from: z.string(),
		to: z.string(),
		placements: z.number(),
		truncated: z.boolean(),
		rules: z.array(
			z.object({
				ruleId: z.string(),
				jobs: z.number(),
				places: z.number(),
				changed: z.number(),
				costMicroUsd: integerText.nullable(),
				sent: z.number(),
			}),
		),
	})
	.meta({ id: "PolicyEffects" });
