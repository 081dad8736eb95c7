"use client";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useState, useSyncExternalStore } from "react";
import { closeOverlay, openOverlay, openPalette, openShortcuts, overlayStore } from "#components/shell/overlays.ts";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import { actionOfKey } from "#components/shell/shortcuts.ts";
import { isTyping } from "#components/ui/is-typing.ts";

// Loaded on first use so that other visits do not pay for the palette.
const loadPalette = () => import("#components/shell/command/command-palette.tsx").then((m) => m.CommandPalette);
const CommandPalette = dynamic(loadPalette, { ssr: false });
const ShortcutsDialog = dynamic(() => import("#components/shell/shortcuts-dialog.tsx").then((m) => m.ShortcutsDialog), { ssr: false });
const MoreSheet = dynamic(() => import("#components/shell/more-sheet.tsx").then((m) => m.MoreSheet), { ssr: false });

const CHORD_MS = 1_500;
/** After the page's own scripts. */
const PRELOAD_AFTER_MS = 1_500;

function focusSearch(): boolean {
	const field = document.querySelector<HTMLInputElement>("[data-shortcut-search]");
	field?.focus();
	field?.select();
	return field !== null;
}

/** Handles shortcuts and shows the open overlay. */
export function OverlayHost({ user, signOut }: { user: ShellUser; signOut: SignOut }) {
	const router = useRouter();
	const open = useSyncExternalStore(overlayStore.subscribe, overlayStore.get, () => null);

	// Fetches the palette once the page is idle, so that it opens without waiting for the network. Rendered as a lazy component, it would
	// wait 300 ms, as React does before it replaces a fallback.
	const [Preloaded, setPreloaded] = useState<typeof CommandPalette | null>(null);
	useEffect(() => {
		const keep = (palette: typeof CommandPalette) => {
			// An open palette would lose its text.
			if (overlayStore.get() === null) setPreloaded(() => palette);
		};
		const timer = setTimeout(() => void loadPalette().then(keep, () => undefined), PRELOAD_AFTER_MS);
		return () => clearTimeout(timer);
	}, []);

	// Subscribes to the document's keyboard events.
	useEffect(() => {
		let gPressedAtMs = Number.NEGATIVE_INFINITY;
		const onKey = (event: KeyboardEvent) => {
			if (event.defaultPrevented || event.isComposing) return;
			const modal = document.querySelector("dialog[open]") !== null;
			const action = actionOfKey({
				key: event.key,
				ctrlOrMeta: event.ctrlKey || event.metaKey,
				alt: event.altKey,
				typing: isTyping(event.target) || modal,
				afterG: event.timeStamp - gPressedAtMs < CHORD_MS,
			});
			gPressedAtMs = action.kind === "await_screen" ? event.timeStamp : Number.NEGATIVE_INFINITY;
			if (action.kind === "none" || action.kind === "await_screen") return;
			if (action.kind === "palette" && modal && overlayStore.get() !== "palette") return;
			event.preventDefault();
			if (action.kind === "palette") openOverlay(overlayStore.get() === "palette" ? null : "palette");
			else if (action.kind === "help") openShortcuts();
			else if (action.kind === "go") router.push(action.href);
			else if (!focusSearch()) openPalette();
		};
		document.addEventListener("keydown", onKey);
		return () => document.removeEventListener("keydown", onKey);
	}, [router]);

	const Palette = Preloaded ?? CommandPalette;
	if (open === "palette") return <Palette permissions={user.permissions} onClose={closeOverlay} />;
	if (open === "shortcuts") return <ShortcutsDialog permissions={user.permissions} onClose={closeOverlay} />;
	if (open === "more") return <MoreSheet onClose={closeOverlay} user={user} signOut={signOut} />;
	return null;
}
