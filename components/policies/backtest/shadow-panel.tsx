"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { formatMoney } from "#components/money/format-money.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { notify } from "#components/ui/toast.tsx";

type Shadow = NonNullable<Outputs["shadow"]["get"]>;
const READ_EVERY_MS = 2_000;

interface ShadowPanelProps {
	name: string;
	/** The current draft. */
	source: string;
	/** The draft has no errors. */
	ready: boolean;
	canRun: boolean;
}

/** Runs a draft next to the published policy on new work, recording decisions only. */
export function ShadowPanel({ name, source, ready, canRun }: ShadowPanelProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const got = useQuery({
		...trpc.shadow.get.queryOptions({ name }),
		enabled: canRun,
		refetchInterval: ({ state }) => (state.data && state.data.stoppedAt === null ? READ_EVERY_MS : false),
	});
	const settled = {
		onError: (error: unknown) => notify({ tone: "failed", title: "Could not change shadow mode", detail: describeError(error).detail }),
		onSettled: () => client.invalidateQueries({ queryKey: trpc.shadow.pathKey() }),
	};
	const start = useMutation(trpc.shadow.start.mutationOptions(settled));
	const stop = useMutation(trpc.shadow.stop.mutationOptions(settled));
	if (!canRun) return null;
	const shadow = got.data ?? null;
	const runs = shadow !== null && shadow.stoppedAt === null;
	const button = runs ? (
		<Button size="sm" busy={stop.isPending} onClick={() => stop.mutate({ id: shadow.id })}>
			Stop
		</Button>
	) : (
		<Button size="sm" disabled={!ready} busy={start.isPending} onClick={() => start.mutate({ name, source })}>
			Run in shadow
		</Button>
	);
	return (
		<Panel title="Shadow mode" sub="the draft decides alongside the active policy without acting" actions={button} id="shadow">
			{got.error ? (
				<ErrorState title="Could not load shadow mode" detail={describeError(got.error).detail} onRetry={() => void got.refetch()} />
			) : got.isLoading ? (
				<TextSkeleton lines={2} label="Loading shadow mode" />
			) : shadow ? (
				<Course shadow={shadow} stale={shadow.source !== source} />
			) : (
				<p className="px-4 pb-4 text-ink-2">Not running. It takes no action and uses at most a fifth of the scheduler's time.</p>
			)}
		</Panel>
	);
}

function Course({ shadow, stale }: { shadow: Shadow; stale: boolean }) {
	const { decided, agreed, differences, publishedMicroUsd, draftMicroUsd } = shadow;
	return (
		<>
			<div className="grid gap-1 px-4 pb-3">
				<p className="flex flex-wrap items-center gap-2">
					<Chip tone={shadow.stoppedAt === null ? "ok" : "neutral"}>{shadow.stoppedAt === null ? "runs" : "stopped"}</Chip>
					<span className="text-ink-2">
						since <Time atMs={Date.parse(shadow.startedAt)} /> vs version {shadow.baseVersion}
						{stale && ", on an earlier draft"}
					</span>
				</p>
				<p className="tabular text-pretty">
					{decided === 0 ? (
						"No jobs placed since."
					) : (
						<>
							<b className="font-semibold">{formatPercent(agreed / decided)}</b> of {formatCount(decided)} decisions agree. Expected cost of
							bursts: active policy <b className="font-semibold">{formatMoney(publishedMicroUsd, "estimate")}</b>, draft{" "}
							<b className="font-semibold">{formatMoney(draftMicroUsd, "estimate")}</b>.
						</>
					)}
				</p>
			</div>
			{differences.length > 0 && (
				<ul aria-label="Differences">
					{differences.map((d) => (
						<li
							key={d.jobId}
							className="hairline-b grid gap-1 px-4 py-2.5 last:border-b-0 md:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_minmax(0,2fr)]"
						>
							<span>
								<Link href={`/jobs/${d.jobId}`} className="font-strong underline-offset-3 hover:underline">
									{d.name}
								</Link>{" "}
								<span className="text-xs text-ink-3">{d.team}</span>
							</span>
							<span className="text-pretty text-ink-2">{d.published.sentence}</span>
							<span className="text-pretty">{d.draft.sentence}</span>
						</li>
					))}
				</ul>
			)}
		</>
	);
}
