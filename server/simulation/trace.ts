import { sentenceOf } from "#server/domain/sentences.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { formatDuration } from "#server/kernel/units.ts";
import type { CheckedRun } from "./run-checked.ts";

/** A run as a story that a person can check: what happened when, why, and what it cost. */
export function traceOf({ world, news, charges }: CheckedRun): string {
	const { startMs } = world.scenario;
	const name = (jobId: string | null): string => (jobId === null ? "" : (world.book.jobs.get(jobId)?.spec.name ?? jobId));
	const lines = news.map((line) =>
		[
			`+${formatDuration(line.atMs - startMs)}`.padEnd(14),
			line.kind.padEnd(19),
			name(line.jobId).padEnd(10),
			line.reason ? sentenceOf(line.reason) : "",
		]
			.join(" ")
			.trimEnd(),
	);
	const cost = (pick: (kind: string, capacityType: string) => boolean): string =>
		`$${microToUsdText(charges.filter((c) => pick(c.dimensions.kind, c.dimensions.capacityType)).reduce((sum, c) => sum + c.effectiveMicroUsd, 0n))}`;
	const jobs = [...world.book.jobs.values()].map((row) => {
		const spent = charges.filter((c) => c.jobId === row.id).reduce((sum, c) => sum + c.effectiveMicroUsd, 0n);
		const waited = row.startedAtMs === null ? "never started" : `waited ${formatDuration(row.startedAtMs - row.submittedAtMs)}`;
		return `${row.spec.name.padEnd(10)} ${row.state.padEnd(10)} ${String(row.attempts)} attempts, ${waited}, cost $${microToUsdText(spent)}`;
	});
	return `${[
		...lines,
		"",
		...jobs,
		"",
		`owned, used    ${cost((kind, type) => type === "owned" && kind === "compute")}`,
		`owned, idle    ${cost((kind) => kind === "idle")}`,
		`cloud, spot    ${cost((_, type) => type === "spot")}`,
		`cloud, on-demand ${cost((_, type) => type === "on_demand")}`,
	].join("\n")}\n`;
}
