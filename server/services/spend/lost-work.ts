import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { spendRange } from "./range.ts";

const LOST_STATES = ["failed", "interrupted", "evicted", "lost"] as const;

export interface LostWork {
	/** By how the attempts ended. */
	items: { state: (typeof LOST_STATES)[number]; attempts: number; ownedMicroUsd: bigint; cloudMicroUsd: bigint; gpuMs: bigint }[];
	totalMicroUsd: bigint;
	/** An upper bound: what of the work lives on in a checkpoint is not taken off. */
	estimate: "whole_attempts_checkpoints_not_deducted";
}

/**
 * What attempts cost that ended in the range without finishing their job's command.
 * Cost: the attempts of the range that ended so, and their jobs' charges by index.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function lostWork(ctx: Pick<ServiceContext, "actor" | "db">, input: { fromMs: number; toMs: number }): Promise<LostWork> {
	const teams = teamScope(ctx, "spend:read");
	const { fromMs, toMs } = spendRange(input);
	const sum = (column: typeof charge.effectiveMicroUsd | typeof charge.gpuMs, where = sql`true`) =>
		sql`coalesce(sum(${column}) filter (where ${where}), 0)`.mapWith((v: unknown) => BigInt(String(v)));
	const items = await ctx.db
		.select({
			state: sql<(typeof LOST_STATES)[number]>`${attempt.state}::text`,
			attempts: sql`count(distinct ${attempt.id})`.mapWith(Number),
			ownedMicroUsd: sum(charge.effectiveMicroUsd, sql`${charge.capacityType} = 'owned'`),
			cloudMicroUsd: sum(charge.effectiveMicroUsd, sql`${charge.capacityType} <> 'owned'`),
			gpuMs: sum(charge.gpuMs),
		})
		.from(attempt)
		.innerJoin(charge, and(eq(charge.jobId, attempt.jobId), eq(charge.attemptId, attempt.id)))
		.where(
			and(
				inArray(attempt.state, [...LOST_STATES]),
				gte(attempt.finishedAt, new Date(fromMs)),
				lt(attempt.finishedAt, new Date(toMs)),
				teams === null ? undefined : teams.length === 0 ? sql`false` : inArray(charge.team, [...teams]),
			),
		)
		.groupBy(attempt.state)
		.orderBy(attempt.state);
	return {
		items,
		totalMicroUsd: items.reduce((total, item) => total + item.ownedMicroUsd + item.cloudMicroUsd, 0n),
		estimate: "whole_attempts_checkpoints_not_deducted",
	};
}
