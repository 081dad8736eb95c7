import { actionsFor, SETTINGS_PAGES, screensFor, subpagesFor } from "#components/shell/navigation.ts";
import type { Permission } from "#server/domain/permissions.ts";
import type { Command } from "./command.ts";

/** Screens that the person can open, and global actions. */
export function screenCommands(permissions: readonly Permission[]): Command[] {
	const entries = [...screensFor(permissions), ...actionsFor(permissions)];
	return entries.map(({ id, label, href, icon, key }) => ({ id, label, icon, keys: ["g", key], act: { kind: "open", href } }));
}

/** Pages below a screen that the person can open. */
export function subpageCommands(permissions: readonly Permission[]): Command[] {
	return subpagesFor(permissions).map(({ id, label, href, icon, detail }) => ({ id, label, detail, icon, act: { kind: "open", href } }));
}

/** Settings rank below everything else. */
export const SETTING_COMMANDS: readonly Command[] = [
	...SETTINGS_PAGES.map(
		({ id, label, href }): Command => ({
			...{ id: `settings-${id}`, label, detail: "settings", icon: "settings" },
			act: { kind: "open", href },
		}),
	),
	{ id: "theme-light", label: "Light theme", icon: "sun", act: { kind: "theme", theme: "light" } },
	{ id: "theme-dark", label: "Dark theme", icon: "moon", act: { kind: "theme", theme: "dark" } },
	{ id: "theme-system", label: "System theme", icon: "system", act: { kind: "theme", theme: "system" } },
	{ id: "shortcuts", label: "Keyboard shortcuts", icon: "keyboard", keys: ["?"], act: { kind: "shortcuts" } },
];
