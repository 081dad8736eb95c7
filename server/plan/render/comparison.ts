import { textTable } from "#server/simulation/report/text-table.ts";
import { span } from "../candidates/score.ts";
import type { PlanComparison, PlanOption, Sensitivity } from "../compare/types.ts";

/** Text form of the comparison. Lines fit 140 characters. */
export function renderComparison(report: PlanComparison): string {
	const { decision } = report;
	return [
		decision.headline,
		decision.summary,
		"",
		`History   ${report.history.source}: ${n(report.history.jobs)} jobs, ${report.history.days} days; ${report.ownedGpus} × ${report.accelerator} owned; seed ${report.seed}`,
		"",
		textTable<PlanOption>(
			[
				{ head: "option", cell: (o) => o.label },
				{ head: "GPUs", cell: (o) => n(o.ownedGpus) },
				{ head: "mean wait", cell: (o) => span(o.meanWaitS * 1000) },
				{ head: "time to model", cell: (o) => span(o.meanTimeToModelS * 1000) },
				{ head: "P95", cell: (o) => span(o.p95TimeToModelS * 1000) },
				{ head: "cloud $/mo", cell: (o) => n(o.perMonth.cloudUsd) },
				{ head: "owned $/mo", cell: (o) => n(o.perMonth.ownedUsd) },
				{ head: "kg CO2e", cell: (o) => (o.carbon.totalKg === null ? "unknown" : n(o.carbon.totalKg)) },
				{ head: "NPV $", cell: (o) => n(o.finance.npvUsd) },
				{ head: "payback", cell: (o) => (o.finance.paybackMonth === null ? "" : `month ${o.finance.paybackMonth}`) },
			],
			report.options,
		),
		`NPV: present value saved in ${report.horizonMonths} months compared with "${report.options.find(({ id }) => id === report.reference)?.label}". Today's GPUs are already paid for, so no option includes their price.`,
		"",
		textTable(
			[
				{ head: "test", cell: (t: (typeof decision.tests)[number]) => t.test },
				{ head: "found", cell: (t) => t.found },
				{ head: "passed", cell: (t) => (t.passed ? "yes" : "no") },
			],
			decision.tests,
		),
		...sensitivityLines(report),
		"",
		`Pilot     ${decision.pilot.family} (${decision.pilot.team}): ${decision.pilot.policy}, at most $${n(decision.pilot.capUsd)}, ${decision.pilot.weeks} weeks`,
		"",
	].join("\n");
}

function sensitivityLines({ sensitivities, options }: PlanComparison): string[] {
	if (sensitivities.length === 0) return [];
	const best = options
		.filter(({ kind, addedGpus }) => kind === "mix" && addedGpus > 0)
		.sort((a, b) => b.finance.npvUsd - a.finance.npvUsd)[0];
	return [
		"",
		`NPV of "${best?.label ?? ""}" with one assumption changed`,
		textTable<Sensitivity>(
			[
				{ head: "assumption", cell: (s) => s.name },
				{ head: "base", cell: (s) => s.base },
				{ head: "low", cell: (s) => s.low.value },
				{ head: "NPV $", cell: (s) => n(s.low.npvUsd) },
				{ head: "high", cell: (s) => s.high.value },
				{ head: "NPV $", cell: (s) => n(s.high.npvUsd) },
			],
			sensitivities,
		),
	];
}

function n(value: number): string {
	return Math.round(value).toLocaleString("en-US");
}
