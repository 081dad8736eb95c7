"use client";
import { type ReactNode, useId } from "react";
import { IconButton } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { showModal } from "#components/ui/show-modal.ts";

type DialogProps = {
	open: boolean;
	onClose: () => void;
	title: ReactNode;
	/** A sentence below the title, announced when the dialog opens. */
	description?: ReactNode;
	/** Buttons at the bottom right, primary last. */
	actions?: ReactNode;
	/** "sheet" opens from the bottom edge on phones. */
	shape?: "box" | "sheet";
	className?: string;
	children?: ReactNode;
};

/**
 * The browser's modal dialog: traps and restores focus, closes on Escape and makes the page inert. Content exists only
 * while open.
 */
export function Dialog({ open, onClose, title, description, actions, shape = "box", className, children }: DialogProps) {
	const id = useId();
	if (!open) return null;
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it; Escape does the same for the keyboard.
		<dialog
			ref={showModal}
			aria-labelledby={`${id}-title`}
			aria-describedby={description ? `${id}-text` : undefined}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onClick={(event) => {
				if (event.target === event.currentTarget) onClose();
			}}
			className={cn(
				"w-full max-w-110 overflow-hidden rounded-xl bg-panel p-0 text-ink shadow-pop backdrop:bg-[oklch(0.15_0.02_250/0.45)]",
				shape === "sheet"
					? "max-md:mx-0 max-md:mt-auto max-md:mb-0 max-md:max-w-full max-md:rounded-b-none md:m-auto"
					: "m-auto max-md:w-[calc(100%-2rem)]",
				className,
			)}
		>
			<div className="flex items-start gap-3 px-5 pt-4 pb-1">
				<div className="min-w-0 flex-1">
					<h2 id={`${id}-title`} className="text-md font-semibold">
						{title}
					</h2>
					{description && (
						<p id={`${id}-text`} className="mt-1 text-ink-2">
							{description}
						</p>
					)}
				</div>
				<IconButton icon="x" label="Close" onClick={onClose} className="-mr-2" />
			</div>
			{children ? <div className="max-h-[70dvh] overflow-y-auto px-5 pt-2 pb-5">{children}</div> : <div className="h-4" />}
			{actions && <div className="flex flex-wrap justify-end gap-2 border-t bg-bg px-5 py-3">{actions}</div>}
		</dialog>
	);
}
