import { type Assessment, span } from "#components/plan/format-plan.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const BASIS = {
	recorded: "as recorded",
	simulated: "simulated on owned GPUs, with backfill",
	unknown: "not recorded, and too many jobs to simulate",
} as const;
const TEAMS_MAX = 6;

/** Waits by size, class and team, and where GPU time of all jobs was lost. @param of the jobs that waited; absent: all */
export function WaitsTable({ assessment, of }: { assessment: Assessment; of: string | undefined }) {
	const { waits, idle, lostWork, neverFit } = assessment;
	const groups = [
		...waits.bySize.map((group) => ({ ...group, key: `size/${group.name}` })),
		...waits.byClass.map((group) => ({ ...group, key: `class/${group.name}` })),
		...waits.byTeam.slice(0, TEAMS_MAX).map((group) => ({ ...group, key: `team/${group.name}` })),
	];
	return (
		<div className="min-w-0">
			<PanelHeader title="Waits" sub={of ? `${of}: ${BASIS[waits.basis]}` : BASIS[waits.basis]} />
			{groups.length > 0 && (
				<Table aria-label="Waits" stacks={false}>
					<thead>
						<tr>
							<Th>Size, class or team</Th>
							<Th n>Jobs</Th>
							<Th n>Mean</Th>
							<Th n>P50</Th>
							<Th n>P95</Th>
						</tr>
					</thead>
					<tbody>
						{groups.map((group) => (
							<Tr key={group.key}>
								<Td className="h-8">{group.name}</Td>
								<Td n className="h-8">
									{formatCount(group.jobs)}
								</Td>
								<Td n className="h-8">
									{span(group.meanS)}
								</Td>
								<Td n className="h-8">
									{span(group.p50S)}
								</Td>
								<Td n className="h-8">
									{span(group.p95S)}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			<p className="px-4 py-3 text-pretty text-ink-2">
				{idle &&
					`In use ${formatPercent(idle.utilisation)}; idle ${formatCount(idle.noDemandGpuHours)} GPU-hours without a queue, ${formatCount(idle.blockedGpuHours)} while jobs waited. `}
				{formatCount(lostWork.gpuHours)} GPU-hours ({formatPercent(lostWork.share)}) in jobs that did not complete.{" "}
				{formatCount(neverFit.jobs)} {neverFit.jobs === 1 ? "job needs" : "jobs need"} more GPUs than you own.
			</p>
		</div>
	);
}
