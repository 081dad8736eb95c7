import { NO_SUMS } from "#server/accounting/rollup.ts";
import { buildStatement } from "#server/accounting/statement.ts";
import { checkStatement } from "#server/accounting/statement-checks.ts";
import type { MonthFacts, MonthRow } from "#server/accounting/statement-facts.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { StatementView } from "../get.ts";
import { sha256Of } from "../hash.ts";

const hours = (n: number): bigint => BigInt(n * HOUR_MS);

function aRow(changes: Partial<MonthRow>): MonthRow {
	return {
		...NO_SUMS,
		...{ month: "this", team: "risk", project: "fraud", provider: "local", capacityType: "owned", accelerator: "H100-80GB" },
		...{ kind: "compute", idle: false, charges: 3 },
		...changes,
	};
}

const JOBS = 20;

/** A month of team risk that fills every section of a statement, closed as version 1 and signed. */
export function aView(team: "" | "risk" = "risk", projects = 2): StatementView {
	const names = Array.from({ length: projects }, (_, i) => (i === 0 ? "fraud" : `project-${i}`));
	const rows = names.flatMap((project, i) => [
		aRow({ project, gpuMs: hours(5_806), effectiveMicroUsd: 11_803_710_000n + BigInt(i), energyMilliWh: 4_060_000_000n }),
		aRow({ project, month: "previous", gpuMs: hours(5_000), effectiveMicroUsd: 10_000_000_000n }),
		aRow({
			project,
			provider: "aws",
			capacityType: "spot",
			gpuMs: hours(1_216),
			effectiveMicroUsd: 3_563_120_000n,
			listMicroUsd: 8_400_000_000n,
		}),
		aRow({ project, provider: "aws", capacityType: "on_demand", kind: "egress", accelerator: "", effectiveMicroUsd: 117_900_000n }),
	]);
	const job = (i: number) => ({
		...NO_SUMS,
		jobId: `job_${i}`,
		name: `train-fraud-v${i}`,
		team: "risk",
		state: "succeeded",
		effectiveMicroUsd: BigInt(JOBS - i) * 1_000_000n,
	});
	const facts: MonthFacts = {
		...{ month: "2026-10", fromMs: Date.UTC(2026, 9), toMs: Date.UTC(2026, 10), zone: "UTC", postedUntilMs: Date.UTC(2026, 10, 3, 6) },
		...{ rows, projectRows: rows, itemRows: rows },
		topJobs: new Map([[team, Array.from({ length: JOBS }, (_, i) => job(i))]]),
		waste: [{ team: "risk", key: "interrupted", microUsd: 402_180_000n, gpuMs: hours(140) }],
		burst: [{ team: "risk", jobs: 14, withoutHome: 2, savedMs: 61.3 * HOUR_MS }],
		cheapest: [{ accelerator: "H100-80GB", microUsdPerHour: 23_440_000n, gpus: 8, offer: "aws p5.48xlarge, spot, us-east-2" }],
		budgets: [
			{
				...{ team: "risk", id: "risk-cloud", scope: 'job.team == "risk"', period: "month", periodKey: "2026-10-01" },
				...{ capMicroUsd: "7000000000", postedMicroUsd: "7362040000", varianceMicroUsd: "362040000" },
				note: "Three on-demand runs met the deadline of 23 October; approved by the team's lead on 20 October.",
			},
		],
		bills: new Map([
			[
				team,
				[
					{
						...{ provider: "aws", resources: 212, unknown: 0, estimatedMicroUsd: "7362040000", billedMicroUsd: "7361370000" },
						...{ adjustedMicroUsd: "-670000", unexplainedMicroUsd: "0", note: "=cmd() is text, not a formula" },
					},
				],
			],
		]),
	};
	const content = buildStatement(facts, { team, version: 1, replaces: null });
	const closedAt = new Date(facts.postedUntilMs);
	const shown = {
		...{ version: 1, sha256: sha256Of(content), closedAt, closedBy: "Spillway, on the day set", correction: null },
		totalMicroUsd: content.totals.effectiveMicroUsd,
		signatures: [
			{
				accountId: "usr_1",
				name: "Zoë Müller",
				role: "finance" as const,
				signedAt: new Date(Date.UTC(2026, 10, 5, 9, 24)),
				closedItToo: false,
			},
		],
		differences: [],
	};
	return {
		...{
			content,
			currencyProblem: null,
			shown,
			state: "signed",
			over: true,
			intact: true,
			changedSince: null,
			versions: [shown],
			checks: checkStatement(content),
		},
		...{
			others: [],
			sent: { sent: 0, pending: 0, failed: 0, lastAt: null },
			may: { close: true, sign: true, note: true, readBills: true },
		},
	};
}
