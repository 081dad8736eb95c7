"use client";
import { budgetDrill } from "#components/budgets/drill.ts";
import { budgetsHref } from "#components/budgets/params.ts";
import { againstCap } from "#components/budgets/prepare-rows.ts";
import { type ChosenBudget, useBudget } from "#components/budgets/use-budget.ts";
import { StateMark, type StateName } from "#components/job-state/state-mark.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Meter } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Teams by posted spend, and the most expensive jobs. */
export function SpendersPanel({ chosen }: { chosen: ChosenBudget }) {
	const b = useBudget(chosen);
	const teams = [
		...b.teams.map((t) => ({ ...t, name: t.team })),
		...(b.otherTeamsMicroUsd === 0n ? [] : [{ team: "", name: "other teams", postedMicroUsd: b.otherTeamsMicroUsd }]),
	];
	const share = (part: bigint) => (b.postedMicroUsd > 0n ? Number(part) / Number(b.postedMicroUsd) : 0);
	return (
		<div className="min-w-0">
			<PanelHeader title="Top spenders" sub="posted this period" />
			{teams.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">No spend this period.</p>
			) : (
				<>
					<ul className="grid grid-cols-[7rem_minmax(0,1fr)_auto] gap-x-2.5 gap-y-2 px-4 pb-3">
						{teams.map((t) => (
							<li key={t.team} className="col-span-3 grid grid-cols-subgrid items-center">
								<span className="truncate font-strong">{t.name}</span>
								<Meter
									value={Math.max(0, Number(t.postedMicroUsd))}
									max={Number(b.postedMicroUsd)}
									fill="on_demand"
									label={`${t.name}: ${formatMoney(t.postedMicroUsd, "posted")}, ${formatPercent(share(t.postedMicroUsd))} of posted spend`}
								/>
								<span className="num">
									<Drill href={t.team === "" ? null : budgetDrill(b, { team: t.team })} what={t.name}>
										<Money value={t.postedMicroUsd} />
									</Drill>{" "}
									<span className="inline-block w-11 text-ink-3">{formatPercent(share(t.postedMicroUsd))}</span>
								</span>
							</li>
						))}
					</ul>
					{b.jobs.length > 0 && (
						<Table aria-label="Top jobs by cost">
							<thead>
								<tr>
									<Th>Top jobs by cost</Th>
									<Th>Team</Th>
									<Th>State</Th>
									<Th n>Posted</Th>
								</tr>
							</thead>
							<tbody>
								{b.jobs.map((job) => (
									<Tr key={job.jobId}>
										<Td phone="a">
											<Link href={`/jobs/${job.jobId}`} className="font-strong hover:underline">
												{job.name}
											</Link>
										</Td>
										<Td phone="c">{job.team}</Td>
										<Td phone="d">
											<StateMark state={job.state as StateName} />
										</Td>
										<Td n phone="b">
											<Drill href={budgetDrill(b, { job: job.jobId })} what={job.name}>
												<Money value={job.postedMicroUsd} />
											</Drill>
										</Td>
									</Tr>
								))}
							</tbody>
						</Table>
					)}
				</>
			)}
		</div>
	);
}

/** Results of earlier periods with the cap in force then. */
export function HistoryPanel({ chosen }: { chosen: ChosenBudget }) {
	const b = useBudget(chosen);
	return (
		<div className="min-w-0">
			<PanelHeader
				title="Earlier periods"
				actions={
					chosen.period !== null && (
						<Link href={budgetsHref({ budget: b.id })} scroll={false} className="font-strong text-accent hover:underline">
							Current period
						</Link>
					)
				}
			/>
			{b.history.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">No earlier periods.</p>
			) : (
				<Table aria-label="Earlier periods">
					<thead>
						<tr>
							<Th>Period</Th>
							<Th n>Posted</Th>
							<Th n>Cap</Th>
							<Th n>Against cap</Th>
						</tr>
					</thead>
					<tbody>
						{b.history.map((p) => {
							const against =
								p.capMicroUsd === null
									? null
									: againstCap({
											capMicroUsd: p.capMicroUsd,
											forecast: { lowMicroUsd: 0n, expectedMicroUsd: p.postedMicroUsd, highMicroUsd: 0n, samples: 0 },
										});
							return (
								<Tr key={p.periodKey} selected={p.periodKey === chosen.period}>
									<Td phone="a">
										<Link href={budgetsHref({ budget: b.id, period: p.periodKey })} scroll={false} className="font-strong hover:underline">
											{formatDay(p.fromMs, false)} to {formatDay(p.toMs - 1, false)} {new Date(p.toMs - 1).getUTCFullYear()}
										</Link>
									</Td>
									<Td n phone="b">
										<Drill
											href={p.postedMicroUsd === 0n ? null : budgetDrill({ ...b, periodKey: p.periodKey })}
											what={`${b.id}, the ${b.period} from ${p.periodKey}`}
										>
											<Money value={p.postedMicroUsd} />
										</Drill>
									</Td>
									<Td n phone="c" className="max-md:text-left!">
										{p.capMicroUsd === null ? <span className="text-ink-3">none</span> : <Money value={p.capMicroUsd} kind="whole" />}
									</Td>
									<Td n phone="d">
										<span className={against?.over ? "font-semibold text-risk-ink" : "text-ink-3"}>{against?.text ?? "–"}</span>
									</Td>
								</Tr>
							);
						})}
					</tbody>
				</Table>
			)}
		</div>
	);
}
