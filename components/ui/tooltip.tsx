"use client";
import { type ReactNode, useId, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { movePopover } from "#components/ui/popover.ts";

/**
 * More about something, on hover and on focus. The trigger is focusable, so that it is not for mice alone; Escape hides it.
 * Nothing that a person must know belongs into a tooltip only.
 */
export function Tooltip({ content, children, className }: { content: ReactNode; children: ReactNode; className?: string }) {
	const id = useId();
	const tip = useRef<HTMLSpanElement>(null);
	const anchor = useRef<HTMLButtonElement>(null);
	const show = () => {
		if (!tip.current || !anchor.current) return;
		tip.current.showPopover();
		movePopover(tip.current, anchor.current, "top", "center");
	};
	const hide = () => tip.current?.hidePopover();
	return (
		<>
			<button
				ref={anchor}
				type="button"
				aria-describedby={id}
				onMouseEnter={show}
				onMouseLeave={hide}
				onFocus={show}
				onBlur={hide}
				onKeyDown={(event) => event.key === "Escape" && hide()}
				className={cn("cursor-help rounded-xs text-left underline decoration-line-strong decoration-dotted underline-offset-3", className)}
			>
				{children}
			</button>
			<span
				ref={tip}
				id={id}
				role="tooltip"
				popover="manual"
				className="pointer-events-none fixed inset-auto m-0 max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-xs leading-normal text-bg shadow-pop"
			>
				{content}
			</span>
		</>
	);
}
