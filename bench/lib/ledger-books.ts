import type { Connection } from "#server/db/client.ts";

/** A year of a company's ledger, made by the database itself so that ten million charges take minutes. */
export interface BooksSize {
	jobs: number;
	/** Beside these, each pool's idle hours: two rows an hour. */
	charges: number;
}

/** What is filled: twelve whole months. */
export const FIRST = "2025-12-01T00:00:00Z";
export const LAST = "2026-12-01T00:00:00Z";
export const YEAR = { fromMs: Date.parse(FIRST), toMs: Date.parse(LAST) };

const SUMS = [
	...["gpu_ms", "list_micro_usd", "contracted_micro_usd", "effective_micro_usd", "billed_micro_usd", "energy_milli_wh"],
	...["measured_energy_milli_wh", "hourly_grid_milli_wh", "emissions_milligrams", "market_emissions_milligrams", "embodied_milligrams"],
];
const KEPT = [...SUMS, "emissions_unknown_gpu_ms", "market_unknown_gpu_ms", "embodied_unknown_gpu_ms", "charges"];
const DIMENSIONS = "team, project, class, site_id, provider, region, capacity_type, accelerator, kind";

/**
 * Ten teams of three projects. Every project runs all five classes; a third of the jobs at home on two models, the rest in
 * four of twelve regions on two models, spot or on demand. So a month has about three thousand combinations of dimensions.
 * A job has charges / jobs charges, an hour each: boot and compute in a cloud with a last egress, compute at home.
 */
export async function fillBooks({ sql }: Connection, { jobs, charges }: BooksSize): Promise<void> {
	const hoursEach = Math.max(2, Math.round(charges / jobs));
	// One connection, so that its memory settings hold for every statement.
	await sql.begin(async (tx) => {
		await tx`set local work_mem = '512MB'`;
		await tx`set local maintenance_work_mem = '512MB'`;
		await tx`set local session_replication_role = 'replica'`;
		await tx.unsafe(SITES);
		await tx.unsafe(factsOf(jobs));
		await tx.unsafe(INSERT_JOBS);
		await tx.unsafe(INSERT_ATTEMPTS);
		await tx.unsafe(INSERT_INSTANCES);
		await tx.unsafe(INSERT_ALLOCATIONS);
		await tx`select spillway_charge_month(m) from generate_series(${FIRST}::timestamptz, ${LAST}::timestamptz, interval '1 month') as m`;
		const indexes = await tx<{ name: string; def: string }[]>`
			select indexname as name, indexdef as def from pg_indexes where tablename = 'charge' and indexname in ('charge_job', 'charge_period', 'charge_instance')`;
		for (const { name } of indexes) await tx.unsafe(`drop index ${name}`);
		await tx.unsafe("alter table charge drop constraint charge_id_period_start_pk");
		await tx.unsafe(insertCharges(hoursEach));
		await tx.unsafe(IDLE_CHARGES);
		await tx.unsafe("alter table charge add constraint charge_id_period_start_pk primary key (id, period_start)");
		for (const { def } of indexes) await tx.unsafe(def.replace(" ON ONLY ", " ON "));
		await tx.unsafe(ROLLUPS);
		await tx.unsafe(JOB_MONTHS);
		await tx.unsafe(ATTEMPTS);
		await tx.unsafe(WORK);
	});
	for (const table of [
		"job",
		"attempt",
		"instance",
		"allocation",
		"charge",
		"rollup",
		"rollup_slice",
		"job_month",
		"job_span",
		"attempt_sum",
		"taken_price",
	])
		await sql.unsafe(`vacuum analyze ${table}`);
}

const SITES = `
	insert into site (id, name, provider, settings) values ('hall', 'Hall B', 'slurm', '{}'), ('aws', 'AWS', 'aws', '{}'), ('azure', 'Azure', 'azure', '{}'), ('gcp', 'Google', 'gcp', '{}') on conflict do nothing;
	insert into pool (id, site_id, accelerator, nodes, gpus_per_node, unavailable_slots, micro_usd_per_gpu_hour, watts_per_gpu, owned_since, idle_metered_until)
	select id, 'hall', model, 16, 8, '{}', 600000, 350, '${FIRST}', '${LAST}' from (values ('l40s', 'L40S-48GB'), ('a100', 'A100-80GB')) as p(id, model)`;

