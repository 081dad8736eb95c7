"use client";
import { Command as List } from "cmdk";
import { useEffect, useRef, useState } from "react";
import { Icon } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { showModal, startHere } from "#components/ui/show-modal.ts";
import type { Permission } from "#server/domain/permissions.ts";
import type { Command } from "./command.ts";
import { CommandRow } from "./command-row.tsx";
import { confirmRows, needsConfirmation } from "./confirm-commands.ts";
import { rankCommands } from "./rank-commands.ts";
import { useAct } from "./use-act.ts";
import { type Found, useFound } from "./use-found.ts";

const PLACEHOLDER = "Find or do: esm, approve, why is …";

/** Finds every entity and runs commands on it. Enter runs the highlighted row. */
export function CommandPalette({ permissions, onClose }: { permissions: readonly Permission[]; onClose: () => void }) {
	const [text, setText] = useState("");
	const [chosen, setChosen] = useState<string | null>(null);
	const [asked, setAsked] = useState<Command | null>(null);
	const found = useFound(text);
	const act = useAct();
	const results = rankCommands(text, { permissions, ...found, nowMs: Date.now(), stale: found.state !== "done" });
	const choose = (command: Command) => {
		setChosen(null);
		if (needsConfirmation(command.act)) return setAsked(command);
		onClose();
		act(command.act);
	};
	const confirm = asked ? confirmRows(asked) : null;
	const rows = confirm
		? confirm.map(({ command, act: next }) => ({
				command,
				run: () => {
					setChosen(null);
					setAsked(null);
					if (next === null) return;
					onClose();
					act(next);
				},
			}))
		: results.map((command) => ({ command, run: () => choose(command) }));
	const highlighted = rows.find(({ command }) => command.id === chosen) ?? rows[0];
	const awaitResult = useEnterWhileLoading(found.state === "loading" && chosen === null && !confirm, highlighted?.run);
	const step = (by: number) => {
		const at = rows.findIndex(({ command }) => command.id === highlighted?.command.id);
		setChosen(rows[(at + by + rows.length) % rows.length]?.command.id ?? null);
	};
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it; Escape does the same for the keyboard.
		<dialog
			ref={showModal}
			aria-label="Command palette"
			onCancel={(event) => {
				event.preventDefault();
				if (asked) setAsked(null);
				else onClose();
			}}
			onClick={(event) => {
				if (event.target === event.currentTarget) onClose();
			}}
			className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-140 overflow-hidden rounded-xl bg-panel p-0 text-ink shadow-pop backdrop:bg-[oklch(0.15_0.02_250/0.45)]"
		>
			<List
				label="Find or do anything"
				loop
				shouldFilter={false}
				// Until the user moves the highlight, it follows the best result, including results that arrive later.
				value={highlighted?.command.id ?? ""}
				onValueChange={() => undefined}
				onKeyDown={(event) => {
					if (event.key === "Enter" && !event.nativeEvent.isComposing && awaitResult()) return event.preventDefault();
					const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
					if (by === undefined) return;
					event.preventDefault();
					step(by);
				}}
			>
				<div className="flex items-center gap-2.5 border-b px-4">
					<Icon name="search" className="text-ink-3" />
					<List.Input
						ref={startHere}
						value={text}
						onValueChange={(next) => {
							setText(next);
							setChosen(null);
							setAsked(null);
						}}
						placeholder={PLACEHOLDER}
						className="h-12 w-full bg-transparent text-md outline-none max-md:text-[1rem]"
					/>
					<Kbd>Esc</Kbd>
				</div>
				<List.List className="max-h-[50dvh] overflow-y-auto p-1.5">
					{rows.length === 0 && <NoRows state={found.state} />}
					{rows.map(({ command, run }) => (
						<CommandRow key={command.id} command={command} onSelect={run} onPoint={setChosen} />
					))}
				</List.List>
			</List>
		</dialog>
	);
}

/** Enter pressed before the results arrive runs the best of them when they do, not a result of an earlier query. */
function useEnterWhileLoading(loading: boolean, run: (() => void) | undefined): () => boolean {
	const pressed = useRef(false);
	// Runs when the answer arrives.
	useEffect(() => {
		if (loading || !pressed.current) return;
		pressed.current = false;
		run?.();
	});
	return () => {
		pressed.current = loading;
		return loading;
	};
}

function NoRows({ state }: { state: Found["state"] }) {
	return (
		<p className="px-2.5 py-6 text-center text-ink-3" role="status">
			{state === "loading" ? "Searching…" : state === "failed" ? "Search failed. Check your connection and try again." : "No matches."}
		</p>
	);
}
