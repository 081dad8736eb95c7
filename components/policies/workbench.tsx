"use client";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import type { Entry, ListName, Outline } from "#server/domain/policy-entries.ts";
import { CardsPanel } from "./cards-panel.tsx";
import { DraftBanners } from "./draft-banners.tsx";
import { DraftActions, DraftMeta } from "./draft-header.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { ACTIVE_POLICY, type PolicyCheck } from "./params.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { TryPanel } from "./try-panel.tsx";
import { useCardActions } from "./use-card-actions.ts";
import { usePolicyCheck } from "./use-check.ts";
import { useDraft } from "./use-draft.ts";
import { useSeenBacktest } from "./use-seen-backtest.ts";
import { VersionsPanel } from "./versions-panel.tsx";
import { YamlDraftPanel } from "./yaml-draft-panel.tsx";

const BacktestPanel = lazy(() => import("./backtest/backtest-panel.tsx").then((loaded) => ({ default: loaded.BacktestPanel })));

const NO_PROBLEMS: PolicyCheck["problems"] = [];

/** Rules as cards next to the YAML; both edit the same text. */
export function PolicyWorkbench({ accountId, onDone }: { accountId: string; onDone: () => void }) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const { data: active } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	const { data: saved } = useSuspenseQuery(trpc.policy.draft.get.queryOptions(ACTIVE_POLICY));
	const draft = useDraft(accountId, active, saved);
	const { text, baseVersion, setText } = draft;
	const { check, current, outline, readable, sentenceOf, error } = usePolicyCheck(text);
	const [open, setOpen] = useState<string | null>(null);
	const [line, setLine] = useState<number | null>(null);
	const [show, setShow] = useState<{ line: number; asked: number } | null>(null);
	const [dialog, setDialog] = useState<"publish" | "merge" | null>(null);
	const backtest = useSeenBacktest(text);
	const problems = check?.problems ?? NO_PROBLEMS;
	const changed = useMemo(() => changedLines(check), [check]);
	const complete = useCallback((source: string, offset: number) => client.policy.complete.query({ source, offset }), [client]);
	const looked = lookedAt(outline, open, line);
	const cards = useCardActions({ text, outline, open, setText, setOpen });
	const openCard = (key: string | null) => {
		setOpen(key);
		const entry = key && entryAt(outline, key);
		if (entry) setShow({ line: entry.lines.from, asked: Date.now() });
	};
	const leave = async () => {
		await draft.forget();
		onDone();
	};
	const errors = problems.filter((p) => p.severity === "error").length;
	const changes = check?.published?.changes ?? null;
	return (
		<>
			<PageHeader
				title="Policies"
				meta={<DraftMeta baseVersion={baseVersion} state={draft.state} untouched={text === active.source} />}
				actions={
					<DraftActions
						errors={errors}
						unchanged={text === active.source}
						ready={current && check?.ok === true && text !== active.source}
						onPublish={() => setDialog(baseVersion === active.version ? "publish" : "merge")}
						onDiscard={() => void leave()}
						onClose={onDone}
					/>
				}
			/>
			<PageBody>
				<DraftBanners draft={draft} active={active} error={error} onMerge={() => setDialog("merge")} />
				<div className="grid items-start gap-4 rail:grid-cols-2">
					<CardsPanel
						{...{ outline, readable, open, line, problems, changed, sentenceOf }}
						summary={summaryOf(changes, errors, problems.length - errors)}
						onOpen={openCard}
						{...cards}
					/>
					<YamlDraftPanel
						{...{ text, problems, changed, show, complete }}
						state={draft.state}
						active={looked?.lines ?? null}
						diff={check?.published ?? null}
						onChange={setText}
						onLine={setLine}
					/>
				</div>
				<Suspense
					fallback={
						<Panel title="Backtest">
							<TextSkeleton lines={4} label="Loading backtest" />
						</Panel>
					}
				>
					<BacktestPanel
						{...{ ...ACTIVE_POLICY, source: text, unchanged: text === active.source }}
						ready={current && check?.ok === true}
						canRun
					/>
				</Suspense>
				<div className="grid items-start gap-4 rail:grid-cols-2">
					<TryPanel ruleId={looked?.list === "rules" ? looked.id : null} source={errors === 0 && readable ? text : ruleAlone(looked)} />
					<VersionsPanel mode="edit" draft={{ baseVersion, changes: changes?.length ?? null, unchecked: error !== null }} />
				</div>
			</PageBody>
			{dialog === "publish" && check && (
				<PublishDialog
					{...{ text, baseVersion, check }}
					backtest={backtest}
					onClose={() => setDialog(null)}
					onMerge={() => setDialog("merge")}
					// Keep the draft until it is active, since a pending approval may be rejected.
					onPublished={(outcome) => (outcome === "proposed" ? onDone() : void leave())}
				/>
			)}
			{dialog === "merge" && (
				<MergeDialog
					{...{ text, baseVersion }}
					onClose={() => setDialog(null)}
					onMerged={(merged, version) => {
						draft.rebase(merged, version);
						setDialog(null);
					}}
				/>
			)}
		</>
	);
}

/** Draft lines that differ from the active version. */
function changedLines(check: PolicyCheck | null): number[] {
	return (check?.published?.lines ?? []).flatMap((run) => (run.kind === "added" ? run.lines.map((_, i) => run.newLine + i) : []));
}

function summaryOf(changes: readonly unknown[] | null, errors: number, warnings: number): string {
	const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
	const parts = [
		...(changes === null ? [] : [changes.length === 0 ? "unchanged" : `${changes.length} changed`]),
		...(errors > 0 ? [count(errors, "error")] : []),
		...(warnings > 0 ? [count(warnings, "warning")] : []),
	];
	return parts.join(", ");
}

type Looked = Entry & { list: ListName };

/** The entry at the cursor, otherwise the expanded card. */
function lookedAt(outline: Outline | null, open: string | null, line: number | null): Looked | null {
	const byCard = open === null ? null : entryAt(outline, open);
	if (byCard || line === null || !outline) return byCard;
	for (const list of ["rules", "budgets"] as const) {
		const entry = outline[list].find(({ lines }) => lines.from <= line && line <= lines.to);
		if (entry) return { ...entry, list };
	}
	return null;
}

function entryAt(outline: Outline | null, key: string): Looked | null {
	const [list, index] = key.split(":");
	if (list !== "rules" && list !== "budgets") return null;
	const entry = outline?.[list][Number(index)];
	return entry ? { ...entry, list } : null;
}

/** A rule is tested alone while other parts have errors. */
function ruleAlone(looked: Looked | null): string {
	const own = looked?.text ?? "";
	const entry = /^\s*-(\s|$)/.test(own) ? own : `  - ${own}`;
	return `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: draft }\nspec:\n rules:\n${entry}\n`;
}
