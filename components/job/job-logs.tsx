"use client";
import { useQueryState } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useLive } from "#components/trpc/live-updates.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dot } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { SearchInput, Select } from "#components/ui/input.tsx";
import { Panel, PanelHeader } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { notify } from "#components/ui/toast.tsx";
import { findLines, lineAt, logFile } from "./log-lines.ts";
import { LogView, type LogViewHandle } from "./log-view.tsx";
import { jobPageParams } from "./search-params.ts";
import { useLog } from "./use-log.ts";

/** The log of one attempt; follows while the command runs. `atMs` scrolls to the attempt and line of that moment. */
export function JobLogs({ job, atMs = null }: { job: JobDetail; atMs?: number | null }) {
	const [wanted, setWanted] = useQueryState("attempt", jobPageParams.attempt);
	const newest = job.attemptList.at(-1)?.number ?? 0;
	const scrubbed = atMs === null ? undefined : job.attemptList.findLast((a) => Date.parse(a.createdAt) <= atMs)?.number;
	const attempt = scrubbed ?? (job.attemptList.some((a) => a.number === wanted) ? (wanted ?? newest) : newest);
	if (job.synthetic || newest === 0) {
		return (
			<Panel title="Log">
				<EmptyState icon="jobs" title={job.synthetic ? "No log" : "No log yet"}>
					{job.synthetic
						? "Simulated demo job: no command ran."
						: job.finishedAt === null
							? "Output appears here once the job runs."
							: "The job was never placed, so its command never ran."}
				</EmptyState>
			</Panel>
		);
	}
	const choice = job.attemptList.length > 1 && (
		<Select
			aria-label="Attempt"
			value={attempt}
			onChange={(event) => void setWanted(Number(event.currentTarget.value) === newest ? null : Number(event.currentTarget.value))}
			className="w-40"
		>
			{job.attemptList.map((a) => (
				<option key={a.id} value={a.number}>
					Attempt {a.number}, {a.state}
				</option>
			))}
		</Select>
	);
	return (
		<Panel>
			<PanelGate
				what="the log"
				fallback={
					<>
						<PanelHeader title="Log" actions={choice} />
						<TextSkeleton lines={8} label="Loading log" className="h-104" />
					</>
				}
			>
				<Log key={attempt} job={job} attempt={attempt} choice={choice} atMs={atMs} />
			</PanelGate>
		</Panel>
	);
}

type LogProps = { job: JobDetail; attempt: number; choice: React.ReactNode; atMs: number | null };

function Log({ job, attempt, choice, atMs }: LogProps) {
	const { log, earlier, loading, readEarlier, readAll } = useLog(job.id, attempt);
	const [following, setFollowing] = useState(true);
	const [text, setText] = useState("");
	const [hit, setHit] = useState(0);
	const view = useRef<LogViewHandle>(null);
	const hits = findLines(log.lines, text);
	const marked = atMs === null ? null : lineAt(log.lines, atMs);
	// Synchronizes the virtual list with the cursor of the timeline.
	useEffect(() => {
		if (marked === null) return;
		setFollowing(false);
		view.current?.show(marked);
	}, [marked]);
	const goTo = (index: number) => {
		const next = hits.length === 0 ? 0 : (index + hits.length) % hits.length;
		setHit(next);
		setFollowing(false);
		const line = hits[next];
		if (line !== undefined) view.current?.show(line);
	};
	const search = (value: string) => {
		setText(value);
		setHit(0);
		const [first] = findLines(log.lines, value);
		if (first !== undefined) view.current?.show(first);
	};
	return (
		<>
			<PanelHeader
				title="Log"
				sub={<LogStatus complete={log.complete} attempt={attempt} loaded={log.lines.length} total={log.total} />}
				actions={
					<>
						{choice}
						<SearchInput
							label={`Search ${formatCount(log.lines.length)} lines`}
							hint={null}
							value={text}
							className="w-52 max-md:w-full"
							onChange={(event) => search(event.currentTarget.value)}
							onKeyDown={(event) => {
								if (event.key === "Enter") goTo(hit + (event.shiftKey ? -1 : 1));
								if (event.key === "Escape") setText("");
							}}
						/>
						{text.trim() !== "" && (
							<span role="status" className="tabular text-xs">
								{hits.length === 0 ? "no matches" : `${formatCount(hit + 1)} of ${formatCount(hits.length)}`}
							</span>
						)}
						{!log.complete && (
							<Button size="sm" aria-pressed={following} onClick={() => setFollowing(!following)}>
								{following ? "Following" : "Follow"}
							</Button>
						)}
						<Download name={`${job.name}-${attempt}.log`} readAll={readAll} />
					</>
				}
			/>
			<LogView
				ref={view}
				lines={log.lines}
				complete={log.complete}
				following={following}
				onFollow={setFollowing}
				hits={hits}
				hit={hits[hit] ?? marked}
				earlier={earlier}
				loading={loading}
				onEarlier={() => {
					readEarlier().catch((error: unknown) =>
						notify({ tone: "failed", title: "Could not load earlier lines", detail: describeError(error).detail }),
					);
				}}
			/>
		</>
	);
}

function LogStatus({ complete, attempt, loaded, total }: { complete: boolean; attempt: number; loaded: number; total: number }) {
	const live = useLive();
	const lines = `${formatCount(total)} ${total === 1 ? "line" : "lines"}${loaded < total ? `, ${formatCount(loaded)} loaded` : ""}`;
	return (
		<span className="inline-flex items-center gap-1.75">
			{!complete && <Dot tone={live === "live" ? "ok" : "neutral"} className="size-1.5" />}
			<span>
				{complete ? "Complete" : live === "live" ? "Live" : "Connecting"}, attempt {attempt}, <span className="tabular">{lines}</span>
			</span>
		</span>
	);
}

function Download({ name, readAll }: { name: string; readAll: () => Promise<Parameters<typeof logFile>[0]> }) {
	const [busy, setBusy] = useState(false);
	const download = async () => {
		setBusy(true);
		try {
			const url = URL.createObjectURL(new Blob([logFile(await readAll())], { type: "text/plain" }));
			Object.assign(document.createElement("a"), { href: url, download: name }).click();
			URL.revokeObjectURL(url);
		} catch (error) {
			notify({ tone: "failed", title: "Could not download the log", detail: describeError(error).detail });
		} finally {
			setBusy(false);
		}
	};
	return (
		<Button size="sm" busy={busy} onClick={() => void download()}>
			Download
		</Button>
	);
}
