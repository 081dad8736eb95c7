import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";

/**
 * A row of key figures. Each has label, value, a 10 px graphic and a note on the same four lines, so that figures
 * compare across. `columns` is a grid template for wide screens.
 */
export function KpiStrip({
	columns,
	label,
	className,
	children,
}: {
	columns: string;
	label: string;
	className?: string;
	children: ReactNode;
}) {
	return (
		<section
			aria-label={label}
			style={{ "--cols": columns } as React.CSSProperties}
			className={cn(
				"grid grid-cols-2 gap-x-5 gap-y-4 rounded-xl border bg-panel p-3.5 md:grid-cols-3 md:gap-x-7 md:px-4.5 xl:grid-cols-(--cols)",
				className,
			)}
		>
			{children}
		</section>
	);
}

type KpiProps = {
	label: ReactNode;
	value: ReactNode;
	unit?: ReactNode;
	graphic?: ReactNode;
	note?: ReactNode;
	href?: string /** Fills the first row on narrow screens. */;
	wide?: boolean;
	tone?: "risk";
	className?: string;
};

export function Kpi({ label, value, unit, graphic, note, href, wide = false, tone, className }: KpiProps) {
	const body = (
		<>
			<span className="truncate font-medium text-ink-2">{label}</span>
			<span className={cn("figures h-8.5 truncate text-2xl leading-8.5 font-bold", tone === "risk" && "text-risk-ink")}>
				{value} {unit && <span className="text-sm font-book tracking-normal text-ink-3">{unit}</span>}
			</span>
			{graphic !== undefined && <span className="flex h-5.5 items-center [&>*]:w-full">{graphic}</span>}
			{note && <span className="text-xs leading-[1.4] text-ink-3 [&_b]:font-strong [&_b]:whitespace-nowrap [&_b]:text-ink-2">{note}</span>}
		</>
	);
	const grid = cn("grid min-w-0 auto-rows-min content-start", wide && "max-md:order-first max-md:col-span-full", className);
	return href ? (
		<Link href={href} className={cn(grid, "rounded-md outline-offset-4")}>
			{body}
		</Link>
	) : (
		<div className={grid}>{body}</div>
	);
}

/** Figures about one item on a baseline, divided by hairlines (headers of Job and Spend). */
export function FactStrip({
	columns,
	framed = true,
	className,
	children,
}: {
	columns: string;
	framed?: boolean;
	className?: string;
	children: ReactNode;
}) {
	return (
		<dl
			style={{ "--cols": columns } as React.CSSProperties}
			className={cn(
				"grid grid-cols-2 xl:grid-cols-(--cols) md:grid-cols-3",
				framed
					? "overflow-clip rounded-xl border bg-panel [&>*]:px-4 [&>*]:py-3.5"
					: "gap-y-4 [&>*]:px-5 [&>*]:max-xl:pl-0 [&>*:first-child]:pl-0",
				"[&>*]:-ml-px [&>*]:border-l",
				framed && "[&>*]:-mt-px [&>*]:border-t",
				!framed && "[&>*]:max-xl:border-l-0 [&>*:first-child]:border-l-0",
				className,
			)}
		>
			{children}
		</dl>
	);
}

type FactProps = {
	label: ReactNode;
	children: ReactNode;
	graphic?: ReactNode;
	note?: ReactNode;
	lead?: boolean;
	wide?: boolean;
	className?: string;
};

export function Fact({ label, children, graphic, note, lead = false, wide = false, className }: FactProps) {
	return (
		<div className={cn("grid min-w-0 content-start gap-0.75", wide && "max-md:col-span-full", className)}>
			<dt className="font-medium text-ink-2">{label}</dt>
			<dd className={cn("figures truncate font-bold", lead ? "text-3xl" : "text-xl leading-[1.3]")}>{children}</dd>
			{graphic && <dd className="py-1">{graphic}</dd>}
			{note && <dd className="text-xs text-ink-3">{note}</dd>}
		</div>
	);
}
