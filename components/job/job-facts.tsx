"use client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Carbon } from "#components/emissions/carbon.tsx";
import { energyQuality } from "#components/emissions/quality.ts";
import { Money } from "#components/money/money.tsx";
import { TemplateName } from "#components/pipelines/origin-facts.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { formatShort, formatSpan } from "#components/time/format-time.ts";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { AttemptView, JobDetail } from "#components/trpc/outputs.ts";
import { useAwaitedQuery } from "#components/trpc/queries.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { Meter } from "#components/ui/meter.tsx";
import { SECOND_MS } from "#server/kernel/units.ts";
import { ReasonText } from "../job-state/reason-text.tsx";
import { liveAttempt, type Outlook } from "./outlook.ts";
import { parseStaging } from "./staging.ts";
import { useNowFor, useOutlook } from "./use-job.ts";

const ms = (iso: string) => Date.parse(iso);

/** Page header: six figures on one baseline. */
export function JobFacts({ job }: { job: JobDetail }) {
	const nowMs = useNowFor(job);
	const outlook = useOutlook(job, nowMs);
	return (
		<FactStrip columns="1.4fr 1fr 1fr 1.15fr 1fr .8fr">
			<WhereFact job={job} />
			<ProgressFact job={job} outlook={outlook} />
			<FinishFact job={job} outlook={outlook} nowMs={nowMs} />
			<RoomFact job={job} outlook={outlook} nowMs={nowMs} />
			<Fact
				label={job.finishedAt === null ? "Cost so far" : "Cost"}
				note={
					outlook.totalMicroUsd !== null && job.finishedAt === null ? (
						<>
							of <Money value={outlook.totalMicroUsd} kind="estimate" />
						</>
					) : (
						attemptsNote(job)
					)
				}
			>
				<Money value={job.costMicroUsd} />
			</Fact>
			<EmissionsFact job={job} />
		</FactStrip>
	);
}

function EmissionsFact({ job }: { job: JobDetail }) {
	const { data: receipt } = useAwaitedQuery(useTRPC().job.receipt.queryOptions({ id: job.id }));
	const isEstimated = receipt !== undefined && receipt.totals.measuredEnergyMilliWh < receipt.totals.energyMilliWh;
	return (
		<Fact
			label={job.finishedAt === null ? "CO2 so far" : "CO2"}
			note={receipt && (receipt.totals.energyMilliWh > 0n ? `operational; ${energyQuality(receipt.totals)}` : "no energy metered")}
		>
			<Carbon grams={job.emissionsGrams} estimate={isEstimated} />
		</Fact>
	);
}

const attemptsNote = (job: JobDetail): string =>
	job.attemptList.length === 0 ? "not started" : job.attemptList.length === 1 ? "1 attempt" : `${job.attemptList.length} attempts`;

function WhereFact({ job }: { job: JobDetail }) {
	const last = job.attemptList.at(-1);
	const live = liveAttempt(job);
	const placement = live?.placement ?? (job.finishedAt !== null ? last?.placement : undefined);
	const submitted = (
		<>
			Team {job.team}
			{job.project && `, project ${job.project}`}, submitted <Time atMs={ms(job.submittedAt)} />
			{job.template && (
				<>
					{" "}
					from template <TemplateName template={job.template} />
				</>
			)}
		</>
	);
	if (!placement) {
		return (
			<Fact
				label={job.finishedAt === null ? "Queued" : "Last location"}
				wide
				note={
					<>
						{job.gpus} GPU{job.gpus === 1 ? "" : "s"} requested
						<br />
						{submitted}
					</>
				}
			>
				{job.finishedAt === null ? <Elapsed sinceMs={ms(job.pendingSince)} precise /> : "never placed"}
			</Fact>
		);
	}
	const machine = placement.instanceType ?? placement.accelerator ?? "";
	const machines = job.spec.nodes > 1 ? `${job.spec.nodes} × ${machine}` : machine;
	return (
		<Fact
			label={job.finishedAt === null ? "Location" : "Last location"}
			wide
			note={
				<>
					{placement.capacityType === "owned"
						? ""
						: `${placement.capacityType === "on_demand" ? "On-demand" : capital(placement.capacityType)}, `}
					{placement.instanceType === null ? `${job.gpus} × ${machine}` : machines}
					{last && (
						<>
							{" "}
							for <Elapsed sinceMs={ms(last.createdAt)} untilMs={last.finishedAt === null ? null : ms(last.finishedAt)} />
						</>
					)}
					<br />
					{submitted}
				</>
			}
		>
			<Place {...shownPlace(placement)} word={false} />
		</Fact>
	);
}

