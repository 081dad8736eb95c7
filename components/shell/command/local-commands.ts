import { actionsFor, screensFor } from "#components/shell/navigation.ts";
import type { Command } from "./command.ts";

/** Screens that the role can open, and global actions. */
export function screenCommands(role?: string): Command[] {
	const entries = [...screensFor(role), ...actionsFor(role)];
	return entries.map(({ id, label, href, icon, key }) => ({ id, label, icon, keys: ["g", key], act: { kind: "open", href } }));
}

/** Settings rank below everything else. */
export const SETTING_COMMANDS: readonly Command[] = [
	...(["sites", "people", "teams", "secrets", "tokens"] as const).map(
		(page): Command => ({
			...{ id: `settings-${page}`, label: `${page.charAt(0).toUpperCase()}${page.slice(1)}`, detail: "settings", icon: "settings" },
			act: { kind: "open", href: `/settings/${page}` },
		}),
	),
	{
		id: "settings-agreements",
		label: "Discounts",
		detail: "settings",
		icon: "settings",
		act: { kind: "open", href: "/settings/agreements" },
	},
	{ id: "theme-light", label: "Light theme", icon: "sun", act: { kind: "theme", theme: "light" } },
	{ id: "theme-dark", label: "Dark theme", icon: "moon", act: { kind: "theme", theme: "dark" } },
	{ id: "theme-system", label: "System theme", icon: "system", act: { kind: "theme", theme: "system" } },
	{ id: "shortcuts", label: "Keyboard shortcuts", icon: "keyboard", keys: ["?"], act: { kind: "shortcuts" } },
];
