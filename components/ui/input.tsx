import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Kbd } from "#components/ui/kbd.tsx";

// 16 px on phones: iOS zooms into focused fields below that.
const BOX =
	"w-full min-w-0 rounded-md border border-control bg-panel text-ink font-book max-md:text-[1rem] disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-risk focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-focus focus-visible:border-transparent focus-visible:rounded-md";

export function Input({ className, mono = false, ...rest }: ComponentProps<"input"> & { mono?: boolean }) {
	return <input {...rest} className={cn(BOX, "h-8 px-2.5", mono && "font-mono text-xs [font-variant-ligatures:none]", className)} />;
}

export function Textarea({ className, mono = false, ...rest }: ComponentProps<"textarea"> & { mono?: boolean }) {
	return (
		<textarea
			{...rest}
			className={cn(BOX, "min-h-20 px-2.5 py-2 leading-normal", mono && "font-mono text-xs [font-variant-ligatures:none]", className)}
		/>
	);
}

/** The native select, which works on every phone and screen reader. */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
	return (
		<span className={cn("relative block min-w-0", className)}>
			<select {...rest} className={cn(BOX, "h-8 appearance-none truncate pr-8 pl-2.5")}>
				{children}
			</select>
			<Icon name="chevronDown" className="pointer-events-none absolute top-2 right-2 text-ink-3" />
		</span>
	);
}

/** A search box. The shortcut `/` focuses the first one on the page. */
export function SearchInput({ className, label, hint = "/", ...rest }: { label: string; hint?: string | null } & ComponentProps<"input">) {
	return (
		<span className={cn("relative block min-w-0", className)}>
			<Icon name="search" className="pointer-events-none absolute top-2 left-2.5 size-3.5 text-ink-3" />
			<input
				type="search"
				aria-label={label}
				placeholder={label}
				data-shortcut-search
				autoComplete="off"
				spellCheck={false}
				{...rest}
				className={cn(BOX, "h-7.5 rounded-lg pr-8 pl-8 [&::-webkit-search-cancel-button]:hidden")}
			/>
			{hint && <Kbd className="pointer-events-none absolute top-1.5 right-2 max-md:hidden">{hint}</Kbd>}
		</span>
	);
}

type FieldProps = { label: ReactNode; htmlFor: string; hint?: ReactNode; error?: ReactNode; className?: string; children: ReactNode };

/**
 * A label, its control, and a hint or error. Give the control `id={htmlFor}`, and
 * `aria-describedby={`${htmlFor}-note`}` with `aria-invalid` if `error` is set.
 */
export function Field({ label, htmlFor, hint, error, className, children }: FieldProps) {
	return (
		<div className={cn("grid min-w-0 content-start gap-1", className)}>
			<label htmlFor={htmlFor} className="font-medium text-ink-2">
				{label}
			</label>
			{children}
			{(error || hint) && (
				<p id={`${htmlFor}-note`} className={cn("text-xs", error ? "text-risk-ink" : "text-ink-3")} role={error ? "alert" : undefined}>
					{error || hint}
				</p>
			)}
		</div>
	);
}
