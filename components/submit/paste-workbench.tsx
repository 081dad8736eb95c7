"use client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState } from "react";
import { CandidateTable } from "#components/decision/candidate-table.tsx";
import { decisionRows } from "#components/decision/decision-rows.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState, ErrorState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { ImportView, Inputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel, PanelHeader } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import { firstJobOf } from "#server/domain/imports/sweep.ts";
import { useSettled } from "../ui/use-settled.ts";
import { type Check, checkDraft } from "./check-draft.ts";
import { Findings } from "./findings-panel.tsx";
import { marksOf, questionKey } from "./group-findings.ts";
import { documentYaml } from "./job-yaml.ts";
import { useHeadline } from "./quote-headline.tsx";
import { QuotePanel } from "./quote-panel.tsx";
import { waysOf } from "./quote-ways.ts";
import { readDraft } from "./read-draft.ts";
import { ScriptField } from "./script-field.tsx";
import { useQuote } from "./use-quote.ts";

/** The pasted text as parsed by the server. */
export type Script = Inputs["job"]["import"];

const TYPING_MS = 300;
const NO_JOB: Check = { spec: null, problems: [], readable: true, fields: undefined };

type PasteProps = { teams: readonly string[]; onOpen: (yaml: string, check: Check, script: Script | null) => void };

/** A script or manifest next to its conversion report and quote. */
export function PasteWorkbench({ teams, onOpen }: PasteProps) {
	const [text, setText] = useState("");
	const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
	const { imported, script, error, reading, retry } = useImport(text, teams[0]);
	const [first] = imported?.documents ?? [];
	const yaml = useMemo(() => (first ? documentYaml(firstJobOf(first)) : ""), [first]);
	const check = useMemo(() => (yaml === "" ? NO_JOB : checkDraft(yaml)), [yaml]);
	const draft = useMemo(() => readDraft(yaml, check), [yaml, check]);
	const { quote, deadlineMs, ...asked } = useQuote(draft);
	const shown = yaml === "" ? null : quote;
	const ways = useMemo(() => (shown ? waysOf(shown, deadlineMs) : { home: null, burst: null }), [shown, deadlineMs]);
	const headline = useHeadline(shown, ways);
	const open = imported?.findings.filter((f) => f.kind === "question" && !answered.has(questionKey(f))).length ?? 0;
	const answer = (key: string, yes: boolean) =>
		setAnswered((before) => (yes ? new Set(before).add(key) : new Set([...before].filter((other) => other !== key))));
	const count = countJobs(imported);
	return (
		<div className="grid items-start gap-4 rail:grid-cols-[minmax(0,1fr)_25rem]">
			<div className="grid min-w-0 gap-4">
				<div className="grid items-stretch gap-4 min-[90rem]:grid-cols-2">
					<Panel>
						<PanelHeader
							title="Your script"
							sub={imported && <span className="text-xs">Read as {imported.kind === "sbatch" ? "sbatch" : "Kubernetes"}</span>}
							actions={
								<Button size="sm" disabled={text === ""} onClick={() => setText("")}>
									Paste another
								</Button>
							}
						/>
						<div className="flex min-h-80 flex-1 flex-col border-t max-[90rem]:max-h-120">
							<ScriptFieldOf text={text} imported={imported} onChange={setText} />
						</div>
					</Panel>
					<Panel>
						<PanelHeader
							title="Conversion"
							sub={count > 1 && <span className="text-xs">{count.toLocaleString("en-US")} jobs; form and quote show the first</span>}
							actions={
								<Button size="sm" disabled={yaml === ""} onClick={() => onOpen(yaml, check, script)}>
									Open in form
								</Button>
							}
						/>
						{imported ? (
							<Findings findings={imported.findings} answered={answered} onAnswer={answer} />
						) : (
							<Waiting text={text} error={error} reading={reading} onRetry={retry} />
						)}
					</Panel>
				</div>
				{shown && <Places quote={shown} gpus={shown.gpus} deadlineMs={deadlineMs} />}
			</div>
			<div className="min-w-0 max-rail:order-first rail:sticky rail:top-[calc(var(--header-h)+1.25rem)]">
				<QuotePanel
					quote={shown}
					ways={ways}
					headline={headline}
					deadlineMs={deadlineMs}
					stale={asked.stale}
					staleWhy={yaml === "" ? whyNone(text, error) : null}
					error={asked.error}
					onRetry={asked.retry}
					onUse={null}
					submit={<SubmitAll imported={imported} script={script} open={open} />}
				/>
			</div>
		</div>
	);
}

/** Jobs that the documents become: one each, and of a sweep one for each task. */
function countJobs(imported: ImportView | null): number {
	return (imported?.documents ?? []).reduce((sum, document) => sum + (document.kind === "Sweep" ? document.spec.grid.task.length : 1), 0);
}

