"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { draftKey, readKept } from "./draft-store.ts";
import { ACTIVE_POLICY, policyParams } from "./params.ts";

const PolicyWorkbench = lazy(() => import("./workbench.tsx").then((loaded) => ({ default: loaded.PolicyWorkbench })));
const VersionDialog = lazy(() => import("./version-dialog.tsx").then((loaded) => ({ default: loaded.VersionDialog })));

type PolicyScreenProps = {
	/** The user if allowed to edit, otherwise null. */
	editor: { accountId: string } | null;
	/** The active policy, read-only. */
	children: ReactNode;
};

/** Read-only until someone edits or has a draft. */
export function PolicyScreen({ editor, children }: PolicyScreenProps) {
	const [{ mode, version }, setParams] = useQueryStates(policyParams);
	// The workbench reads browser storage, which the server cannot.
	const [here, setHere] = useState(false);
	useEffect(() => setHere(true), []);
	const edit = () => void setParams({ mode: "edit" }, { history: "push" });
	const editing = editor !== null && mode === "edit";
	return (
		<>
			{editing ? (
				<PanelGate what="the editor" fallback={<OpeningEditor />}>
					{here ? (
						<Editor accountId={editor.accountId} onDone={() => void setParams({ mode: null })}>
							{children}
						</Editor>
					) : (
						<OpeningEditor />
					)}
				</PanelGate>
			) : (
				<>
					<PageHeader
						title="Policies"
						meta={<LiveMeta />}
						actions={
							editor && (
								// The editor also reports drafts and load errors with a retry.
								<PanelGate what="the editor" fallback={null} instead={<Edit onEdit={edit} />}>
									<EditButton accountId={editor.accountId} here={here} onEdit={edit} />
								</PanelGate>
							)
						}
					/>
					<PageBody>{children}</PageBody>
				</>
			)}
			{version !== null && (
				<Suspense fallback={null}>
					<LookedAt version={version} canPublish={editor !== null} onClose={() => void setParams({ version: null })} />
				</Suspense>
			)}
		</>
	);
}

function useManagedBy() {
	const trpc = useTRPC();
	const { data: names } = useSuspenseQuery(trpc.policy.names.queryOptions());
	return names.find((each) => each.name === ACTIVE_POLICY.name)?.managedBy ?? null;
}

/** A policy managed in git is shown read-only. */
function Editor({ accountId, onDone, children }: { accountId: string; onDone: () => void; children: ReactNode }) {
	const managedBy = useManagedBy();
	if (!managedBy) return <PolicyWorkbench accountId={accountId} onDone={onDone} />;
	return (
		<>
			<PageHeader title="Policies" meta={<LiveMeta />} />
			<PageBody>{children}</PageBody>
		</>
	);
}

function EditButton({ accountId, here, onEdit }: { accountId: string; here: boolean; onEdit: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const managedBy = useManagedBy();
	const { data: saved } = useSuspenseQuery(trpc.policy.draft.get.queryOptions(ACTIVE_POLICY));
	if (managedBy) return null;
	const active = client.getQueryData(trpc.policy.get.queryKey(ACTIVE_POLICY));
	const kept = here ? readKept(draftKey(ACTIVE_POLICY.name, accountId)) : null;
	const hasDraft = (saved !== null && saved.source !== active?.source) || (kept !== null && kept.source !== active?.source);
	return <Edit onEdit={onEdit} hasDraft={hasDraft} />;
}

function Edit({ onEdit, hasDraft = false }: { onEdit: () => void; hasDraft?: boolean }) {
	return (
		<Button variant="primary" onClick={onEdit}>
			{hasDraft ? "Continue draft" : "Edit"}
		</Button>
	);
}

function LookedAt({ version, canPublish, onClose }: { version: number; canPublish: boolean; onClose: () => void }) {
	const trpc = useTRPC();
	const managedBy = useManagedBy();
	const { data: active } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	return <VersionDialog key={version} version={version} inForce={active.version} canPublish={canPublish && !managedBy} onClose={onClose} />;
}

function OpeningEditor() {
	return (
		<>
			<PageHeader title="Policies" />
			<PageBody>
				<Panel title="Rules">
					<TextSkeleton lines={12} label="Opening editor" />
				</Panel>
			</PageBody>
		</>
	);
}
