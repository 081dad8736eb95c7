import type { JobView } from "#components/trpc/outputs.ts";
import { csvText } from "#server/kernel/csv.ts";
import { microToUsdText } from "#server/kernel/money.ts";

const COLUMNS: readonly { name: string; of: (job: JobView) => string | number | null }[] = [
	{ name: "id", of: (j) => j.id },
	{ name: "name", of: (j) => j.name },
	{ name: "state", of: (j) => j.state },
	{ name: "team", of: (j) => j.team },
	{ name: "project", of: (j) => j.project },
	{ name: "class", of: (j) => j.class },
	{ name: "gpus", of: (j) => j.gpus },
	{ name: "site", of: (j) => j.placement?.siteId ?? null },
	{ name: "region", of: (j) => j.placement?.region ?? null },
	{ name: "instance_type", of: (j) => j.placement?.instanceType ?? null },
	{ name: "capacity_type", of: (j) => j.placement?.capacityType ?? null },
	{ name: "attempts", of: (j) => j.attempts },
	{ name: "submitted_at", of: (j) => j.submittedAt },
	{ name: "started_at", of: (j) => j.startedAt },
	{ name: "finished_at", of: (j) => j.finishedAt },
	{ name: "deadline_at", of: (j) => j.deadlineAt },
	{ name: "forecast_start_p50", of: (j) => (j.forecast ? new Date(j.forecast.p50Ms).toISOString() : null) },
	{ name: "forecast_start_p90", of: (j) => (j.forecast ? new Date(j.forecast.p90Ms).toISOString() : null) },
	{ name: "cost_usd", of: (j) => microToUsdText(BigInt(j.costMicroUsd)) },
	{ name: "emissions_grams", of: (j) => j.emissionsGrams },
	{ name: "reason_code", of: (j) => j.reason.code },
	{ name: "reason", of: (j) => j.reason.message },
	{ name: "simulated", of: (j) => (j.synthetic ? "yes" : "no") },
];

/** Jobs as CSV: UTC times, exact dollars. */
export function jobsCsv(jobs: readonly JobView[]): string {
	return csvText([COLUMNS.map((c) => c.name), ...jobs.map((job) => COLUMNS.map((c) => String(c.of(job) ?? "")))]);
}
