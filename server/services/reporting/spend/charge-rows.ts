import { desc, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import type { Charge, ChargeDimensions } from "#server/domain/charge.ts";
import { classOf } from "#server/services/ledger/charge/charges-of.ts";

/** A charge with its job's name; null when the charge has no job. */
export interface NamedCharge extends Charge {
	jobName: string | null;
}

/** As the driver returns them: int8 as bigint, timestamps as text. */
type Row = Pick<ChargeDimensions, "team" | "project" | "provider" | "region" | "accelerator" | "kind"> &
	Record<"id" | "period_start" | "period_end" | "class" | "site_id", string> &
	Record<
		"job_id" | "attempt_id" | "instance_id" | "allocation_id" | "pool_id" | "bill_line_id" | "artifact_id" | "job_name",
		string | null
	> &
	Record<"gpu_ms" | "list_micro_usd" | "contracted_micro_usd" | "effective_micro_usd" | "billed_micro_usd" | "energy_milli_wh", bigint> &
	Record<"measured_energy_milli_wh" | "hourly_grid_milli_wh", bigint> &
	Record<"emissions_milligrams" | "market_emissions_milligrams" | "embodied_milligrams", bigint | null> & {
		capacity_type: ChargeDimensions["capacityType"];
		correction: Charge["correction"];
	};

const COLUMNS = sql.raw(
	[
		...[
			"id",
			"period_start",
			"period_end",
			"team",
			"project",
			"class",
			"site_id",
			"provider",
			"region",
			"capacity_type",
			"accelerator",
			"kind",
		],
		...["job_id", "attempt_id", "instance_id", "allocation_id", "pool_id", "bill_line_id", "artifact_id", "correction"],
		...["gpu_ms", "list_micro_usd", "contracted_micro_usd", "effective_micro_usd", "billed_micro_usd"],
		...["energy_milli_wh", "measured_energy_milli_wh", "hourly_grid_milli_wh"],
		...["emissions_milligrams", "market_emissions_milligrams", "embodied_milligrams"],
	].join(", "),
);

/**
 * The first `limit` charges that match `where`, newest first, with their job names. Cost: reading dominates for a page of
 * a few hundred rows with thirty columns, so each row is read once, and only its displayed columns.
 */
export async function readChargeRows(db: DbOrTx, where: SQL | undefined, limit: number): Promise<NamedCharge[]> {
	const rows = await db.execute<Row>(sql`
		select page.*, (select job.name from job where job.id = page.job_id) as job_name from (
			select ${COLUMNS} from ${charge} where ${where ?? sql`true`} order by ${desc(charge.periodStart)}, ${desc(charge.id)} limit ${limit}
		) as page`);
	return rows.map(toNamed);
}

function toNamed(row: Row): NamedCharge {
	return {
		id: row.id,
		periodStartMs: Date.parse(row.period_start),
		periodEndMs: Date.parse(row.period_end),
		dimensions: {
			...{ team: row.team, project: row.project, class: classOf(row.class), siteId: row.site_id, provider: row.provider },
			...{ region: row.region, capacityType: row.capacity_type, accelerator: row.accelerator, kind: row.kind },
		},
		jobId: row.job_id,
		attemptId: row.attempt_id,
		instanceId: row.instance_id,
		allocationId: row.allocation_id,
		poolId: row.pool_id,
		billLineId: row.bill_line_id,
		artifactId: row.artifact_id,
		correction: row.correction,
		gpuMs: row.gpu_ms,
		listMicroUsd: row.list_micro_usd,
		contractedMicroUsd: row.contracted_micro_usd,
		effectiveMicroUsd: row.effective_micro_usd,
		billedMicroUsd: row.billed_micro_usd,
		energyMilliWh: row.energy_milli_wh,
		measuredEnergyMilliWh: row.measured_energy_milli_wh,
		hourlyGridMilliWh: row.hourly_grid_milli_wh,
		emissionsMilligrams: row.emissions_milligrams,
		marketEmissionsMilligrams: row.market_emissions_milligrams,
		embodiedMilligrams: row.embodied_milligrams,
		jobName: row.job_name,
	};
}
