"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState, Forbidden } from "#components/page/states.tsx";
import { BacktestProgress } from "#components/policies/backtest/backtest-progress.tsx";
import { Details } from "#components/policies/backtest/details.tsx";
import { EstimateFigures } from "#components/policies/backtest/estimate-figures.tsx";
import { Figures } from "#components/policies/backtest/figures.tsx";
import { MovesTable } from "#components/policies/backtest/moves-table.tsx";
import { ShadowPanel } from "#components/policies/backtest/shadow-panel.tsx";
import { useAutoRun, useAutoRunSetting } from "#components/policies/backtest/use-auto-run.ts";
import { usePreparedWorker } from "#components/policies/backtest/use-prepared-worker.ts";
import { formatDay } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { notify } from "#components/ui/toast.tsx";

type Backtest = Outputs["backtest"]["get"];
const DAYS = ["7", "30", "90"] as const;
type Days = (typeof DAYS)[number];
const NUMBER_OF: Record<Days, 7 | 30 | 90> = { "7": 7, "30": 30, "90": 90 };
/** Until the first figures, and afterwards. */
const ASK_EVERY_MS = { first: 100, rest: 300 };

interface BacktestPanelProps {
	name: string;
	/** The current draft. */
	source: string;
	/** The draft has no errors. */
	ready: boolean;
	/** The draft is the active version's text. */
	unchanged: boolean;
	/** Read-only users see no backtests. */
	canRun: boolean;
}

/**
 * Compares the draft with the active version on the site's own history. The shown backtest is in the URL as `backtest`;
 * the default is this policy's newest. Publishing records its ID as reviewed.
 */
export function BacktestPanel(props: BacktestPanelProps) {
	const trpc = useTRPC();
	const [chosen] = useQueryState("backtest", parseAsString);
	const newest = useQuery({ ...trpc.backtest.list.queryOptions({ name: props.name, limit: 1 }), enabled: props.canRun && chosen === null });
	const id = chosen ?? newest.data?.[0]?.id ?? null;
	const got = useQuery({
		...trpc.backtest.get.queryOptions({ id: id ?? "" }),
		enabled: props.canRun && id !== null,
		refetchInterval: ({ state: { data } }) => (isPending(data) ? ASK_EVERY_MS[data?.estimate ? "rest" : "first"] : false),
	});
	if (!props.canRun) return <Forbidden what="backtests" who="platform engineers" detail="They show jobs of every team." />;
	const error = newest.error ?? got.error;
	return (
		<div className="grid min-w-0 gap-4" id="backtest">
			<Panel title="Backtest" sub={<Subject backtest={got.data ?? null} />} actions={<Controls {...props} backtest={got.data ?? null} />}>
				{error ? (
					<ErrorState title="Could not load the backtest" detail={describeError(error).detail} onRetry={() => void got.refetch()} />
				) : (
					<Course {...props} backtest={got.data ?? null} loading={newest.isLoading || got.isLoading} />
				)}
			</Panel>
			{got.data?.result && got.data.source === props.source && (
				<>
					<MovesTable result={got.data.result} baseVersion={got.data.baseVersion} toMs={Date.parse(got.data.to)} />
					<Details result={got.data.result} baseVersion={got.data.baseVersion} />
				</>
			)}
			<ShadowPanel {...props} />
		</div>
	);
}

function isPending(backtest: Pick<Backtest, "state"> | null | undefined): boolean {
	return backtest?.state === "queued" || backtest?.state === "running";
}

function Subject({ backtest }: { backtest: Backtest | null }) {
	if (!backtest) return "the draft on your own history";
	const span = `${formatDay(Date.parse(backtest.from), false)} to ${formatDay(Date.parse(backtest.to), false)}`;
	const jobs = backtest.result ? `${formatCount(backtest.result.draft.jobs)} jobs, ` : "";
	return `draft vs version ${backtest.baseVersion}, ${jobs}${span}`;
}

