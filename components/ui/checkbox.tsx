import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";

/** A native checkbox. `mixed` shows the indeterminate dash. The target is 24 px around a 15 px box. */
export function Checkbox({ className, mixed = false, ...rest }: ComponentProps<"input"> & { mixed?: boolean }) {
	return (
		<span className={cn("relative inline-grid size-3.75 flex-none place-items-center align-middle", className)}>
			<input
				type="checkbox"
				ref={(el) => {
					if (el) el.indeterminate = mixed;
				}}
				{...rest}
				className="peer size-3.75 appearance-none rounded-sm border border-control bg-panel checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent before:absolute before:-inset-1.25"
			/>
			<svg
				viewBox="0 0 12 12"
				aria-hidden
				className="pointer-events-none absolute hidden size-3 text-accent-ink peer-checked:block peer-indeterminate:hidden"
			>
				<path d="m2.500 6.200 2.300 2.300 4.700-5" fill="none" stroke="currentColor" strokeWidth="1.800" />
			</svg>
			<span aria-hidden className="pointer-events-none absolute hidden h-[1.5px] w-1.75 bg-accent-ink peer-indeterminate:block" />
		</span>
	);
}

/** A checkbox with label and description. */
export function CheckField({
	label,
	hint,
	className,
	id,
	...rest
}: { label: ReactNode; hint?: ReactNode } & Omit<ComponentProps<"input">, "className"> & { className?: string }) {
	const own = useId();
	return (
		<label htmlFor={id ?? own} className={cn("grid cursor-pointer grid-cols-[1rem_1fr] items-start gap-x-2", className)}>
			<Checkbox {...rest} id={id ?? own} className="mt-0.5" />
			<span className="font-medium">{label}</span>
			{hint && <span className="col-start-2 text-xs text-ink-3">{hint}</span>}
		</label>
	);
}
