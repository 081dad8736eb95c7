import { plural } from "#server/domain/sentence-facts.ts";
import { textTable } from "#server/simulation/report/text-table.ts";
import { span } from "../candidates/score.ts";
import type { PlanAssessment, WaitGroup } from "../types.ts";

const BASIS = {
	given: "as given",
	recorded_peak: "the most that ran at once; give --gpus for another figure",
	work_80: "carries 80% of the work; give --gpus for your own",
} as const;
const WAITS = {
	recorded: "recorded",
	simulated: "simulated on your GPUs alone, with backfill: the history has no starts",
	unknown: "unknown: the history has no starts, and is too large to simulate",
} as const;
const TEAMS_MAX = 8;
const CANDIDATES_SHOWN = 10;

/** Text form of the assessment. Lines fit 120 characters. */
export function renderAssessment(report: PlanAssessment): string {
	return [
		...header(report),
		...selection(report),
		...demand(report),
		...waits(report),
		...losses(report),
		...commitments(report),
		...candidates(report),
		"",
	].join("\n");
}

function header({ history, capacity }: PlanAssessment): string[] {
	const { notes, badRows } = history;
	const left = [
		notes.withoutGpus > 0 ? `${n(notes.withoutGpus)} without GPUs` : "",
		notes.neverStarted > 0 ? `${n(notes.neverStarted)} never started` : "",
		badRows.count > 0 ? `${n(badRows.count)} unreadable` : "",
	].filter((part) => part !== "");
	return [
		`History   ${history.source}: ${n(history.jobs)} jobs, ${n(history.gpuHours)} GPU-hours, ${n(history.teams)} teams, ${history.days} days`,
		`          ${history.from.slice(0, 10)} to ${history.to.slice(0, 10)}${history.isStartKnown ? "" : " (dates assumed)"}${left.length > 0 ? `; left out: ${left.join(", ")}` : ""}`,
		...badRows.first.slice(0, 5).map((row) => `          line ${row.line}: ${row.message}`),
		`Capacity  ${n(capacity.gpus)} GPUs, ${BASIS[capacity.basis]}`,
	];
}

function selection({ selection: s }: PlanAssessment): string[] {
	if (!s) return [];
	const parts = Object.entries({ team: s.team, class: s.class, GPU: s.gpu }).flatMap(([of, name]) =>
		name === null ? [] : [`${of} ${name}`],
	);
	return [
		`Selection ${parts.join(", ")}: ${n(s.jobs)} jobs, ${n(s.gpuHours)} GPU-hours`,
		"          Demand, waits, lost work, jobs that never fit and candidates: the selection, next to all other jobs.",
		"          History, capacity, use, idle time and reserved GPUs: all jobs.",
	];
}

function demand({ demand: d }: PlanAssessment): string[] {
	return [
		"",
		"Demand",
		`  mean ${n(d.meanGpus)} GPUs, peak ${n(d.peakGpus)}`,
		`  at most ${d.lines.map(({ shareOfHours, gpus }) => `${n(gpus)} in ${percent(shareOfHours)}`).join(", ")} of the hours`,
		`  ${d.baseline.map(({ shareOfWork, gpus }) => `${n(gpus)} GPUs carry ${percent(shareOfWork)}`).join(", ")} of the work`,
		`  your capacity carries ${percent(d.carriedShare)}; ${n(d.overflowGpuHours)} GPU-hours of demand exceed it`,
		`  hour of the week explains ${percent(d.seasonality.hourOfWeekShare)} of the variation${d.seasonality.weekendRatio === null ? "" : `; weekends have ${percent(d.seasonality.weekendRatio)} of a weekday's demand`}`,
	];
}

