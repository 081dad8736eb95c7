import { asc, sql } from "drizzle-orm";
import type { Connection, Db, Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { budgetPeriod, hold, holdBudget } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { pool } from "#server/db/schema/site.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { MACHINES } from "#server/domain/states.ts";

/** One change of state, recorded by a trigger that only tests have. `from` is null for a new row. */
export interface StateChange {
	machine: keyof typeof MACHINES;
	id: string;
	from: string | null;
	to: string;
}

/** A machine in the provider's records, whatever the control plane's rows contain. */
export interface TrueMachine {
	id: string;
	/** Our instance id, from its tag; null: it has none. */
	instanceId: string | null;
	alive: boolean;
}

/** The database at one moment, with the state of providers and sites. Times are those of the rows; `nowMs` is the loop's clock. */
export interface Observed {
	nowMs: number;
	/** When the last fault ended, ms; null: faults may still happen. */
	healedAtMs: number | null;
	policy: Policy;
	pools: (typeof pool.$inferSelect)[];
	jobs: (typeof job.$inferSelect)[];
	attempts: (typeof attempt.$inferSelect)[];
	instances: (typeof instance.$inferSelect)[];
	allocations: (typeof allocation.$inferSelect)[];
	holds: (typeof hold.$inferSelect)[];
	holdBudgets: (typeof holdBudget.$inferSelect)[];
	periods: (typeof budgetPeriod.$inferSelect)[];
	charges: (typeof charge.$inferSelect)[];
	/** Since the previous observation, oldest first. */
	changes: StateChange[];
	machines: TrueMachine[];
	/** Commands that really run, at home and on machines. */
	commands: { jobId: string; attemptId: string }[];
}

export type Rows = Pick<
	Observed,
	"pools" | "jobs" | "attempts" | "instances" | "allocations" | "holds" | "holdBudgets" | "periods" | "charges"
>;
/** Facts known only outside the control plane. */
export type Truth = Pick<Observed, "machines" | "commands">;
type Now = Pick<Observed, "nowMs" | "healedAtMs" | "policy">;

/** Records every state change of the three state machines, for `Observed.changes`. Call it before there are rows. */
export async function recordStateChanges(connection: Pick<Connection, "sql">): Promise<void> {
	await connection.sql.unsafe(`
		create table if not exists state_change (
			number bigserial primary key, machine text not null, id text not null, "from" text, "to" text not null
		);
		create or replace function record_state_change() returns trigger language plpgsql as $$ begin
			if tg_op = 'INSERT' then insert into state_change (machine, id, "to") values (tg_table_name, new.id, new.state::text);
			elsif old.state <> new.state then
				insert into state_change (machine, id, "from", "to") values (tg_table_name, new.id, old.state::text, new.state::text);
			end if;
			return null;
		end $$;
		create or replace trigger recorded after insert or update on job for each row execute function record_state_change();
		create or replace trigger recorded after insert or update on attempt for each row execute function record_state_change();
		create or replace trigger recorded after insert or update on instance for each row execute function record_state_change();`);
}

/**
 * Reads everything in one transaction, so that all rows are from one moment even while a scheduler writes.
 * @param truthOf the outside facts about these rows
 */
export async function readObserved(db: Db, now: Now, truthOf: (rows: Rows) => Truth): Promise<Observed> {
	return db.transaction(
		async (tx) => {
			const changes = await tx.execute<StateChange & Record<string, unknown>>(
				sql`with taken as (delete from state_change returning *) select machine, id, "from", "to" from taken order by number`,
			);
			const rows = await readRows(tx);
			return { ...now, ...rows, ...truthOf(rows), changes: [...changes] };
		},
		{ isolationLevel: "repeatable read" },
	);
}

async function readRows(db: Tx): Promise<Rows> {
	const [pools, jobs, attempts, instances, allocations, holds, holdBudgets, periods, charges] = await Promise.all([
		db.select().from(pool),
		db.select().from(job).orderBy(asc(job.id)),
		db.select().from(attempt).orderBy(asc(attempt.jobId), asc(attempt.number)),
		db.select().from(instance).orderBy(asc(instance.id)),
		db.select().from(allocation).orderBy(asc(allocation.startedAt)),
		db.select().from(hold).orderBy(asc(hold.id)),
		db.select().from(holdBudget),
		db.select().from(budgetPeriod),
		db.select().from(charge).orderBy(asc(charge.number)),
	]);
	return { pools, jobs, attempts, instances, allocations, holds, holdBudgets, periods, charges };
}
