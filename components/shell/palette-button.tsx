"use client";
import { openOverlay, openPalette } from "#components/shell/overlays.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";

/** Opens the palette by pointer. */
export function PaletteButton() {
	return (
		<button
			type="button"
			onClick={openPalette}
			title="Find or do anything (Ctrl K)"
			className="mb-2 flex h-8 items-center gap-2.5 rounded-md border bg-panel px-2.25 text-ink-3 hover:text-ink max-rail:w-9.5 max-rail:justify-center max-rail:px-0"
		>
			<Icon name="search" className="size-3.5" />
			<span className="max-rail:sr-only">Find</span>
			<Kbd className="ml-auto max-rail:hidden">Ctrl K</Kbd>
		</button>
	);
}

export function MoreButton() {
	return (
		<button
			type="button"
			onClick={() => openOverlay("more")}
			aria-haspopup="dialog"
			className="flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-2xs font-medium text-ink-3 focus-visible:-outline-offset-2"
		>
			<span className="grid h-6 w-11 place-items-center">
				<Icon name="menu" className="size-4.5" />
			</span>
			More
		</button>
	);
}
