/** The open shell overlay. A store outside React so that any code can open one without context. */
export type Overlay = "palette" | "shortcuts" | "more" | null;

let current: Overlay = null;
const listeners = new Set<() => void>();

export function openOverlay(next: Overlay): void {
	current = next;
	for (const listener of listeners) listener();
}

export const openShortcuts = (): void => openOverlay("shortcuts");
export const openPalette = (): void => openOverlay("palette");
export const closeOverlay = (): void => openOverlay(null);

export const overlayStore = {
	subscribe(listener: () => void) {
		listeners.add(listener);
		return () => {
			listeners.delete(listener);
		};
	},
	get: (): Overlay => current,
};
