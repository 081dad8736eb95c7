import { type Assessment, shortUsd, span } from "#components/plan/format-plan.ts";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { plural } from "#server/domain/sentence-facts.ts";

const SHOWN_MAX = 8;

/** Job families that suit the cloud, best first, with their reasons. */
export function CandidatesTable({ assessment, of }: { assessment: Assessment; of: string | undefined }) {
	const { candidates, candidatesLeftOut } = assessment;
	const shown = candidates.slice(0, SHOWN_MAX);
	const more = candidates.length - shown.length + candidatesLeftOut;
	return (
		<div className="min-w-0">
			<PanelHeader title="Burst candidates" sub={of ? `${of}: job families, best first` : "job families, best first"} />
			{shown.length === 0 ? (
				<p className="px-4 pb-4 text-ink-2">None. No family waited 15 minutes on average or requested more than you own.</p>
			) : (
				<Table aria-label="Burst candidates" stacks={false}>
					<thead>
						<tr>
							<Th>Family</Th>
							<Th n>Score</Th>
							<Th n>Overflow GPU-h</Th>
							<Th n>Mean wait</Th>
							<Th n>Spot</Th>
							<Th n>On demand</Th>
						</tr>
					</thead>
					<tbody>
						{shown.map((c) => (
							<Tr key={`${c.team}/${c.label}/${c.gpus}`}>
								<Td className="whitespace-normal! py-1.5">
									<span className="font-medium">{c.label}</span>{" "}
									<span className="text-ink-3">
										{c.team}, {plural(c.gpus, "GPU")}
									</span>
									<span className="block min-w-64 text-xs text-pretty text-ink-2">{reasonsOf(c)}</span>
								</Td>
								<Td n>
									<Chip tone={c.score >= 70 ? "ok" : "neutral"}>{c.score}</Chip>
								</Td>
								<Td n>{formatCount(Math.round(c.overflowGpuHours))}</Td>
								<Td n>{c.meanWaitS === null ? "unknown" : span(c.meanWaitS)}</Td>
								<Td n>{c.spotUsd === null ? "unknown" : shortUsd(c.spotUsd)}</Td>
								<Td n>{c.onDemandUsd === null ? "unknown" : shortUsd(c.onDemandUsd)}</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			{more > 0 && (
				<p className="px-4 py-3 text-ink-3">
					{formatCount(more)} more {more === 1 ? "family" : "families"}. To export:{" "}
					<code className="select-all">spillway plan assess --json</code>
				</p>
			)}
		</div>
	);
}

/** Reasons for and against; missing facts are named once. */
function reasonsOf({ reasons }: Assessment["candidates"][number]): string {
	return reasons
		.filter(({ effect }) => effect !== "unknown")
		.map(({ text }) => text)
		.join(" ");
}