/** What is drawn once for each job; i and its multiples are as good as dice, and the same in every run. */
function factsOf(jobs: number): string {
	return `
	create temp table fact on commit drop as
	select i, lpad(i::text, 20, '0') as tail, p, 'team-' || p / 3 as team, 'project-' || p as project, class,
		home, case when home then 'hall' else provider end as site_id, case when home then 'slurm' else provider end as provider,
		case when home then '' else region end as region,
		case when home then 'owned' when class in ('experimental', 'batch_inference') or (i / 7) % 2 = 0 then 'spot' else 'on_demand' end as capacity_type,
		case when home then (array['L40S-48GB', 'A100-80GB'])[1 + (i / 3) % 2] else (array['A10G-24GB', 'L40S-48GB', 'A100-80GB', 'H100-80GB'])[1 + (p + (i / 5) % 2) % 4] end as accelerator,
		1 + (i / 2) % 4 as gpus, 1 + (i % 1000 * 7919 % 1000) * (i % 1000 * 7919 % 1000) / 40 as cents_per_hour,
		'${FIRST}'::timestamptz + make_interval(secs => (i::float8 / ${jobs}) * ${(YEAR.toMs - YEAR.fromMs) / 1000 - 3_600 * 24}) as began,
		case when i % 13 = 0 then 'failed' when i % 17 = 0 and not home then 'interrupted' when i % 29 = 0 then 'cancelled' else 'succeeded' end as outcome
	from (
		select i, i * 31 % 30 as p, (array['burst', 'burst', 'experimental', 'batch_inference', 'baseline', 'sensitive'])[1 + i * 13 % 6] as class,
			i * 13 % 6 >= 4 or i % 11 = 0 as home, provider, region
		from generate_series(1, ${jobs}) as i,
			lateral (select (array['us-east-1', 'us-west-2', 'eu-west-1', 'eu-central-1', 'eastus', 'westeurope', 'northeurope', 'southcentralus', 'us-central1', 'us-east4', 'europe-west4', 'europe-west1'])[1 + (i * 31 % 30 + i % 4) % 12] as region,
				(array['aws', 'aws', 'aws', 'aws', 'azure', 'azure', 'azure', 'azure', 'gcp', 'gcp', 'gcp', 'gcp'])[1 + (i * 31 % 30 + i % 4) % 12] as provider) as r
	) as drawn`;
}

const PLACEMENT = `jsonb_build_object('siteId', site_id, 'provider', provider, 'region', nullif(region, ''), 'zone', null, 'capacityType', capacity_type,
	'instanceType', case when home then null else 'g6.xlarge' end, 'accelerator', accelerator, 'poolId', case when home then 'l40s' end)`;

const INSERT_JOBS = `
	insert into job (id, name, team, project, class, priority, gpus, spec, state, reason, placement, attempts, submitted_by, submitted_at, pending_since, started_at, finished_at)
	select 'job_' || tail, 'train-' || i % 1000, team, project, class::workload_class, 50, gpus,
		jsonb_build_object('name', 'train', 'team', team, 'project', project, 'labels', '{}'::jsonb, 'class', class, 'nodes', 1, 'command', jsonb_build_array('true'), 'duration', '{"estimateMs": 3600000, "maxMs": null}'::jsonb,
			'resources', jsonb_build_object('gpus', gpus, 'accelerators', '[]'::jsonb, 'cpus', null, 'memoryGiB', null), 'image', null, 'env', '{}'::jsonb, 'deadlineMs', null,
			'priority', 50, 'critical', false, 'checkpoint', null, 'data', '[]'::jsonb),
		case outcome when 'interrupted' then 'failed' else outcome end::job_state, '{"code":"completed","facts":{}}', ${PLACEMENT}, 1, 'account:bench',
		began - interval '20 minutes', began - interval '20 minutes', began, began + interval '10 hours' from fact`;

