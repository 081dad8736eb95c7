import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "#server/db/client.ts";
import { account, team } from "#server/db/schema/account.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { store } from "#server/db/schema/store.ts";
import { template } from "#server/db/schema/template.ts";
import { trackingExperiment, trackingRun } from "#server/db/schema/tracking.ts";
import { trigger } from "#server/db/schema/trigger.ts";

/**
 * References to a team other than members and sub-teams. A team with any of them cannot be deleted: a later team of the same name could
 * read them.
 */
export const TEAM_BELONGINGS: readonly { table: PgTable & { team: PgColumn }; noun: string; where?: SQL }[] = [
	{ table: job, noun: "jobs" },
	{ table: charge, noun: "charges" },
	{ table: pipeline, noun: "pipelines" },
	{ table: template, noun: "templates", where: isNull(template.deletedAt) },
	{ table: trigger, noun: "triggers", where: isNull(trigger.deletedAt) },
	{ table: store, noun: "stores", where: isNull(store.removedAt) },
	{ table: trackingExperiment, noun: "experiments" },
	{ table: trackingRun, noun: "runs" },
];

/** Everything that refers to the team, as text. */
export async function usesOfTeam(tx: Tx, id: string): Promise<string[]> {
	const members = await tx.$count(account, sql`${account.teams} @> array[${id}]`);
	const children = await tx.$count(team, eq(team.parent, id));
	const found: string[] = [];
	for (const { table, noun, where } of TEAM_BELONGINGS) {
		const rows = await tx
			.select({ team: table.team })
			.from(table)
			.where(and(eq(table.team, id), where))
			.limit(1);
		if (rows.length > 0) found.push(noun);
	}
	return [
		...(members > 0 ? [`${members} ${members === 1 ? "member" : "members"}`] : []),
		...(children > 0 ? [`${children} ${children === 1 ? "sub-team" : "sub-teams"}`] : []),
		...found,
	];
}
