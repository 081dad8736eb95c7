"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { CandidateTable } from "#components/decision/candidate-table.tsx";
import { decisionRows } from "#components/decision/decision-rows.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs, QuoteView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { Panel, PanelHeader } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import { gpusOf } from "#server/domain/job.ts";
import type { Check } from "./check-draft.ts";
import type { YamlPath } from "./edit-yaml.ts";
import { JobForm } from "./job-form.tsx";
import { OpenFile } from "./open-file.tsx";
import type { Script } from "./paste-workbench.tsx";
import { useHeadline } from "./quote-headline.tsx";
import { QuotePanel } from "./quote-panel.tsx";
import { waysOf } from "./quote-ways.ts";
import { readDraft } from "./read-draft.ts";
import type { JobTemplate } from "./templates.ts";
import { useCheck } from "./use-check.ts";
import { useEdits } from "./use-edits.ts";
import { useQuote } from "./use-quote.ts";
import { YamlField } from "./yaml-field.tsx";

/** Initial form text, and the script it was converted from; its report is stored with the job. */
export type Initial = { text: string; check: Check; script: Script | null };

type WorkbenchProps = {
	initial: Initial;
	teams: readonly string[];
	templates: readonly JobTemplate[];
};

/** The form next to its YAML and quote; form and YAML edit the same text. */
export function SubmitWorkbench({ initial, teams, templates }: WorkbenchProps) {
	const [text, setText] = useState(initial.text);
	const [script, setScript] = useState(initial.script);
	const [field, setField] = useState<YamlPath | null>(null);
	const { edits, withEdits } = useEdits();
	const check = useCheck(text, initial);
	const draft = useMemo(() => readDraft(text, check), [text, check]);
	const { quote, deadlineMs, ...asked } = useQuote(draft);
	const ways = useMemo(() => (quote ? waysOf(quote, deadlineMs) : { home: null, burst: null }), [quote, deadlineMs]);
	const headline = useHeadline(quote, ways);
	const count = draft.problems.length;
	const why = draft.spec || count === 0 ? null : `Fix ${count === 1 ? "the problem" : `${count} problems`} in the file to see its quote.`;
	const replaceText = (next: string) => {
		setText(next);
		// Another text no longer matches the pasted script.
		setScript(null);
	};
	return (
		<div className="grid items-start gap-4 rail:grid-cols-[minmax(0,1fr)_25rem]">
			<div className="grid min-w-0 gap-4">
				<div className="grid items-stretch gap-4 xl:grid-cols-2">
					<Panel>
						<PanelHeader
							title="Job"
							actions={
								<Menu
									label="Templates"
									size="sm"
									align="end"
									entries={templates.map((t) => ({
										...{ kind: "item" as const, id: t.id, label: t.label },
										onSelect: () => replaceText(t.text),
									}))}
								/>
							}
						/>
						<JobForm
							draft={draft}
							teams={teams}
							onField={(path) => {
								setField(path);
								withEdits(() => undefined);
							}}
							onEdit={(path, value) => withEdits(({ editYaml }) => setText((before) => editYaml(before, path, value) ?? before))}
						/>
					</Panel>
					<Panel>
						<PanelHeader
							title="YAML"
							actions={
								<>
									<OpenFile onOpen={replaceText} />
									<CopyText text={text} />
								</>
							}
						/>
						<div className="relative flex min-h-80 flex-1 flex-col border-t bg-sunken max-xl:max-h-120 xl:[&>*]:absolute xl:[&>*]:inset-0">
							<YamlField
								text={text}
								problems={draft.problems}
								activeLine={field && edits ? edits.lineOf(text, field) : null}
								onChange={setText}
							/>
						</div>
						<Problems draft={draft} />
					</Panel>
				</div>
				{quote && <Places quote={quote} gpus={draft.spec ? gpusOf(draft.spec) : quote.gpus} deadlineMs={deadlineMs} />}
			</div>
			<div className="min-w-0 max-rail:order-first rail:sticky rail:top-[calc(var(--header-h)+1.25rem)]">
				<QuotePanel
					quote={quote}
					ways={ways}
					headline={headline}
					deadlineMs={deadlineMs}
					stale={asked.stale}
					staleWhy={why}
					error={asked.error}
					onRetry={asked.retry}
					onUse={({ fields }) => withEdits(({ applySuggestion }) => setText((before) => applySuggestion(before, fields) ?? before))}
					submit={
						<Submit
							input={{ text, ...(script && { script }) }}
							ready={draft.spec !== null}
							name={draft.spec?.name ?? ""}
							label={quote && !asked.stale ? headline : null}
						/>
					}
				/>
			</div>
		</div>
	);
}

function Problems({ draft }: { draft: ReturnType<typeof readDraft> }) {
	if (draft.problems.length === 0) return null;
	return (
		<ul aria-label="Job file problems" className="grid gap-1 border-t bg-panel px-4 py-2.5 text-xs text-risk-ink">
			{draft.problems.slice(0, 6).map((p) => (
				<li key={`${p.path}/${p.line}/${p.message}`}>
					<span className="tabular">
						{p.line ?? 1}:{p.column ?? 1}
					</span>{" "}
					{p.path && <b>{p.path}</b>} {p.message}
				</li>
			))}
			{draft.problems.length > 6 && <li>and {draft.problems.length - 6} more</li>}
		</ul>
	);
}

function Places({ quote, gpus, deadlineMs }: { quote: QuoteView; gpus: number; deadlineMs: number | null }) {
	const rows = useMemo(() => decisionRows(quote), [quote]);
	return (
		<Panel title="Candidates" sub={`${quote.consideredCount.toLocaleString("en-US")} with outcome`}>
			<CandidateTable rows={rows} gpus={gpus} deadlineMs={deadlineMs} compact />
		</Panel>
	);
}

type SubmitProps = { input: Inputs["job"]["submit"]; ready: boolean; name: string; label: string | null };

function Submit({ input, ready, name, label }: SubmitProps) {
	const trpc = useTRPC();
	const router = useRouter();
	const submit = useMutation(
		trpc.job.submit.mutationOptions({
			onSuccess: ({ id }) => {
				notify({ tone: "done", title: `${name} submitted` });
				router.push(`/jobs/${id}`);
			},
		}),
	);
	const failure = submit.error ? describeError(submit.error) : null;
	return (
		<div className="grid gap-2">
			<Button
				variant="primary"
				className="h-9 w-full"
				disabled={!ready}
				busy={submit.isPending || submit.isSuccess}
				onClick={() => submit.mutate(input)}
			>
				<span className="truncate" suppressHydrationWarning>
					{submit.isPending ? "Submitting…" : label ? `Submit: ${label.charAt(0).toLowerCase()}${label.slice(1)}` : "Submit"}
				</span>
			</Button>
			{failure && (
				<p role="alert" className="text-xs text-risk-ink">
					{failure.detail}
				</p>
			)}
		</div>
	);
}

function CopyText({ text }: { text: string }) {
	const [said, setSaid] = useState("");
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			setSaid("Copied");
		} catch {
			setSaid("Could not copy");
		}
	};
	return (
		<>
			<span role="status" className="text-xs">
				{said}
			</span>
			<Button size="sm" onClick={() => void copy()} onBlur={() => setSaid("")}>
				Copy
			</Button>
		</>
	);
}
