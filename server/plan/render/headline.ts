import { textTable } from "#server/simulation/report/text-table.ts";
import type { HeadlineResult, PlanHeadline } from "../headline.ts";

/** Text form of the claims. */
export function renderHeadline(report: PlanHeadline): string {
	const percent = (share: number): string => `${share < 0 ? "−" : "+"}${Math.round(Math.abs(share) * 100)}%`;
	return [
		`${report.trace}: ${report.ownedGpus} owned GPUs (${report.peakGpus} for the peak), seed ${report.seed}`,
		"",
		textTable<HeadlineResult>(
			[
				{ head: "claim", cell: (r) => r.claim },
				{ head: "claimed", cell: ({ claimed: { from, to } }) => (from === to ? percent(to) : `${percent(to)} to ${percent(from)}`) },
				{ head: "here", cell: (r) => (r.measured === null ? "unknown" : percent(r.measured)) },
				{ head: "reached", cell: (r) => (r.reached === null ? "unknown" : r.reached ? "yes" : "no") },
				{ head: "basis", cell: (r) => r.basis },
			],
			report.results,
		),
		...report.results.map(({ claim, how }) => `${claim}: ${how}.`),
		"",
	].join("\n");
}
