"use client";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useRef, useState } from "react";
import { rankHits } from "#components/shell/command-query.ts";
import { type CommandHit, currentCommandSearch } from "#components/shell/command-search.ts";
import { ACTIONS, SCREENS } from "#components/shell/navigation.ts";
import { openShortcuts } from "#components/shell/overlays.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { showModal, startHere } from "#components/ui/show-modal.ts";

const DEBOUNCE_MS = 120;

type Hits = { state: "idle" | "loading" | "failed"; items: readonly CommandHit[] };

/** Debounced server search; an older response never replaces a newer one. */
function useHits() {
	const [hits, setHits] = useState<Hits>({ state: "idle", items: [] });
	const pending = useRef<{ timer: ReturnType<typeof setTimeout>; abort: AbortController } | null>(null);
	const ask = (text: string) => {
		clearTimeout(pending.current?.timer);
		pending.current?.abort.abort();
		const search = currentCommandSearch();
		if (!search || text.trim().length < 2) return setHits({ state: "idle", items: [] });
		const abort = new AbortController();
		setHits((old) => ({ state: "loading", items: old.items }));
		const timer = setTimeout(() => {
			search(text.trim(), abort.signal).then(
				(items) => !abort.signal.aborted && setHits({ state: "idle", items }),
				() => !abort.signal.aborted && setHits({ state: "failed", items: [] }),
			);
		}, DEBOUNCE_MS);
		pending.current = { timer, abort };
	};
	return { hits, ask };
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
	const router = useRouter();
	const { setTheme } = useTheme();
	const { hits, ask } = useHits();
	const [text, setText] = useState("");
	const [chosen, setChosen] = useState<string | null>(null);
	const run = (act: () => void) => () => {
		onClose();
		act();
	};
	const go = (href: string) => run(() => router.push(href));
	const local: { heading: string; rows: (RowProps & { label: string })[] }[] = [
		{
			heading: "Go to",
			rows: SCREENS.map((s) => ({ id: s.id, icon: s.icon, label: s.label, onSelect: go(s.href), end: <Keys of={s.key} /> })),
		},
		{
			heading: "Actions",
			rows: [
				...ACTIONS.map((a) => ({ id: a.id, icon: a.icon, label: a.label, onSelect: go(a.href), end: <Keys of={a.key} /> })),
				...THEMES.map(({ id, icon, label }) => ({ id: `theme-${id}`, icon, label, onSelect: run(() => setTheme(id)) })),
				{ id: "shortcuts", icon: "keyboard", label: "Keyboard shortcuts", onSelect: run(openShortcuts), end: <Kbd>?</Kbd> },
			],
		},
	];
	const groups = local.map(({ heading, rows }) => ({ heading, rows: rankHits(rows, text) })).filter(({ rows }) => rows.length > 0);
	const first = hits.items[0]?.id ?? groups[0]?.rows[0]?.id ?? "";
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it; Escape does the same for the keyboard.
		<dialog
			ref={showModal}
			aria-label="Command palette"
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onClick={(event) => {
				if (event.target === event.currentTarget) onClose();
			}}
			className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-140 overflow-hidden rounded-xl bg-panel p-0 text-ink shadow-pop backdrop:bg-[oklch(0.15_0.02_250/0.45)]"
		>
			<Command
				label="Find a screen, job or action"
				loop
				shouldFilter={false}
				// Enter runs the first hit, even one that arrives later, until the user moves the highlight.
				value={chosen ?? first}
				onValueChange={() => undefined}
				onKeyDown={(event) => {
					const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
					if (step === undefined) return;
					event.preventDefault();
					const ids = [...hits.items.map((hit) => hit.id), ...groups.flatMap(({ rows }) => rows.map((row) => row.id))];
					const at = ids.indexOf(chosen ?? first) + step;
					setChosen(ids[(at + ids.length) % ids.length] ?? null);
				}}
			>
				<div className="flex items-center gap-2.5 border-b px-4">
					<Icon name="search" className="text-ink-3" />
					<Command.Input
						ref={startHere}
						onValueChange={(next) => {
							setText(next);
							setChosen(null);
							ask(next);
						}}
						placeholder="Find a screen, job or action"
						className="h-12 w-full bg-transparent text-md outline-none max-md:text-[1rem]"
					/>
					<Kbd>Esc</Kbd>
				</div>
				<Command.List className="max-h-[50dvh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-strong [&_[cmdk-group-heading]]:text-ink-3">
					{hits.items.length === 0 && groups.length === 0 && (
						<p className="px-2.5 py-6 text-center text-ink-3" role="status">
							{hits.state === "loading"
								? "Searching…"
								: hits.state === "failed"
									? "Search failed. Check your connection and try again."
									: "No matches."}
						</p>
					)}
					{hits.items.length > 0 && (
						<Command.Group heading="Results">
							{hits.items.map((hit) => (
								<Row key={hit.id} id={hit.id} icon={hit.icon ?? "jobs"} onSelect={go(hit.href)} onPoint={setChosen} end={hit.detail}>
									{hit.label}
								</Row>
							))}
						</Command.Group>
					)}
					{groups.map(({ heading, rows }) => (
						<Command.Group key={heading} heading={heading}>
							{rows.map(({ label, ...row }) => (
								<Row key={row.id} {...row} onPoint={setChosen}>
									{label}
								</Row>
							))}
						</Command.Group>
					))}
				</Command.List>
			</Command>
		</dialog>
	);
}

function Keys({ of }: { of: string }) {
	return (
		<span className="flex gap-1">
			<Kbd>g</Kbd>
			<Kbd>{of}</Kbd>
		</span>
	);
}

const THEMES = [
	{ id: "light", icon: "sun", label: "Light theme" },
	{ id: "dark", icon: "moon", label: "Dark theme" },
	{ id: "system", icon: "system", label: "System theme" },
] as const;

type RowProps = { id: string; icon: IconName; onSelect: () => void; end?: ReactNode };

function Row({ id, icon, onSelect, onPoint, end, children }: RowProps & { onPoint: (id: string) => void; children: ReactNode }) {
	return (
		<Command.Item
			value={id}
			onSelect={onSelect}
			onPointerMove={() => onPoint(id)}
			className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 font-medium aria-selected:bg-sunken"
		>
			<Icon name={icon} className="text-ink-3" />
			<span className="truncate">{children}</span>
			{end && <span className="ml-auto pl-3 text-xs font-book text-ink-3">{end}</span>}
		</Command.Item>
	);
}