function ProgressFact({ job, outlook }: { job: JobDetail; outlook: Outlook }) {
	if (job.finishedAt !== null) {
		const exitCode = job.attemptList.at(-1)?.exitCode ?? null;
		const succeeded = job.state === "succeeded" && exitCode !== null;
		return (
			<Fact label="Result" note={succeeded ? `exit code ${exitCode}` : <ReasonText reason={job.reason} />}>
				{job.state}
			</Fact>
		);
	}
	const live = liveAttempt(job);
	if (live?.clusterWait) {
		return (
			<Fact label="Queued at cluster" note={`reason: ${live.clusterWait.reason}`}>
				<Elapsed sinceMs={ms(live.createdAt)} precise />
			</Fact>
		);
	}
	if (live?.state === "staging") return <StagingFact jobId={job.id} attempt={live} />;
	if (outlook.progress === null || outlook.workMs === null) {
		return (
			<Fact label="Progress" note="no run time estimate">
				{outlook.doneMs > 0 ? formatSpan(outlook.doneMs) : "–"}
			</Fact>
		);
	}
	const words = `${formatSpan(outlook.doneMs)} of about ${formatSpan(outlook.workMs)}`;
	const overMs = outlook.doneMs - outlook.workMs;
	if (overMs >= SECOND_MS) {
		return (
			<Fact
				label="Progress"
				graphic={<Meter value={1} max={1} fill="warn" label={words} />}
				note={`forecast was ${formatSpan(outlook.workMs)}`}
			>
				{formatSpan(overMs)} over forecast
			</Fact>
		);
	}
	return (
		<Fact label="Progress" graphic={<Meter value={outlook.progress} max={1} label={words} />} note={words}>
			{formatPercent(Math.round(outlook.progress * 100) / 100)}
		</Fact>
	);
}

/** How often staging progress is read from a machine's log; machines report every 10 s. */
const STAGING_READ_MS = 5_000;

function StagingFact({ jobId, attempt }: { jobId: string; attempt: AttemptView }) {
	const trpc = useTRPC();
	const { data } = useQuery({
		...trpc.job.logs.queryOptions({ id: jobId, page: { attempt: attempt.number, tail: 50 } }),
		refetchInterval: STAGING_READ_MS,
	});
	const staging = parseStaging(data?.lines ?? []);
	const share = staging?.share ?? null;
	return (
		<Fact
			label="Staging data"
			graphic={share !== null && staging ? <Meter value={share} max={1} label={`${staging.uri}: ${staging.text}`} /> : undefined}
			note={
				staging === null ? (
					"before the command starts"
				) : (
					<span className="[overflow-wrap:anywhere]">{`${staging.uri}: ${staging.text}`}</span>
				)
			}
		>
			{share === null ? <Elapsed sinceMs={ms(attempt.stagingAt ?? attempt.createdAt)} precise /> : formatPercent(share)}
		</Fact>
	);
}

function FinishFact({ job, outlook, nowMs }: { job: JobDetail; outlook: Outlook; nowMs: number }) {
	if (job.finishedAt !== null) {
		const ran = job.startedAt === null ? null : ms(job.finishedAt) - ms(job.startedAt);
		return (
			<Fact label="Ended" note={ran === null ? "never started" : `${formatSpan(ran, true)} after first start`}>
				<Time atMs={ms(job.finishedAt)} form="short" fact={`job/${job.id}/finished`} />
			</Fact>
		);
	}
	const waits = liveAttempt(job) === null;
	const range = waits ? job.forecast : outlook.finish;
	return (
		<Fact label={waits ? "Owned start" : "Finish"} note={range ? `by ${formatShort(range.p90Ms, nowMs)} in 9 of 10` : "no forecast"}>
			{range ? (
				<span className="text-ink-2" suppressHydrationWarning>
					<span className="font-book text-ink-3">≈ </span>
					{formatShort(range.p50Ms, nowMs)}
				</span>
			) : (
				"–"
			)}
		</Fact>
	);
}

function RoomFact({ job, outlook, nowMs }: { job: JobDetail; outlook: Outlook; nowMs: number }) {
	if (job.deadlineAt === null) {
		return (
			<Fact label="Deadline" wide note={job.checkpoints.length > 0 || job.spec.checkpoint ? "saves checkpoints" : "no checkpoints"}>
				none
			</Fact>
		);
	}
	const deadline = ms(job.deadlineAt);
	const to: ReactNode = <span className="text-sm font-book tracking-normal text-ink-3"> to {formatShort(deadline, nowMs)}</span>;
	if (job.finishedAt !== null) {
		const early = deadline - ms(job.finishedAt);
		return (
			<Fact label="Deadline" wide note={`deadline was ${formatShort(deadline, nowMs)}`}>
				{early < 0 ? <span className="text-risk-ink">{formatSpan(-early)} late</span> : `met, ${formatSpan(early)} early`}
			</Fact>
		);
	}
	const finish = outlook.finish;
	const room = deadline - (finish?.p50Ms ?? nowMs);
	const reserve = finish ? finish.p90Ms - finish.p50Ms : 0;
	const whole = Math.max(1, deadline - ms(job.submittedAt));
	return (
		<Fact
			label="Deadline slack"
			wide
			graphic={
				<Meter value={Math.max(0, room)} max={whole} fill={room < 0 ? "risk" : room < reserve ? "warn" : "ink"} label="Deadline slack" />
			}
			note={
				finish
					? `after ${formatSpan(finish.p50Ms - nowMs)} of queue and run time; 9 in 10 within ${formatSpan(reserve)} more`
					: "run time unknown"
			}
		>
			{room < 0 ? <span className="text-risk-ink">{formatSpan(-room)} late</span> : formatSpan(room)}
			{to}
		</Fact>
	);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
