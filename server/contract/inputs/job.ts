import { z } from "zod";
import { SCRIPT_KINDS } from "#server/domain/imports/types.ts";
import { JOB_STATES } from "#server/domain/states.ts";
import { MOVE_DESTINATIONS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { entityId, instantMs } from "../parts.ts";

/** How many jobs a request may submit. */
export const SUBMIT_BATCH_MAX = 1_000;

export const importInput = z.strictObject({
	/** `auto` detects the format from the text. */
	kind: z.enum([...SCRIPT_KINDS, "auto"]).default("auto"),
	text: z.string(),
	/** Owner of the jobs when the text names none of the caller's teams. */
	team: z.string().min(1).max(63).optional(),
	/** Minutes east of UTC, for dates without a zone. */
	zoneOffsetMinutes: z.number().int().min(-840).max(840).default(0),
});

const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(50).default([]);

const jobFilters = {
	state: listOf(z.enum(JOB_STATES)),
	team: listOf(z.string().max(64)),
	class: listOf(z.enum(WORKLOAD_CLASSES)),
	/** Site id, or `cloud` for every cloud. */
	site: z.string().max(64).optional(),
	/** true: only jobs that the caller submitted. */
	mine: z.boolean().default(false),
	/** `live`: of the trials of sweeps, only those that are placed. */
	trials: z.enum(["all", "live"]).default("all"),
	/** Part of a name, or a prefix of an id. */
	q: z.string().trim().max(128).optional(),
	/** Only jobs that ended at or after this time (UTC ms), plus all that have not ended. */
	endedSinceMs: instantMs.optional(),
};

export const listJobsInput = z.strictObject({
	...jobFilters,
	cursor: z.string().max(256).optional(),
	limit: z.number().int().min(1).max(500).default(100),
});

export const countJobsInput = z.strictObject(jobFilters);

/** How many jobs one bulk action may name. */
export const ACTION_JOBS_MAX = 1_000;

const actionIds = z.array(entityId).min(1).max(ACTION_JOBS_MAX);

export const actOnJobsInput = z.discriminatedUnion("action", [
	z.strictObject({ action: z.enum(["cancel", "hold", "release", "resume", "retry", "stay"]), ids: actionIds }),
	z.strictObject({ action: z.literal("move"), ids: actionIds, to: z.enum(MOVE_DESTINATIONS) }),
	z.strictObject({
		action: z.literal("set_priority"),
		ids: actionIds,
		/** Higher first. */
		priority: z.number().int().min(0).max(100),
	}),
]);

export const readLogsInput = z.strictObject({
	/** Number of the attempt; default: the latest. */
	attempt: z.number().int().min(1).optional(),
	/** Lines after this number. */
	after: z.number().int().min(0).default(0),
	/** Only the last `tail` lines, on the first read. */
	tail: z.number().int().min(1).max(10_000).optional(),
	limit: z.number().int().min(1).max(10_000).default(1_000),
});
