import type { IconName } from "#components/ui/icon.tsx";

export type CommandHit = { id: string; label: string; detail?: string; href: string; icon?: IconName };
export type CommandSearch = (text: string, signal: AbortSignal) => Promise<readonly CommandHit[]>;

/**
 * Registered once by the API providers to search server data. Without it, the palette offers screens and actions only.
 */
let search: CommandSearch | null = null;

export function registerCommandSearch(next: CommandSearch | null): void {
	search = next;
}

export function currentCommandSearch(): CommandSearch | null {
	return search;
}