const INSERT_ATTEMPTS = `
	insert into attempt (id, job_id, number, team, home_start_ms, state, placement, site_id, capacity_type, gpus, created_at, started_at, finished_at, reason)
	select 'att_' || tail || '_001', 'job_' || tail, 1, team, case when not home and i % 3 > 0 then extract(epoch from began) * 1000 + 7200000 end, outcome::attempt_state, ${PLACEMENT}, site_id, capacity_type::capacity_type, gpus, began, began, began + interval '10 hours', '{"code":"completed","facts":{}}' from fact`;

const INSERT_INSTANCES = `
	insert into instance (id, site_id, provider, provider_instance_id, state, region, instance_type, capacity_type, accelerator, gpus, offer, micro_usd_per_hour,
		job_id, attempt_id, intended_at, launched_at, billed_from, billed_until, terminated_at, metered_until, expires_at, reason)
	select 'ins_' || tail || '_001_0', site_id, provider::provider, 'i-' || tail, 'terminated', region, 'g6.xlarge', capacity_type::capacity_type, accelerator, gpus,
		jsonb_build_object('id', provider || ':' || region || ':*:g6.xlarge:' || capacity_type, 'siteId', site_id, 'provider', provider, 'region', region, 'zone', null, 'instanceType', 'g6.xlarge', 'capacityType', capacity_type,
			'accelerator', accelerator, 'gpus', gpus, 'vcpus', 4, 'memoryGiB', 16, 'microUsdPerHour', (cents_per_hour * 10000)::text, 'onDemandMicroUsdPerHour', (cents_per_hour * 25000)::text,
			'priceObservedAtMs', 0, 'priceSource', 'bench', 'backoffUntilMs', null, 'backoffReason', null, 'egressMicroUsdPerGiB', '90000', 'gridGramsPerKwh', 380.5, 'pue', 1.15),
		cents_per_hour * 10000, 'job_' || tail, 'att_' || tail || '_001', began, began, began, began + interval '10 hours', began + interval '10 hours', began + interval '10 hours', began + interval '1 day', '{"code":"completed","facts":{}}'
	from fact where not home`;

const INSERT_ALLOCATIONS = `
	insert into allocation (id, attempt_id, job_id, site_id, pool_id, slots, micro_usd_per_gpu_hour, started_at, ended_at, metered_until)
	select 'alc_' || tail, 'att_' || tail || '_001', 'job_' || tail, 'hall', case accelerator when 'L40S-48GB' then 'l40s' else 'a100' end, '{0}', 600000,
		began, began + interval '10 hours', began + interval '10 hours' from fact where home`;

function insertCharges(hoursEach: number): string {
	return `
	insert into charge (id, period_start, period_end, posted_at, ${DIMENSIONS}, job_id, attempt_id, instance_id, allocation_id, ${SUMS.join(", ")})
	select 'chg_' || tail || lpad(h::text, 6, '0'), hour, hour + interval '1 hour', hour + interval '1 hour', team, project, class, site_id, provider::provider, region, capacity_type::capacity_type, accelerator,
		case when home then 'compute' when h = 0 then 'boot' when h = ${hoursEach - 1} and i % 3 = 0 then 'egress' else 'compute' end::charge_kind, 'job_' || tail, 'att_' || tail || '_001',
		case when not home then 'ins_' || tail || '_001_0' end, case when home then 'alc_' || tail end,
		gpus * 3600000, cost * case when capacity_type = 'spot' then 5 else 2 end / 2, cost, cost, case when home then 0 else cost end, gpus * 300000, case when home then gpus * 300000 else 0 end, gpus * 150000,
		gpus * 110000, null, gpus * 9000
	from fact, generate_series(0, ${hoursEach - 1}) as h, lateral (select date_trunc('hour', began, 'UTC') + make_interval(hours => h) as hour, cents_per_hour * 10000 + h as cost) as t`;
}

