"use client";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";

type BulkBarProps = { count: number /** "12 GPUs, queued" */; facts?: ReactNode; onClear: () => void; children: ReactNode };

/** Actions on the selected rows. Floats over the end of the list without hiding the last row permanently. */
export function BulkBar({ count, facts, onClear, children }: BulkBarProps) {
	if (count === 0) return null;
	return (
		<div
			role="toolbar"
			aria-label={`${count} selected`}
			className="sticky bottom-[calc(4.25rem+env(safe-area-inset-bottom))] z-20 mx-auto mt-4.5 mb-5 flex w-max max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-1.5 rounded-xl bg-ink py-1.75 pr-1.75 pl-4 text-bg shadow-[0_8px_28px_var(--shadow-color)] md:bottom-5"
		>
			<b className="tabular font-semibold" role="status">
				{count.toLocaleString("en-US")} selected
			</b>
			{facts && <span className="tabular mr-3 ml-1.5 text-[color-mix(in_oklab,var(--bg)_72%,var(--ink))] max-md:hidden">{facts}</span>}
			{children}
			<button
				type="button"
				onClick={onClear}
				aria-label="Clear selection"
				className="grid size-7.5 place-items-center rounded-md hover:bg-[color-mix(in_oklab,var(--bg)_14%,var(--ink))]"
			>
				<Icon name="x" className="size-3.5" />
			</button>
		</div>
	);
}

export function BulkButton({ className, ...rest }: ComponentProps<"button">) {
	return (
		<button
			type="button"
			{...rest}
			className={cn(
				"h-7.5 rounded-md bg-[color-mix(in_oklab,var(--bg)_14%,var(--ink))] px-2.75 font-strong whitespace-nowrap hover:not-disabled:bg-[color-mix(in_oklab,var(--bg)_24%,var(--ink))] disabled:opacity-50",
				className,
			)}
		/>
	);
}
