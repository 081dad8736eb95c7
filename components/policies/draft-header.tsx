"use client";
import { useState } from "react";
import { formatClock } from "#components/time/format-time.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import type { SaveState } from "./use-draft.ts";

/** Which version a draft came from. */
export function DraftMeta({ baseVersion, state, untouched }: { baseVersion: number; state: SaveState; untouched: boolean }) {
	return (
		<span className="flex min-w-0 items-center gap-2 max-md:hidden">
			<Chip tone={untouched ? "neutral" : "accent"}>
				{untouched ? `Version ${baseVersion}, nothing changed` : `Draft, from version ${baseVersion}`}
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
				description="Its text is thrown away, here and on the server. What is in force stays."
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Keep it</Button>
						<Button variant="danger" onClick={onDiscard}>
							Discard it
						</Button>
					</>
				}
			/>
		</>
	);
}
