"use client";
import { useTheme } from "next-themes";
import { openShortcuts } from "#components/shell/overlays.ts";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import type { IconName } from "#components/ui/icon.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu, type MenuEntry } from "#components/ui/menu.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

const THEMES: readonly { id: string; label: string; icon: IconName }[] = [
	{ id: "system", label: "System", icon: "system" },
	{ id: "light", label: "Light", icon: "sun" },
	{ id: "dark", label: "Dark", icon: "moon" },
];

/** The theme is only known in the browser; until then no entry is checked. */
export function useThemeEntries(): MenuEntry[] {
	const { theme, setTheme } = useTheme();
	const mounted = useHydrated();
	return THEMES.map((t) => ({
		kind: "check",
		id: t.id,
		label: t.label,
		icon: t.icon,
		radio: true,
		checked: mounted && theme === t.id,
		onSelect: () => setTheme(t.id),
	}));
}

export function UserMenu({ user, signOut }: { user: ShellUser; signOut: SignOut }) {
	const themes = useThemeEntries();
	const entries: MenuEntry[] = [
		{ kind: "heading", id: "who", label: [user.name, user.team].filter(Boolean).join(", ") },
		{ kind: "line", id: "l0" },
		{ kind: "heading", id: "theme", label: "Theme" },
		...themes,
		{ kind: "line", id: "l1" },
		{ kind: "item", id: "keys", label: "Keyboard shortcuts", icon: "keyboard", hint: "?", onSelect: openShortcuts },
		{ kind: "item", id: "out", label: "Sign out", icon: "signOut", onSelect: () => void signOut() },
	];
	return (
		<Menu
			name={`Account: ${user.role}`}
			caret={false}
			side="top"
			triggerClass="flex h-8 w-full items-center gap-2.5 rounded-md px-2.25 text-left font-medium text-ink-2 hover:bg-panel/60 hover:text-ink aria-expanded:bg-panel max-rail:w-9.5 max-rail:justify-center max-rail:px-0"
			label={
				<>
					<Icon name="user" />
					<span className="truncate max-rail:sr-only">{user.role}</span>
				</>
			}
			entries={entries}
		/>
	);
}
