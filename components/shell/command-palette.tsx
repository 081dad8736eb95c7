"use client";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useRef, useState } from "react";
import { type CommandHit, currentCommandSearch } from "#components/shell/command-search.ts";
import { ACTIONS, SCREENS } from "#components/shell/navigation.ts";
import { openShortcuts } from "#components/shell/overlays.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { showModal, startHere } from "#components/ui/show-modal.ts";

const DEBOUNCE_MS = 120;

type Hits = { state: "idle" | "loading" | "failed"; items: readonly CommandHit[] };

/** Asks the server a moment after the last key; an older answer never replaces a newer one. */
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
	const [chosen, setChosen] = useState("");
	const run = (act: () => void) => () => {
		onClose();
		act();
	};
	const go = (href: string) => run(() => router.push(href));
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
			{/* What the server found comes late: when nothing else matched, its first is what Enter opens. */}
			<Command label="Find a screen, a job or an action" loop value={chosen || (hits.items[0]?.id ?? "")} onValueChange={setChosen}>
				<div className="flex items-center gap-2.5 border-b px-4">
					<Icon name="search" className="text-ink-3" />
					<Command.Input
						ref={startHere}
						onValueChange={ask}
						placeholder="Find a screen, a job or an action"
						className="h-12 w-full bg-transparent text-md outline-none max-md:text-[1rem]"
					/>
					<Kbd>Esc</Kbd>
				</div>
				<Command.List className="max-h-[50dvh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-strong [&_[cmdk-group-heading]]:text-ink-3">
					{/* It counts what matches here alone: what the server found is not nothing. */}
					{hits.items.length === 0 && (
						<Command.Empty className="px-2.5 py-6 text-center text-ink-3">
							{hits.state === "loading"
								? "Searching…"
								: hits.state === "failed"
									? "The search could not reach the server. Try again."
									: "Nothing has that name."}
						</Command.Empty>
					)}
					{hits.items.length > 0 && (
						<Command.Group heading="Found" forceMount>
							{hits.items.map((hit) => (
								<Row key={hit.id} id={hit.id} icon={hit.icon ?? "jobs"} onSelect={go(hit.href)} keep end={hit.detail}>
									{hit.label}
								</Row>
							))}
						</Command.Group>
					)}
					<Command.Group heading="Go to">
						{SCREENS.map((s) => (
							<Row key={s.id} id={s.label} icon={s.icon} onSelect={go(s.href)} end={<Keys of={s.key} />}>
								{s.label}
							</Row>
						))}
					</Command.Group>
					<Command.Group heading="Do">
						{ACTIONS.map((a) => (
							<Row key={a.id} id={a.label} icon={a.icon} onSelect={go(a.href)} end={<Keys of={a.key} />}>
								{a.label}
							</Row>
						))}
						<Row id="Theme light" icon="sun" onSelect={run(() => setTheme("light"))}>
							Light theme
						</Row>
						<Row id="Theme dark" icon="moon" onSelect={run(() => setTheme("dark"))}>
							Dark theme
						</Row>
						<Row id="Theme system" icon="system" onSelect={run(() => setTheme("system"))}>
							Theme as the system
						</Row>
						<Row id="Keyboard shortcuts help" icon="keyboard" onSelect={run(openShortcuts)} end={<Kbd>?</Kbd>}>
							Keyboard shortcuts
						</Row>
					</Command.Group>
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

type RowProps = {
	id: string;
	icon: IconName;
	onSelect: () => void;
	end?: ReactNode /** Found by the server: not to be filtered again here. */;
	keep?: boolean;
	children: ReactNode;
};

function Row({ id, icon, onSelect, end, keep = false, children }: RowProps) {
	return (
		<Command.Item
			value={id}
			onSelect={onSelect}
			forceMount={keep}
			className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 font-medium aria-selected:bg-sunken"
		>
			<Icon name={icon} className="text-ink-3" />
			<span className="truncate">{children}</span>
			{end && <span className="ml-auto pl-3 text-xs font-book text-ink-3">{end}</span>}
		</Command.Item>
	);
}