function Controls({ name, source, ready, unchanged, backtest }: BacktestPanelProps & { backtest: Backtest | null }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [, setChosen] = useQueryState("backtest", parseAsString);
	const [days, setDays] = useState<Days>("30");
	const settled = {
		onError: (error: unknown) => notify({ tone: "failed", title: "Could not run the backtest", detail: describeError(error).detail }),
		onSettled: () => client.invalidateQueries({ queryKey: trpc.backtest.pathKey() }),
	};
	const start = useMutation(trpc.backtest.start.mutationOptions({ ...settled, onSuccess: ({ id }) => void setChosen(id) }));
	const cancel = useMutation(trpc.backtest.cancel.mutationOptions(settled));
	const [automatic, setAutomatic] = useAutoRunSetting();
	const [started, setStarted] = useState<string | null>(null);
	// An automatic start that fails, for example when ten are queued, leaves the figures grey.
	const { mutate: startQuietly } = useMutation(
		trpc.backtest.start.mutationOptions({
			onSuccess: (backtest) => {
				client.setQueryData(trpc.backtest.get.queryKey({ id: backtest.id }), backtest);
				setStarted(backtest.id);
				void setChosen(backtest.id);
			},
			onSettled: settled.onSettled,
		}),
	);
	useAutoRun({
		...{ source, ready: ready && !unchanged, shown: backtest?.source ?? null },
		onStart: (text) => startQuietly({ name, source: text, days: NUMBER_OF[days], replace: true }),
	});
	usePreparedWorker(source, automatic);
	const { mutate: cancelQuietly } = useMutation(trpc.backtest.cancel.mutationOptions({ onSettled: settled.onSettled }));
	const outdated = isPending(backtest) && backtest?.id === started && backtest?.source !== source ? started : null;
	// Stops work on a draft that was edited since.
	useEffect(() => {
		if (outdated !== null) cancelQuietly({ id: outdated });
	}, [outdated, cancelQuietly]);
	const afterEdits = (
		<CheckField label="Run after edits" checked={automatic} onChange={(event) => setAutomatic(event.currentTarget.checked)} />
	);
	if (backtest && isPending(backtest)) {
		return (
			<>
				{afterEdits}
				<Button size="sm" busy={cancel.isPending} onClick={() => cancel.mutate({ id: backtest.id })}>
					Cancel
				</Button>
			</>
		);
	}
	const options = DAYS.map((value) => ({ value, label: `${value} days` }));
	return (
		<>
			{afterEdits}
			<SegmentedControl label="Last" name="backtest-days" value={days} options={options} onChange={setDays} />
			<Button
				size="sm"
				{...(backtest && backtest.source !== source && { variant: "primary" as const })}
				disabled={!ready}
				busy={start.isPending}
				title={ready ? undefined : "Fix the draft's errors first"}
				onClick={() => start.mutate({ name, source, days: NUMBER_OF[days] })}
			>
				{backtest ? "Run again" : "Run"}
			</Button>
		</>
	);
}

function Course({ source, backtest, loading }: BacktestPanelProps & { backtest: Backtest | null; loading: boolean }) {
	if (loading) return <TextSkeleton lines={3} label="Loading backtest" />;
	if (!backtest) {
		return (
			<p className="px-4 pb-4 text-pretty text-ink-2">
				Replays your submitted jobs under the draft and the active version, with recorded prices and capacity. Takes up to half a minute.
			</p>
		);
	}
	if (isPending(backtest))
		return (
			<div className="grid gap-4 px-4 pb-4">
				{backtest.estimate && backtest.source === source && <EstimateFigures estimate={backtest.estimate} toMs={Date.parse(backtest.to)} />}
				<BacktestProgress backtest={backtest} />
			</div>
		);
	if (backtest.state === "cancelled") return <p className="px-4 pb-4 text-ink-3">Cancelled.</p>;
	if (!backtest.result) return <ErrorState title="Backtest failed" detail={backtest.error ?? "No reason recorded."} />;
	const stale = backtest.source !== source;
	return (
		<>
			<div className={cn(stale && "grayscale [&_*]:text-ink-3!")}>
				<Figures result={backtest.result} fromMs={Date.parse(backtest.from)} toMs={Date.parse(backtest.to)} />
			</div>
			<p className="flex items-center gap-2 border-t px-4 py-2.5 text-xs text-ink-2">
				{stale && <span aria-hidden className="size-1.5 flex-none rounded-full bg-warn" />}
				<span>
					Ran <Time atMs={Date.parse(backtest.finishedAt ?? backtest.createdAt)} />
					{stale ? ", on another draft. Run it again for this one." : ", on this draft."}
				</span>
			</p>
		</>
	);
}
