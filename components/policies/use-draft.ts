"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSettled } from "#components/ui/use-settled.ts";
import { draftKey, draftToOpen, keep, readKept } from "./draft-store.ts";
import { ACTIVE_POLICY } from "./params.ts";

const SAVE_AFTER_MS = 1_000;
const AGAIN_MS = 10_000;

export type SaveState =
	| { kind: "untouched" }
	| { kind: "saving" }
	| { kind: "saved"; atMs: number }
	| { kind: "here"; why: string }
	| { kind: "elsewhere" };

type Saved = Outputs["policy"]["draft"]["get"];
type Active = { version: number; source: string };

/** The draft text: saved in this browser on every change and on the server after a one-second pause. */
export function useDraft(accountId: string, active: Active, saved: Saved) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const key = draftKey(ACTIVE_POLICY.name, accountId);
	const [opened] = useState(() => draftToOpen(readKept(key), saved, active));
	const [draft, setDraft] = useState({ source: opened.source, baseVersion: opened.baseVersion });
	const [state, setState] = useState<SaveState>(
		opened.from === "server" && saved ? { kind: "saved", atMs: Date.parse(saved.updatedAt) } : { kind: "untouched" },
	);
	const [tries, setTries] = useState(0);
	/** The server's copy and its save time; null before the first save. */
	const server = useRef<{ source: string; baseVersion: number; updatedAt: string } | null>(saved);
	const save = useMutation(trpc.policy.draft.save.mutationOptions());
	const discard = useMutation(trpc.policy.draft.discard.mutationOptions());
	const settled = useSettled(draft, SAVE_AFTER_MS);
	const touched = useRef(opened.from === "browser");

	const saving = useRef(Promise.resolve());
	const saveNow = async (wanted: { source: string; baseVersion: number }) => {
		const now = server.current;
		if (now && now.source === wanted.source && now.baseVersion === wanted.baseVersion) return;
		setState({ kind: "saving" });
		try {
			const { updatedAt } = await save.mutateAsync({ ...ACTIVE_POLICY, ...wanted, previousUpdatedAt: now?.updatedAt ?? null });
			if (!touched.current) return;
			server.current = { ...wanted, updatedAt };
			client.setQueryData(trpc.policy.draft.get.queryKey(ACTIVE_POLICY), server.current);
			setState({ kind: "saved", atMs: Date.parse(updatedAt) });
		} catch (error) {
			if (codeOf(error) === "precondition_failed") return setState({ kind: "elsewhere" });
			setState({ kind: "here", why: describeError(error).detail });
			setTimeout(() => setTries((n) => n + 1), AGAIN_MS);
		}
	};

	// Synchronizes with the server once typing pauses; saves are sequential.
	// biome-ignore lint/correctness/useExhaustiveDependencies: a settled text is saved once, and again when a try failed.
	useEffect(() => {
		if (touched.current && settled === draft) saving.current = saving.current.then(() => saveNow(settled));
	}, [settled, draft, tries]);

	const write = (source: string, baseVersion: number) => {
		touched.current = true;
		keep(key, { source, baseVersion, atMs: Date.now() });
		setDraft({ source, baseVersion });
	};
	return {
		text: draft.source,
		baseVersion: draft.baseVersion,
		restored: opened.from,
		state,
		setText: (source: string) => write(source, draft.baseVersion),
		/** Continues from another base version after a merge. */
		rebase: write,
		/** Ends the draft here and on the server (published or discarded), after any pending save. */
		forget: async () => {
			keep(key, null);
			touched.current = false;
			await saving.current;
			server.current = null;
			await discard.mutateAsync(ACTIVE_POLICY).catch(() => undefined);
			client.setQueryData(trpc.policy.draft.get.queryKey(ACTIVE_POLICY), null);
		},
		/** Resolves a save from another window: use its text or overwrite it. */
		resolve: async (side: "theirs" | "mine") => {
			const theirs = await client.fetchQuery({ ...trpc.policy.draft.get.queryOptions(ACTIVE_POLICY), staleTime: 0 });
			server.current = theirs;
			if (side === "theirs" && theirs) {
				touched.current = false;
				keep(key, null);
				setDraft({ source: theirs.source, baseVersion: theirs.baseVersion });
				setState({ kind: "saved", atMs: Date.parse(theirs.updatedAt) });
			} else setTries((n) => n + 1);
		},
	};
}

export function codeOf(error: unknown): string | null {
	const code = (error as { data?: { problem?: { code?: unknown } } } | null)?.data?.problem?.code;
	return typeof code === "string" ? code : null;
}
