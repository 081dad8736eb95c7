"use client";
import { lazy, Suspense, useState } from "react";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { DiffView } from "./diff-view.tsx";
import { savedWords } from "./draft-header.tsx";
import type { PolicyCheck } from "./params.ts";
import type { PolicyEditorProps } from "./policy-editor.tsx";
import type { SaveState } from "./use-draft.ts";

const PolicyEditor = lazy(() => import("./policy-editor.tsx").then((loaded) => ({ default: loaded.PolicyEditor })));

type YamlDraftPanelProps = PolicyEditorProps & { state: SaveState; diff: PolicyCheck["published"] };
type View = "draft" | "diff";

/** The draft's text, or its diff. */
export function YamlDraftPanel({ state, diff, ...editor }: YamlDraftPanelProps) {
	const [view, setView] = useState<View>("draft");
	return (
		<Panel
			title="YAML"
			sub={`same policy, ${savedWords(state)}`}
			actions={
				<SegmentedControl<View>
					label="View"
					name="yaml-view"
					value={view}
					onChange={setView}
					options={[
						{ value: "draft", label: "Draft" },
						{ value: "diff", label: diff ? `Diff to ${diff.version}` : "Diff" },
					]}
				/>
			}
			className="rail:sticky rail:top-[calc(var(--header-h)+1rem)]"
		>
			{view === "diff" ? (
				<div className="border-t px-4 py-3">
					{diff ? <DiffView changes={diff.changes} lines={diff.lines} /> : <p className="text-ink-3">No version published yet.</p>}
				</div>
			) : (
				<div className="flex h-[calc(100dvh-9rem)] min-h-80 flex-col overflow-hidden border-t bg-sunken max-rail:h-[28rem]">
					<Suspense fallback={<TextSkeleton lines={14} label="Loading editor" />}>
						<PolicyEditor {...editor} />
					</Suspense>
				</div>
			)}
		</Panel>
	);
}