function waits({ waits: w }: PlanAssessment): string[] {
	const table = (title: string, rows: readonly WaitGroup[]): string[] =>
		rows.length === 0
			? []
			: [
					"",
					textTable(
						[
							{ head: title, cell: (row: WaitGroup) => row.name },
							{ head: "jobs", cell: (row) => n(row.jobs) },
							{ head: "mean", cell: (row) => span(row.meanS * 1000) },
							{ head: "P50", cell: (row) => span(row.p50S * 1000) },
							{ head: "P95", cell: (row) => span(row.p95S * 1000) },
						],
						rows,
					),
				];
	const all = w.all ? [{ name: "all", ...w.all }] : [];
	return [
		"",
		`Waits (${WAITS[w.basis]})`,
		...table("", all),
		...table("size", w.bySize),
		...table("class", w.byClass),
		...table("team", w.byTeam.slice(0, TEAMS_MAX)),
	];
}

function losses({ idle, lostWork, neverFit }: PlanAssessment): string[] {
	return [
		"",
		"Lost",
		...(idle
			? [
					`  in use ${percent(idle.utilisation)}; idle ${n(idle.noDemandGpuHours)} GPU-hours without a queue, ${n(idle.blockedGpuHours)} while jobs waited`,
				]
			: []),
		`  ${n(lostWork.gpuHours)} GPU-hours (${percent(lostWork.share)}) in jobs that did not complete`,
		`  ${n(neverFit.jobs)} jobs need more GPUs than you own${neverFit.jobs > 0 ? ` (up to ${n(neverFit.largestGpus)})` : ""}`,
	];
}

function commitments({ commitments: c }: PlanAssessment): string[] {
	if (c.onDemandUsdPerGpuHour === null) return [];
	const off = `${percent(c.discountShare)} off $${c.onDemandUsdPerGpuHour.toFixed(2)} (--commitment-discount)`;
	const best = c.steps.find(({ gpus }) => gpus === c.bestGpus);
	return [
		"",
		"Reserved GPUs for the demand above your capacity",
		best
			? `  ${n(best.gpus)} at ${off} would have been filled ${percent(best.filled)} and saved $${n(best.savedUsd)}; with 20% less demand ${best.savedIfDemandFallsUsd < 0 ? `they cost $${n(-best.savedIfDemandFallsUsd)} more` : `they save $${n(best.savedIfDemandFallsUsd)}`}`
			: `  none at ${off}: no GPU would have been filled for more than ${percent(c.breakEvenShare)} of the time`,
	];
}

function candidates({ candidates: found, candidatesLeftOut }: PlanAssessment): string[] {
	const shown = found.slice(0, CANDIDATES_SHOWN);
	if (shown.length === 0) return ["", "Burst candidates: none. No family waited 15 min on average or requested more than you own."];
	const more = found.length - shown.length + candidatesLeftOut;
	return [
		"",
		"Burst candidates",
		textTable(
			[
				{ head: "family", cell: (c: (typeof shown)[number]) => `${c.label} (${c.team}), ${plural(c.gpus, "GPU")}` },
				{ head: "score", cell: (c) => String(c.score) },
				{ head: "overflow GPU-h", cell: (c) => n(c.overflowGpuHours) },
				{ head: "mean wait", cell: (c) => (c.meanWaitS === null ? "unknown" : span(c.meanWaitS * 1000)) },
				{ head: "spot $", cell: (c) => (c.spotUsd === null ? "unknown" : n(c.spotUsd)) },
				{ head: "on demand $", cell: (c) => (c.onDemandUsd === null ? "unknown" : n(c.onDemandUsd)) },
			],
			shown,
		),
		...shown.slice(0, 3).map((c) => `  ${c.label}: ${c.reasons.map(({ text }) => text).join(" ")}`),
		...(more > 0 ? [`  ${n(more)} more ${more === 1 ? "family" : "families"}. --json lists up to 25.`] : []),
	];
}

function n(value: number): string {
	return Math.round(value).toLocaleString("en-US");
}

function percent(share: number): string {
	return `${Math.round(share * 1000) / 10}%`;
}
