import { replay } from "../replay.ts";
import { Run } from "../run.ts";
import type { ReplayScenario, StrategyChoice, TraceJob } from "../types.ts";
import { START_MS } from "./small.ts";

function clock(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	return [seconds / 3600, (seconds % 3600) / 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}

/** One line per event, and the report. */
export function eventsOf(jobs: readonly TraceJob[], scenario: ReplayScenario, choice: StrategyChoice): string {
	const lines: string[] = [];
	const {
		replaySeconds: _,
		decisionsPerSecond: __,
		...report
	} = replay(jobs, scenario, choice, {
		onEvent: (atMs, what, about) => {
			const job = about instanceof Run ? about.job : about;
			const where =
				about instanceof Run ? ` ${about.home ? `slots ${about.home.slots.join(",")}` : `${about.instances} x ${about.offer?.id}`}` : "";
			lines.push(`${clock(atMs - START_MS)} ${job.id} ${what}${where}`);
		},
	});
	return `${lines.join("\n")}\n\n${JSON.stringify(report, null, "\t")}\n`;
}
