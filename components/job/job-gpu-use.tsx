"use client";
import { lazy } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Panel } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** A chunk of its own: many jobs never have anything to show there. */
const MeasuredGpuUse = lazy(() => import("./measured-gpu-use.tsx").then((loaded) => ({ default: loaded.MeasuredGpuUse })));

/** How busy the GPUs of each attempt were, and what they drew, as its machines measured it. Nothing before its first attempt. */
export function JobGpuUse({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const options = trpc.job.gpuUse.queryOptions({ id: job.id });
	const { data: use } = useSuspenseQuery({ ...options, refetchInterval: job.finishedAt === null ? MINUTE_MS : false });
	if (job.attemptList.length === 0) return null;
	if (use.attempts.some(({ stretches }) => stretches.length > 0)) return <MeasuredGpuUse job={job} use={use} />;
	return (
		<Panel title="GPU use">
			<p className="max-w-[80ch] px-4 pb-4 text-pretty text-ink-2">
				Nothing was measured. Machines in a cloud that have NVIDIA's driver tell each minute how busy their GPUs were and what they drew;
				for all others energy is estimated.
			</p>
		</Panel>
	);
}
