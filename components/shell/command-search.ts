import type { IconName } from "#components/ui/icon.tsx";

export type CommandHit = { id: string; label: string; detail?: string; href: string; icon?: IconName };
export type CommandSearch = (text: string, signal: AbortSignal) => Promise<readonly CommandHit[]>;

/*
 * Where the palette finds jobs and other things that only the server knows. The API's providers register it once;
 * without it the palette offers screens and actions alone.
 */
let search: CommandSearch | null = null;

export function registerCommandSearch(next: CommandSearch | null): void {
	search = next;
}

export function currentCommandSearch(): CommandSearch | null {
	return search;
}
