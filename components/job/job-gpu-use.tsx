"use client";
import { lazy } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Panel } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Loaded separately because many jobs have no measurements. */
const MeasuredGpuUse = lazy(() => import("./measured-gpu-use.tsx").then((loaded) => ({ default: loaded.MeasuredGpuUse })));

/** GPU utilization and power per attempt, as measured on its machines. Renders nothing before the first attempt. */
export function JobGpuUse({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const options = trpc.job.gpuUse.queryOptions({ id: job.id });
	const { data: use } = useSuspenseQuery({ ...options, refetchInterval: job.finishedAt === null ? MINUTE_MS : false });
	if (job.attemptList.length === 0) return null;
	if (use.attempts.some(({ stretches }) => stretches.length > 0)) return <MeasuredGpuUse job={job} use={use} />;
	return (
		<Panel title="GPU use">
			<p className="max-w-[80ch] px-4 pb-4 text-pretty text-ink-2">
				No measurements. Cloud machines with the NVIDIA driver report utilization and power every minute; otherwise energy is estimated.
			</p>
		</Panel>
	);
}
