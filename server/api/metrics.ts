import { sql } from "drizzle-orm";
import { Counter, Gauge as PromGauge, Registry } from "prom-client";
import { systemContext } from "#server/services/core/context.ts";
import { readHeartbeat } from "#server/services/core/heartbeat.ts";
import { registry } from "#server/services/core/process-metrics.ts";
import { scoreByHorizon } from "#server/services/decision/forecast/score.ts";
import { readChainCheck } from "#server/services/governance/audit/check-chain.ts";
import { readHead } from "#server/services/governance/audit/head.ts";
import { readLedgerCheck } from "#server/services/ledger/charge/nightly-check.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { budgetMetrics, gpuMetrics, logMetrics, teamAndSiteMetrics } from "./database-metrics.ts";
import type { Gauge } from "./gauge.ts";

/** The Prometheus page. Cost: a handful of small aggregate queries. */
export async function metricsText(rt: Runtime): Promise<string> {
	const { db } = rt.connection;
	const nowMs = rt.clock.nowMs();
	const [jobs, instances, pools, risk, beat, forecasts, check, auditHead, chain] = await Promise.all([
		db.execute<{ state: string; count: number }>(
			sql`select state, count(*)::int as count from job where state in ('held','queued','admitted','running') group by state`,
		),
		db.execute<{ state: string; capacity_type: string; count: number; burn: string }>(
			sql`select state, capacity_type, count(*)::int as count, sum(micro_usd_per_hour)::text as burn from instance where state <> 'terminated' group by 1, 2`,
		),
		db.execute<{ site_id: string; gpus: number; busy: number }>(sql`
			select p.site_id, sum((p.nodes - p.nodes_to_come) * p.gpus_per_node)::int as gpus,
				coalesce((select sum(cardinality(a.slots)) from allocation a where a.site_id = p.site_id and a.ended_at is null), 0)::int as busy
			from pool p group by p.site_id`),
		moneyAtRisk(systemContext(db, rt.clock)),
		readHeartbeat(db),
		scoreByHorizon(db),
		readLedgerCheck(db),
		readHead(db),
		readChainCheck(db),
	]);
	const scrape = new Registry();
	const gauge: Gauge = (name, help, samples, { type = "gauge", labels } = {}) => {
		const labelNames = labels ?? Object.keys(samples[0]?.labels ?? {});
		const Kind = type === "counter" ? Counter : PromGauge;
		const metric = new Kind({ name, help, labelNames, registers: [scrape] });
		for (const s of samples) metric.inc(s.labels ?? {}, s.value);
	};
	gauge(
		"spillway_jobs",
		"Jobs that have not ended, by state.",
		jobs.map((j) => ({ labels: { state: j.state }, value: j.count })),
		{ labels: ["state"] },
	);
	gauge(
		"spillway_instances",
		"Instances that may cost money.",
		instances.map((i) => ({ labels: { state: i.state, capacity_type: i.capacity_type }, value: i.count })),
		{ labels: ["state", "capacity_type"] },
	);
	gauge("spillway_cloud_burn_usd_per_hour", "Sum of the hourly prices of live instances.", [
		{ value: instances.reduce((sum, i) => sum + Number(i.burn), 0) / 1e6 },
	]);
	gauge(
		"spillway_owned_gpus",
		"Owned GPUs, by site.",
		pools.map((p) => ({ labels: { site: p.site_id }, value: p.gpus })),
		{ labels: ["site"] },
	);
	gauge(
		"spillway_owned_gpus_busy",
		"Owned GPUs allocated to jobs, by site.",
		pools.map((p) => ({ labels: { site: p.site_id }, value: p.busy })),
		{ labels: ["site"] },
	);
	gauge("spillway_money_at_risk_usd", "Possible wasted spend, in dollars, until the instances are confirmed terminated.", [
		{ value: Number(risk.totalMicroUsd) / 1e6 },
	]);
	gauge(
		"spillway_forecasts_scored_total",
		"Forecasts of the wait at home for jobs that have started, by the horizon of the forecast.",
		forecasts.map((f) => ({ labels: { horizon: f.horizon }, value: f.count })),
		{ type: "counter", labels: ["horizon"] },
	);
	gauge(
		"spillway_forecast_covered_total",
		"Of these, how many jobs started no later than the quantile said.",
		forecasts.flatMap((f) => [
			{ labels: { horizon: f.horizon, probability: "0.5" }, value: f.p50Covered },
			{ labels: { horizon: f.horizon, probability: "0.9" }, value: f.p90Covered },
		]),
		{ type: "counter", labels: ["horizon", "probability"] },
	);
	checkMetrics(gauge, { check, auditHead, chain, nowMs });
	if (beat) {
		gauge("spillway_scheduler_heartbeat_age_seconds", "Since the leader's last sign of life.", [{ value: (nowMs - beat.atMs) / 1000 }]);
		if (beat.lastCycle) {
			gauge("spillway_cycle_seconds", "Duration of the last cycle by part.", [
				{ labels: { part: "load" }, value: beat.lastCycle.loadMs / 1000 },
				{ labels: { part: "decide" }, value: beat.lastCycle.decideMs / 1000 },
				{ labels: { part: "apply" }, value: beat.lastCycle.applyMs / 1000 },
			]);
		}
	}
	await Promise.all([budgetMetrics(rt, gauge), teamAndSiteMetrics(rt, gauge), gpuMetrics(rt, gauge), logMetrics(rt, gauge)]);
	return Registry.merge([scrape, registry]).metrics();
}

interface Checks {
	check: Awaited<ReturnType<typeof readLedgerCheck>>;
	auditHead: Awaited<ReturnType<typeof readHead>>;
	chain: Awaited<ReturnType<typeof readChainCheck>>;
	nowMs: number;
}

/** Whether the ledger and the audit log are consistent. */
function checkMetrics(gauge: Gauge, { check, auditHead, chain, nowMs }: Checks): void {
	if (check) {
		gauge("spillway_ledger_check_ok", "1 when every sum was the sum of its charges at the last check.", [{ value: check.ok ? 1 : 0 }]);
		gauge("spillway_ledger_check_age_seconds", "Since the last check of the ledger.", [{ value: (nowMs - check.checkedAtMs) / 1000 }]);
		gauge("spillway_ledger_differences", "Sums that differed from their charges at the last check, at most 100.", [
			{ value: check.differenceCount },
		]);
		gauge("spillway_ledger_charges", "Charges that the last check added up.", [{ value: check.charges }]);
	}
	if (auditHead) {
		gauge("spillway_audit_sealed_total", "Lines of the audit under a seal.", [{ value: auditHead.sequence }], { type: "counter" });
		// A number, not a label, which would create a new series each second; 48 bits are exact in a sample.
		gauge("spillway_audit_head", "The first 12 hexadecimal digits of the hash of the last seal, as a number.", [
			{ value: Number.parseInt(auditHead.hash.slice(0, 12), 16) },
		]);
	}
	if (chain) {
		gauge("spillway_audit_chain_ok", "1 when the audit's chain was whole at the last check.", [{ value: chain.broken === null ? 1 : 0 }]);
		gauge("spillway_audit_chain_check_age_seconds", "Since the last check of the audit's chain.", [
			{ value: (nowMs - chain.checkedAtMs) / 1000 },
		]);
	}
}
