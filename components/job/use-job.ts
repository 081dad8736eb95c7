"use client";
import { useCallback, useMemo } from "react";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { type Outlook, outlookOf } from "./outlook.ts";

export function useJob(id: string): JobDetail {
	return useSuspenseQuery(useTRPC().job.get.queryOptions({ id })).data;
}

/** Refresh every 2 s while running; ended jobs are static. */
const STEP_MS = 2_000;

export function useNowFor(job: Pick<JobDetail, "finishedAt">): number {
	const ended = job.finishedAt !== null;
	return useTime(useCallback((now: number) => Math.floor(now / (ended ? 60_000 : STEP_MS)) * (ended ? 60_000 : STEP_MS), [ended]));
}

export function useOutlook(job: JobDetail, nowMs: number): Outlook {
	const trpc = useTRPC();
	const { data: decisions } = useSuspenseQuery(trpc.job.decisions.queryOptions({ id: job.id }));
	return useMemo(() => outlookOf(job, decisions, nowMs), [job, decisions, nowMs]);
}

/** Whether the signed-in person may run and change jobs. */
export function useMaySubmit(): boolean {
	const { data: me } = useSuspenseQuery(useTRPC().me.queryOptions());
	return me.kind === "person" && me.role !== "finance";
}
