"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { ACTIVE_POLICY } from "./params.ts";

type MergeDialogProps = { text: string; baseVersion: number; onClose: () => void; onMerged: (text: string, baseVersion: number) => void };
type Side = "mine" | "theirs";

/** Brings a draft together with what somebody published since it was begun; what both changed is asked. */
export function MergeDialog({ text, baseVersion, onClose, onMerged }: MergeDialogProps) {
	const trpc = useTRPC();
	const [choices, setChoices] = useState<Record<string, Side>>({});
	const [first, setFirst] = useState<readonly Conflict[] | null>(null);
	const merge = useQuery(
		trpc.policy.merge.queryOptions({ ...ACTIVE_POLICY, baseVersion, source: text, choices }, { placeholderData: keepPreviousData }),
	);
	if (merge.data && first === null) setFirst(merge.data.conflicts);
	const open = merge.data?.conflicts.length ?? 0;
	return (
		<Dialog
			open
			onClose={onClose}
			title="Merge with what was published"
			description={`The draft began from version ${baseVersion}${merge.data ? `; version ${merge.data.baseVersion} is in force` : ""}. Nothing is published by this.`}
			className="max-w-190"
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						disabled={!merge.data || merge.isPlaceholderData || open > 0}
						onClick={() => merge.data && onMerged(merge.data.text, merge.data.baseVersion)}
					>
						Go on with the merged text
					</Button>
				</>
			}
		>
			{merge.error ? (
				<p role="alert" className="text-risk-ink">
					{describeError(merge.error).detail}
				</p>
			) : first === null ? (
				<TextSkeleton lines={4} label="Merging" />
			) : first.length === 0 ? (
				<p>Both fit together: each changed other parts of the policy.</p>
			) : (
				<ul className="grid gap-4">
					{first.map((c) => (
						<ConflictItem
							key={c.key}
							conflict={c}
							choice={choices[c.key] ?? null}
							onChoose={(side) => setChoices({ ...choices, [c.key]: side })}
						/>
					))}
				</ul>
			)}
		</Dialog>
	);
}

type Conflict = { key: string; message: string; mine: string | null; theirs: string | null };

function ConflictItem({ conflict: c, choice, onChoose }: { conflict: Conflict; choice: Side | null; onChoose: (side: Side) => void }) {
	return (
		<li className="grid gap-2">
			<p className="font-medium">{c.message}</p>
			<div className="grid gap-2 md:grid-cols-2">
				<Part label="Yours" text={c.mine} chosen={choice === "mine"} />
				<Part label="In force" text={c.theirs} chosen={choice === "theirs"} />
			</div>
			<SegmentedControl<Side | "">
				label={`What to keep: ${c.key}`}
				name={c.key}
				value={choice ?? ""}
				onChange={(side) => side !== "" && onChoose(side)}
				options={[
					{ value: "mine", label: "Keep yours" },
					{ value: "theirs", label: "Keep what is in force" },
				]}
			/>
		</li>
	);
}

function Part({ label, text, chosen }: { label: string; text: string | null; chosen: boolean }) {
	return (
		<div className={chosen ? "rounded-md border border-accent" : "rounded-md border"}>
			<p className="px-3 pt-1.5 text-xs text-ink-3">{label}</p>
			<pre className="overflow-x-auto px-3 pb-2 font-mono text-xs whitespace-pre-wrap">{text ?? "not there"}</pre>
		</div>
	);
}
