import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

export type ButtonVariant = "default" | "primary" | "danger" | "quiet" | "link";
export type ButtonSize = "md" | "sm";

const BASE =
	"inline-flex items-center justify-center gap-1.5 whitespace-nowrap border font-strong transition-colors select-none disabled:opacity-50 aria-disabled:opacity-50";
const VARIANT: Record<ButtonVariant, string> = {
	default: "border-line-strong bg-panel text-ink hover:bg-sunken aria-pressed:bg-sunken aria-expanded:bg-sunken",
	primary: "border-accent bg-accent text-accent-ink hover:not-disabled:bg-[color-mix(in_oklab,var(--accent)_88%,var(--ink))]",
	danger: "border-[color-mix(in_oklab,var(--risk)_45%,var(--line-strong))] bg-panel text-risk-ink hover:not-disabled:bg-risk-soft",
	quiet: "border-transparent bg-transparent text-ink-2 hover:bg-sunken hover:text-ink aria-pressed:bg-sunken aria-expanded:bg-sunken",
	link: "border-transparent bg-transparent text-accent px-0! hover:underline underline-offset-3",
};
const SIZE: Record<ButtonSize, string> = { md: "h-8 rounded-lg px-3 text-sm", sm: "h-6.5 rounded-md px-2.5 text-xs" };

export function buttonClass(variant: ButtonVariant = "default", size: ButtonSize = "md", className?: string): string {
	return cn(BASE, VARIANT[variant], SIZE[size], className);
}

type Look = { variant?: ButtonVariant; size?: ButtonSize; icon?: IconName; className?: string; children?: ReactNode };

/** A button. `busy` keeps its width and label and ignores further clicks. */
export function Button({
	variant,
	size,
	icon,
	className,
	children,
	busy = false,
	disabled,
	...rest
}: Look & { busy?: boolean } & ComponentProps<"button">) {
	return (
		<button
			type="button"
			{...rest}
			disabled={disabled || busy}
			aria-busy={busy || undefined}
			className={buttonClass(variant, size, className)}
		>
			{icon && <Icon name={icon} className={cn("-ml-0.5 size-3.5", busy && "animate-spin")} />}
			{children}
		</button>
	);
}

export function ButtonLink({ variant, size, icon, className, children, ...rest }: Look & ComponentProps<typeof Link>) {
	return (
		<Link {...rest} className={buttonClass(variant, size, className)}>
			{icon && <Icon name={icon} className="-ml-0.5 size-3.5" />}
			{children}
		</Link>
	);
}

/** An icon button; `label` is its accessible name and tooltip. */
export function IconButton({
	icon,
	label,
	className,
	size = "md",
	...rest
}: { icon: IconName; label: string; size?: ButtonSize } & ComponentProps<"button">) {
	return (
		<button
			type="button"
			title={label}
			aria-label={label}
			{...rest}
			className={cn(buttonClass("quiet", size), size === "md" ? "w-8 px-0!" : "w-6.5 px-0!", className)}
		>
			<Icon name={icon} />
		</button>
	);
}