function whyNone(text: string, error: unknown): string | null {
	if (text.trim() === "") return "Paste a script to see its quote.";
	return error ? "No quote for an invalid script. Fix it first." : null;
}

function useImport(text: string, team: string | undefined) {
	const trpc = useTRPC();
	const settled = useSettled(text, TYPING_MS);
	const [zoneOffsetMinutes] = useState(() => -new Date().getTimezoneOffset());
	const asked = settled.trim() !== "";
	const script: Script = { text: settled, zoneOffsetMinutes, ...(team === undefined ? {} : { team }) };
	const query = useQuery(trpc.job.import.queryOptions(script, { enabled: asked, placeholderData: keepPreviousData, retry: false }));
	const gone = !asked || text.trim() === "" || query.error !== null;
	return {
		imported: gone ? null : (query.data ?? null),
		/** The text that `imported` was read from; null while it is being parsed again. */
		script: gone || query.isPlaceholderData ? null : script,
		...{ error: asked ? query.error : null, reading: query.isFetching, retry: () => void query.refetch() },
	};
}

function ScriptFieldOf({ text, imported, onChange }: { text: string; imported: ImportView | null; onChange: (text: string) => void }) {
	const marks = useMemo(() => marksOf(imported?.findings ?? []), [imported]);
	return <ScriptField text={text} marks={marks} onChange={onChange} />;
}

type WaitingProps = { text: string; error: ReturnType<typeof useImport>["error"]; reading: boolean; onRetry: () => void };

function Waiting({ text, error, reading, onRetry }: WaitingProps) {
	// Below 500 the text is invalid, so a retry cannot succeed.
	if (error && !((error.data?.problem.status ?? 500) < 500)) {
		const described = describeError(error);
		return (
			<ErrorState
				title="Could not read the script"
				detail={described.detail}
				requestId={described.kind === "failed" ? described.requestId : null}
				onRetry={onRetry}
				className="border-t"
			/>
		);
	}
	if (error)
		return (
			<p role="alert" className="border-t px-4 py-3 text-risk-ink">
				{describeError(error).detail}
			</p>
		);
	if (text.trim() !== "" || reading)
		return (
			<p role="status" className="border-t px-4 py-3 text-ink-3">
				Reading…
			</p>
		);
	return (
		<EmptyState icon="upload" title="Paste an existing script">
			Paste an sbatch script or a Kubernetes manifest. Every line is converted or listed with a reason.
		</EmptyState>
	);
}

function Places({
	quote,
	gpus,
	deadlineMs,
}: {
	quote: Parameters<typeof decisionRows>[0] & { consideredCount: number };
	gpus: number;
	deadlineMs: number | null;
}) {
	const rows = useMemo(() => decisionRows(quote), [quote]);
	return (
		<Panel title="Candidates" sub={`${quote.consideredCount.toLocaleString("en-US")} with outcome`}>
			<CandidateTable rows={rows} gpus={gpus} deadlineMs={deadlineMs} compact />
		</Panel>
	);
}

function SubmitAll({ imported, script, open }: { imported: ImportView | null; script: Script | null; open: number }) {
	const trpc = useTRPC();
	const router = useRouter();
	const count = countJobs(imported);
	const sweep = imported?.documents.find(({ kind }) => kind === "Sweep");
	const create = useMutation(
		trpc.pipeline.create.mutationOptions({
			onSuccess: ({ id, name }) => {
				notify({ tone: "done", title: `Sweep ${name} submitted` });
				router.push(`/sweeps/${id}`);
			},
		}),
	);
	const done = useCallback(
		({ ids }: { ids: string[] }) => {
			notify({ tone: "done", title: ids.length === 1 ? "Job submitted" : `${ids.length} jobs submitted` });
			router.push(ids.length === 1 ? `/jobs/${ids[0]}` : "/jobs");
		},
		[router],
	);
	const submitAll = useMutation(trpc.job.submitAll.mutationOptions({ onSuccess: done }));
	const submit = sweep ? create : submitAll;
	const jobs = `${count.toLocaleString("en-US")} jobs`;
	const label = sweep ? `Submit sweep of ${jobs}` : count > 1 ? `Submit ${jobs}` : "Submit";
	return (
		<div className="grid gap-2">
			<Button
				variant="primary"
				className="h-9 w-full"
				disabled={!imported || !script || open > 0}
				busy={submit.isPending || submit.isSuccess}
				onClick={() => {
					if (sweep) create.mutate({ document: sweep });
					else if (imported && script) submitAll.mutate({ documents: imported.documents, script });
				}}
			>
				{open > 0 ? `Answer ${open === 1 ? "1 question" : `${open} questions`} to submit` : submit.isPending ? "Submitting…" : label}
			</Button>
			{submit.error && (
				<p role="alert" className="text-xs text-risk-ink">
					{describeError(submit.error).detail}
				</p>
			)}
		</div>
	);
}
