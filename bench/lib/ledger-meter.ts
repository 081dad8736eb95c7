import type { Connection } from "#server/db/client.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { databaseSeconds } from "./database-cpu.ts";
import { NOW_MS } from "./ledger-queries.ts";

export interface MeterFigures {
	instances: number;
	/** Percent of one core used by metering at the real loop's interval: this process, and the database. */
	nodePercent: number;
	databasePercent: number;
	/** Time of one metering pass. */
	seconds: number;
}

/** Meters that many running instances as the loop does, `rounds` times, each one interval after the last. */
export async function meterRunning(connection: Connection, instances: number, rounds: number): Promise<MeterFigures> {
	await endEarlier(connection);
	await connection.sql.unsafe(runningInstances(instances, `r${Date.now().toString(36)}`));
	const clock = new ManualClock(NOW_MS);
	const ctx = { db: connection.db, clock };
	const { meterMs } = timingSchema.parse({});
	await meterAll(ctx);
	let [node, database, seconds] = [0, 0, 0];
	for (let round = 0; round < rounds; round++) {
		clock.advance(meterMs);
		const before = { cpu: process.cpuUsage(), database: await databaseSeconds(connection), atMs: performance.now() };
		await meterAll(ctx);
		seconds += (performance.now() - before.atMs) / 1_000;
		const used = process.cpuUsage(before.cpu);
		node += (used.user + used.system) / 1e6;
		database += (await databaseSeconds(connection)) - before.database;
	}
	const share = (s: number) => (s / rounds / (meterMs / 1_000)) * 100;
	return { instances, nodePercent: share(node), databasePercent: share(database), seconds: seconds / rounds };
}

/** Ends and charges instances left running by an earlier run in a kept database. */
async function endEarlier({ sql }: Connection): Promise<void> {
	await sql.begin(async (tx) => {
		await tx`set local session_replication_role = 'replica'`;
		const over = tx.json({ code: "cancelled_by_person", facts: {} });
		await tx`update instance set state = 'terminated', terminated_at = metered_until, billed_until = metered_until where state <> 'terminated'`;
		await tx`update attempt set state = 'cancelled', finished_at = ${new Date(NOW_MS)}, reason = ${over} where state = 'running'`;
		await tx`update job set state = 'cancelled', finished_at = ${new Date(NOW_MS)}, reason = ${over} where state = 'running'`;
		await tx`update hold set state = 'voided', closed_at = ${new Date(NOW_MS)} where state = 'pending'`;
		await tx`update budget_period set held_micro_usd = 0`;
	});
}

/** Spread over teams, regions and jobs like the other charges, each with a hold in one budget. */
function runningInstances(count: number, run: string): string {
	const at = `'${new Date(NOW_MS - 60_000).toISOString()}'::timestamptz`;
	return `
	with source as (
		select instance.*, '${run}' || right(job_id, 17) as tail from instance where id like 'ins_0%' order by id limit ${count}
	), jobs as (
		insert into job (id, name, team, project, class, priority, gpus, spec, state, reason, placement, attempts, submitted_by, submitted_at, pending_since, started_at)
		select 'job_' || tail, 'running', j.team, j.project, j.class, 50, j.gpus, j.spec, 'running', j.reason, j.placement, 1, 'account:bench', ${at}, ${at}, ${at}
		from source join job j on j.id = source.job_id returning id
	), attempts as (
		insert into attempt (id, job_id, number, state, placement, site_id, capacity_type, gpus, created_at, started_at)
		select 'att_' || tail || '_001', 'job_' || tail, 1, 'running', a.placement, a.site_id, a.capacity_type, a.gpus, ${at}, ${at} from source join attempt a on a.id = source.attempt_id returning id
	), instances as (
		insert into instance (id, site_id, provider, provider_instance_id, state, region, instance_type, capacity_type, accelerator, gpus, offer, micro_usd_per_hour, job_id, attempt_id, intended_at, launched_at, billed_from, ready_at, expires_at)
		select 'ins_' || tail || '_001_0', site_id, provider, 'i-' || tail, 'ready', region, instance_type, capacity_type, accelerator, gpus, offer, micro_usd_per_hour, 'job_' || tail, 'att_' || tail || '_001', ${at}, ${at}, ${at}, ${at}, ${at} + interval '10 days'
		from source returning id
	), holds as (
		insert into hold (id, instance_id, amount_micro_usd, created_at) select 'hold_' || tail, 'ins_' || tail || '_001_0', 100000000, ${at} from source returning id
	)
	insert into hold_budget (hold_id, budget_id, period_key) select 'hold_' || tail, 'cloud-month', '2026-11-01' from source;
	insert into budget_period (budget_id, period_key, held_micro_usd) values ('cloud-month', '2026-11-01', ${count} * 100000000::bigint)
	on conflict (budget_id, period_key) do update set held_micro_usd = budget_period.held_micro_usd + excluded.held_micro_usd`;
}
