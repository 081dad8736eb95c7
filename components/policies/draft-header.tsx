"use client";
import { useState } from "react";
import { formatClock } from "#components/time/format-time.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import type { SaveState } from "./use-draft.ts";

/** The draft's base version. */
export function DraftMeta({ baseVersion, state, untouched }: { baseVersion: number; state: SaveState; untouched: boolean }) {
	return (
		<span className="flex min-w-0 items-center gap-2 max-md:hidden">
			<Chip tone={untouched ? "neutral" : "accent"}>
				{untouched ? `Version ${baseVersion}, no changes` : `Draft of version ${baseVersion}`}
			</Chip>
			<span role="status" className="truncate text-xs text-ink-3">
				{untouched ? "" : savedWords(state)}
			</span>
		</span>
	);
}

export function savedWords(state: SaveState): string {
	switch (state.kind) {
		case "untouched":
			return "kept in this browser";
		case "saving":
			return "saving";
		case "saved":
			return `saved at ${formatClock(state.atMs)}`;
		case "here":
			return "kept in this browser only";
		case "elsewhere":
			return "saved in another window";
	}
}

type DraftActionsProps = {
	errors: number;
	unchanged: boolean;
	ready: boolean;
	onPublish: () => void;
	onDiscard: () => void;
	onClose: () => void;
};

export function DraftActions({ errors, unchanged, ready, onPublish, onDiscard, onClose }: DraftActionsProps) {
	const [asking, setAsking] = useState(false);
	return (
		<>
			<span role="status" className="text-risk-ink max-md:text-xs">
				{errors > 0 && (
					<>
						<span className="max-md:hidden">Fix </span>
						{errors} {errors === 1 ? "error" : "errors"}
						<span className="max-md:hidden"> to publish</span>
					</>
				)}
			</span>
			{unchanged ? <Button onClick={onClose}>Close</Button> : <Button onClick={() => setAsking(true)}>Discard</Button>}
			<Button variant="primary" disabled={!ready} onClick={onPublish}>
				Publish
			</Button>
			<Dialog
				open={asking}
				onClose={() => setAsking(false)}
				title="Discard the draft?"
				description="Deletes the draft here and on the server. The active version stays."
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Keep</Button>
						<Button variant="danger" onClick={onDiscard}>
							Discard
						</Button>
					</>
				}
			/>
		</>
	);
}
