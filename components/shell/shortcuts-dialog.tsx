"use client";
import { actionsFor, screensFor } from "#components/shell/navigation.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import type { Permission } from "#server/domain/permissions.ts";

type Shortcut = { keys: readonly string[]; what: string };

const GENERAL: readonly Shortcut[] = [
	{ keys: ["Ctrl", "K"], what: "Find a screen, job or action" },
	{ keys: ["/"], what: "Search this page" },
	{ keys: ["?"], what: "Show shortcuts" },
	{ keys: ["Esc"], what: "Close, or clear selection" },
];

const LISTS: readonly Shortcut[] = [
	{ keys: ["j", "k"], what: "Next or previous row" },
	{ keys: ["Home", "End"], what: "First or last row" },
	{ keys: ["x"], what: "Select row" },
	{ keys: ["Shift", "j"], what: "Extend selection" },
	{ keys: ["Enter"], what: "Open row" },
	{ keys: ["←", "→"], what: "Read a chart step by step" },
];

export function ShortcutsDialog({ permissions, onClose }: { permissions: readonly Permission[]; onClose: () => void }) {
	const screens = [...screensFor(permissions), ...actionsFor(permissions)].map((s) => ({ keys: ["g", s.key], what: s.label }));
	return (
		<Dialog open onClose={onClose} title="Keyboard shortcuts" className="max-w-160">
			<div className="grid gap-x-10 gap-y-5 md:grid-cols-2">
				<div className="grid content-start gap-5">
					<Group title="Anywhere" shortcuts={GENERAL} />
					<Group title="Lists and charts" shortcuts={LISTS} />
				</div>
				<Group title="Go to" shortcuts={screens} />
			</div>
		</Dialog>
	);
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
	return (
		<section>
			<h3 className="pb-1.5 text-xs font-strong text-ink-3">{title}</h3>
			<dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5">
				{shortcuts.map((s) => (
					<div key={s.what} className="contents">
						<dt className="text-ink-2">{s.what}</dt>
						<dd className="flex justify-end gap-1">
							{s.keys.map((key) => (
								<Kbd key={key}>{key}</Kbd>
							))}
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
