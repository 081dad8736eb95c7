import { PHASES, phaseOf, VICTIMS } from "./plan.ts";
import { type Books, isBroken, type RunReport, type Struck } from "./run-report.ts";

/** The chaos report table: faults, violations, and time to detect and to recover by the run's clock. */
export function renderReport(reports: readonly RunReport[], tookMs: number | null, failed: readonly number[] = []): string {
	const struck = reports.flatMap((r) => r.struck);
	const sum = (of: (r: RunReport) => number) => reports.reduce((n, r) => n + of(r), 0);
	const failing = reports.filter(isBroken).map((r) => r.seed);
	const lines = [
		`${reports.length} runs${tookMs === null ? "" : ` in ${(tookMs / 1_000).toFixed(0)} s`}: ${sum((r) => r.attempts)} attempts on ${sum((r) => r.machines)} machines, ${struck.length} kills, ${sum((r) => r.faults.length)} faults of providers`,
		"",
		row(["kills", ...PHASES, "all"]),
		...VICTIMS.map((victim) => {
			const of = struck.filter((s) => s.victim === victim);
			return row([victim, ...PHASES.map((phase) => String(of.filter((s) => phaseOf(s) === phase).length)), String(of.length)]);
		}),
		"",
		`${sum((r) => r.moved.home)} moves home and ${sum((r) => r.moved.cheaper)} to cheaper capacity in ${reports.filter((r) => r.drawnTo !== null).length} runs that draw one, ${sum((r) => Number(r.outage))} outages of a region`,
		processLine(reports),
		cutLine(reports),
		`processor a run: ${(sum((r) => r.processorMs.own) / 1_000 / reports.length).toFixed(1)} s in its process, ${(sum((r) => r.processorMs.machines) / 1_000 / reports.length).toFixed(1)} s of its machines`,
		"",
		row(["orphans", "doubles", "lost jobs", "late", "lost lines", "wrong seconds", "wrong disks", "broken promises", "not at rest"]),
		row([
			String(sum((r) => r.violations.orphans.length)),
			String(sum((r) => r.violations.doubles.length)),
			String(sum((r) => r.violations.lostJobs.length)),
			String(sum((r) => r.violations.late.length)),
			String(sum((r) => r.violations.lostLines.length)),
			String(sum((r) => r.violations.seconds.length)),
			String(sum((r) => r.violations.disks.length)),
			String(sum((r) => r.violations.promises.length)),
			String(sum((r) => r.unrest.length)),
		]),
		"",
		row(["seconds", "p50", "p95"]),
		times("an agent's loss is known", struck, (s) => (s.victim === "agent" ? s.detectedMs : null)),
		times("its job runs again", struck, (s) => (s.victim === "agent" ? s.recoveredMs : null)),
		timesOf(
			"a fenced job runs again",
			reports.flatMap((r) => r.cut?.runAgainMs ?? []),
		),
		times("another scheduler is there", struck, (s) => (s.victim === "scheduler" ? s.recoveredMs : null)),
		timesOf(
			"charged beyond the bill",
			reports.flatMap((r) => r.overMs),
		),
		"",
		...(reports.length === 1
			? [
					row(["books", "machines", "succeeded", "billed s", "charged s", "slack s", "disks billed $", "charged $"]),
					...reports.flatMap((r) => r.books).map(bookRow),
					"",
				]
			: []),
		failing.length === 0
			? "nothing failed"
			: `failing seeds: ${failing.map((seed) => `npm run chaos -- --runs 1 --seed ${seed}`).join(", ")}`,
		...(failed.length > 0 ? [`could not be run: seeds ${failed.join(", ")}`] : []),
	];
	return `${lines.join("\n")}\n`;
}

/** A scheduler in the run's process is killed by cutting its sessions; a separate process is killed by the kernel. */
function processLine(reports: readonly RunReport[]): string {
	const own = reports.filter((r) => r.schedulerProcess);
	const killed = own.flatMap((r) => r.struck).filter(({ victim }) => victim === "scheduler");
	const anywhere = killed.filter((s) => phaseOf(s) === "any instant").length;
	return `${own.length} runs with schedulers as separate processes: ${killed.length} ended by SIGKILL, ${killed.length - anywhere} of them at a step and ${anywhere} at any instant`;
}

function cutLine(reports: readonly RunReport[]): string {
	const cuts = reports.flatMap((r) => r.cut ?? []);
	const sum = (of: (cut: (typeof cuts)[number]) => number) => cuts.reduce((n, cut) => n + of(cut), 0);
	return `${cuts.length} runs in which a critical job's region is cut off: ${sum((c) => c.fenced)} machines fenced, ${sum((c) => c.pauses)} commands that were paused and resumed`;
}

function bookRow(books: Books): string {
	const { cloud, machines, succeeded, billedMs, chargedMs, slackMs, diskBilledMicroUsd, diskChargedMicroUsd } = books;
	const seconds = [billedMs, chargedMs, slackMs].map((ms) => (ms / 1_000).toFixed(1));
	const dollars = [diskBilledMicroUsd, diskChargedMicroUsd].map((microUsd) => (microUsd / 1_000_000).toFixed(6));
	return row([cloud, String(machines), String(succeeded), ...seconds, ...dollars]);
}

function times(label: string, struck: readonly Struck[], of: (s: Struck) => number | null): string {
	return timesOf(
		label,
		struck.flatMap((s) => of(s) ?? []),
	);
}

function timesOf(label: string, values: number[]): string {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
	const seconds = (ms: number | undefined) => (ms === undefined ? "-" : (ms / 1_000).toFixed(1));
	return row([label, seconds(at(0.5)), seconds(at(0.95)), `of ${sorted.length}`]);
}

function row(cells: readonly string[]): string {
	const [first = "", ...rest] = cells;
	return [first.padEnd(28), ...rest.map((cell) => cell.padStart(14))].join("").trimEnd();
}
