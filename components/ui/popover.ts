/** Position of a floating element next to its anchor: below and left-aligned, flipped at window edges. */
export type Box = { top: number; left: number; width: number; height: number };
export type Side = "top" | "bottom" | "right";
export type Align = "start" | "center" | "end";

const MARGIN = 8;

export function placeNextTo(
	anchor: Box,
	size: { width: number; height: number },
	viewport: { width: number; height: number },
	side: Side,
	align: Align,
	gap = 6,
): { top: number; left: number } {
	const clamp = (value: number, max: number) => Math.max(MARGIN, Math.min(value, max - MARGIN));
	const along =
		align === "start"
			? anchor.left
			: align === "end"
				? anchor.left + anchor.width - size.width
				: anchor.left + (anchor.width - size.width) / 2;
	if (side === "right") {
		const top = anchor.top + (anchor.height - size.height) / 2;
		return { top: clamp(top, viewport.height - size.height), left: clamp(anchor.left + anchor.width + gap, viewport.width - size.width) };
	}
	const below = anchor.top + anchor.height + gap;
	const above = anchor.top - gap - size.height;
	const fitsBelow = below + size.height <= viewport.height - MARGIN;
	const fitsAbove = above >= MARGIN;
	const top = side === "bottom" ? (fitsBelow || !fitsAbove ? below : above) : fitsAbove || !fitsBelow ? above : below;
	return { top: clamp(top, viewport.height - size.height), left: clamp(along, viewport.width - size.width) };
}

/** Positions an open popover next to its anchor. */
export function movePopover(popover: HTMLElement, anchor: Element, side: Side, align: Align): void {
	const { top, left } = placeNextTo(
		anchor.getBoundingClientRect(),
		popover.getBoundingClientRect(),
		{ width: document.documentElement.clientWidth, height: window.innerHeight },
		side,
		align,
	);
	popover.style.top = `${top}px`;
	popover.style.left = `${left}px`;
}