const IDLE_CHARGES = `
	insert into charge (id, period_start, period_end, posted_at, ${DIMENSIONS}, pool_id, ${SUMS.join(", ")})
	select 'chg_idle' || pool || to_char(hour at time zone 'UTC', 'YYYYMMDDHH24'), hour, hour + interval '1 hour', hour + interval '1 hour', '', '', '', 'hall', 'slurm', '', 'owned', model, 'idle', pool,
		60 * 3600000, 36000000, 36000000, 36000000, 0, 2400000, 0, 0, 900000, null, null
	from generate_series('${FIRST}'::timestamptz, '${LAST}'::timestamptz - interval '1 hour', interval '1 hour') as hour, (values ('l40s', 'L40S-48GB'), ('a100', 'A100-80GB')) as p(pool, model)`;

const added = KEPT.map((c) => `sum(${c})`).join(", ");

const ROLLUPS = `
	insert into rollup (granularity, bucket_start, ${DIMENSIONS}, ${KEPT.join(", ")})
	select 'hour', date_trunc('hour', period_start, 'UTC'), ${DIMENSIONS}, ${SUMS.map((c) => `coalesce(sum(${c}), 0)`).join(", ")},
		coalesce(sum(gpu_ms) filter (where emissions_milligrams is null), 0), coalesce(sum(gpu_ms) filter (where market_emissions_milligrams is null), 0),
		coalesce(sum(gpu_ms) filter (where embodied_milligrams is null), 0), count(*)
	from charge group by 2, ${DIMENSIONS} order by 2;
	insert into rollup (granularity, bucket_start, ${DIMENSIONS}, ${KEPT.join(", ")})
	select 'day', date_trunc('day', bucket_start, 'UTC'), ${DIMENSIONS}, ${added} from rollup where granularity = 'hour' group by 2, ${DIMENSIONS} order by 2;
	insert into rollup (granularity, bucket_start, ${DIMENSIONS}, ${KEPT.join(", ")})
	select 'month', date_trunc('month', bucket_start, 'UTC'), ${DIMENSIONS}, ${added} from rollup where granularity = 'day' group by 2, ${DIMENSIONS} order by 2;
	insert into rollup_slice (granularity, dimension, bucket_start, key, team, capacity_type, idle, ${KEPT.join(", ")})
	select granularity, d.dimension, bucket_start, d.key, team, capacity_type, capacity_type = 'owned' and class = '', ${added}
	from rollup, lateral (values ('', ''), ('project', project), ('class', class), ('site', site_id), ('provider', provider::text), ('region', region), ('accelerator', accelerator), ('kind', kind::text)) as d(dimension, key)
	where granularity in ('day', 'month') group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3`;

const JOB_MONTHS = `
	insert into job_month (month_start, job_id, team, ${KEPT.join(", ")}, cloud_micro_usd)
	select date_trunc('month', period_start, 'UTC'), job_id, min(team), ${SUMS.map((c) => `coalesce(sum(${c}), 0)`).join(", ")},
		coalesce(sum(gpu_ms) filter (where emissions_milligrams is null), 0), coalesce(sum(gpu_ms) filter (where market_emissions_milligrams is null), 0),
		coalesce(sum(gpu_ms) filter (where embodied_milligrams is null), 0), count(*),
		coalesce(sum(effective_micro_usd) filter (where instance_id is not null and capacity_type <> 'owned'), 0)
	from charge where job_id is not null group by 1, 2 order by 1, 2;
	update job_month set several = true where job_id in (select job_id from job_month group by job_id having count(*) > 1);
	update job set cost_micro_usd = s.cost, emissions_milligrams = s.emissions from (select job_id, sum(effective_micro_usd) as cost, sum(emissions_milligrams) as emissions from job_month group by 1) as s where s.job_id = job.id`;

/** Every job has one attempt, which all of its charges are of. */
const ATTEMPTS = `
	update attempt set cost_micro_usd = s.cost, gpu_ms = s.gpu from (select job_id, sum(effective_micro_usd) as cost, sum(gpu_ms) as gpu from job_month group by 1) as s where s.job_id = attempt.job_id`;

/** Triggers were off. */
const WORK = `
	select spillway_count_work();
	insert into job_span select job_id, min(team), min(month_start), max(month_start), sum(effective_micro_usd) from job_month where several group by job_id`;
