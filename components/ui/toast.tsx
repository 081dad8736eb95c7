"use client";
import { useTheme } from "next-themes";
import { type ComponentType, useSyncExternalStore } from "react";
import type { ToasterProps } from "sonner";

type ToastAction = { label: string; onClick: () => void };
export type ToastMessage = { tone: "done" | "failed" | "info"; title: string; detail?: string; action?: ToastAction };

/** sonner loads with the first message because most visits show none. Messages that arrive in the meantime are queued. */
const queue: ToastMessage[] = [];
let Toaster: ComponentType<ToasterProps> | null = null;
let loading: Promise<void> | null = null;
const listeners = new Set<() => void>();

async function flush(): Promise<void> {
	const sonner = await import("sonner");
	Toaster = sonner.Toaster;
	for (const listener of listeners) listener();
	// The toaster subscribes on mount, which is done two frames later.
	await new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
	for (const message of queue.splice(0)) {
		const show = message.tone === "done" ? sonner.toast.success : message.tone === "failed" ? sonner.toast.error : sonner.toast;
		show(message.title, {
			...(message.detail ? { description: message.detail } : {}),
			...(message.action ? { action: message.action } : {}),
			duration: message.tone === "failed" || message.action ? 12_000 : 5_000,
		});
	}
}

/** Shows a confirmation. Errors and messages with an action stay longer; essential messages belong on the page. */
export function notify(message: ToastMessage): void {
	queue.push(message);
	loading = (loading ?? Promise.resolve()).then(flush);
}

const subscribe = (listener: () => void) => {
	listeners.add(listener);
	return () => listeners.delete(listener);
};

export function ToastHost() {
	const Loaded = useSyncExternalStore(
		subscribe,
		() => Toaster,
		() => null,
	);
	const { resolvedTheme } = useTheme();
	if (!Loaded) return null;
	return (
		<Loaded
			theme={resolvedTheme === "dark" ? "dark" : "light"}
			position="bottom-right"
			mobileOffset={{ bottom: "5rem" }}
			toastOptions={{
				classNames: {
					toast: "!bg-panel !text-ink !border-line !rounded-xl !text-sm !font-sans !shadow-pop",
					description: "!text-ink-2",
					success: "[&_[data-icon]]:!text-ok-ink",
					error: "[&_[data-icon]]:!text-risk-ink",
					actionButton: "!bg-accent !text-accent-ink",
				},
			}}
		/>
	);
}
