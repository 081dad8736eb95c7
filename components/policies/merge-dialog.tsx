"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { ACTIVE_POLICY } from "./params.ts";

type MergeDialogProps = { text: string; baseVersion: number; onClose: () => void; onMerged: (text: string, baseVersion: number) => void };
type Side = "mine" | "theirs";

/** Merges a draft with a version published since; conflicts need a choice. */
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
			title="Merge with the active version"
			description={`Base: version ${baseVersion}${merge.data ? `; active: version ${merge.data.baseVersion}` : ""}. This does not publish.`}
			className="max-w-190"
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						disabled={!merge.data || merge.isPlaceholderData || open > 0}
						onClick={() => merge.data && onMerged(merge.data.text, merge.data.baseVersion)}
					>
						Use merged draft
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
				<p>No conflicts: the changes affect different parts.</p>
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
	const side = (which: Side, label: string, text: string | null, other: string | null) => (
		<Part name={c.key} label={label} text={text} other={other} chosen={choice === which} onChoose={() => onChoose(which)} />
	);
	return (
		<li>
			<fieldset className="grid gap-2 md:grid-cols-2">
				<legend className="mb-2 font-medium">{c.message} Keep which version?</legend>
				{side("mine", "Keep yours", c.mine, c.theirs)}
				{side("theirs", "Keep the active version", c.theirs, c.mine)}
			</fieldset>
		</li>
	);
}

type PartProps = { name: string; label: string; text: string | null; other: string | null; chosen: boolean; onChoose: () => void };

/** One side of a conflict; lines missing on the other side are marked. */
function Part({ name, label, text, other, chosen, onChoose }: PartProps) {
	const others = new Set(other?.split("\n"));
	const lines = (text ?? "").split("\n").map((line, at) => ({ line, at, differs: other !== null && !others.has(line) }));
	return (
		<label
			className={cn(
				"block cursor-pointer rounded-md border hover:border-line-strong has-focus-visible:outline-2 has-focus-visible:outline-focus",
				chosen && "border-accent ring-1 ring-accent",
			)}
		>
			<span className="flex items-center gap-2 px-3 pt-2 pb-1 text-xs font-medium">
				<input type="radio" name={name} checked={chosen} onChange={onChoose} className="accent-accent" />
				{label}
			</span>
			{text === null ? (
				<span className="block px-3 pb-2 text-xs text-ink-3">Not present.</span>
			) : (
				<span className="block pb-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
					{lines.map(({ line, at, differs }) => (
						<span key={at} className={cn("block min-h-4 px-3", differs && "bg-[color-mix(in_oklab,var(--accent)_16%,transparent)]")}>
							{differs ? <mark className="bg-transparent text-inherit">{line}</mark> : line}
						</span>
					))}
				</span>
			)}
		</label>
	);
}
