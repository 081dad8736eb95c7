import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import * as schema from "#server/db/schema/index.ts";
import { TEAM_BELONGINGS } from "./uses.ts";

/** Tables with a team column that may keep rows of a deleted team, and why a later team of the same name may read them. */
const LEFT = {
	alert: "an alert about a team without charges has no figures",
	attempt_sum: "of jobs",
	artifact: "of a job",
	attempt: "of a job",
	budget_day: "of charges",
	budget_slice: "of charges",
	channel: "an administrator named the team",
	data_copy: "names the team of the job that last requested the copy",
	event: "of a job",
	job_secret: "deleted with the team",
	job_month: "of jobs",
	job_span: "of jobs",
	rollup: "of charges",
	rollup_slice: "of charges",
	saved_view: "shared with no team after the deletion",
	statement: "of charges",
	statement_note: "of charges",
	storage_limit: "deleted with the team",
};

it("every table with a team column is covered by team deletion", () => {
	const tables = Object.values(schema).filter((value) => is(value, PgTable));
	const named = tables.filter((table) => "team" in getTableColumns(table)).map((table) => getTableName(table));
	const checked = TEAM_BELONGINGS.map(({ table }) => getTableName(table));
	expect(named.sort()).toEqual([...checked, ...Object.keys(LEFT)].sort());
});
