import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type PanelProps = {
	title?: ReactNode;
	sub?: ReactNode;
	/** Right of the title: buttons, a link or a note. */
	actions?: ReactNode;
	footer?: ReactNode;
	/** Adds side padding. Omit for tables and charts that reach the edges. */
	padded?: boolean;
	id?: string;
	className?: string;
	children: ReactNode;
};

export function Panel({ title, sub, actions, footer, padded = false, id, className, children }: PanelProps) {
	return (
		<section id={id} className={cn("flex min-w-0 flex-col overflow-clip rounded-xl border bg-panel", className)}>
			{title && <PanelHeader title={title} sub={sub} actions={actions} />}
			{padded ? <div className="px-4 pb-4">{children}</div> : children}
			{footer && <div className="mt-auto border-t px-4 py-2.5 text-xs text-ink-3">{footer}</div>}
		</section>
	);
}

export function PanelHeader({
	title,
	sub,
	actions,
	className,
}: {
	title: ReactNode;
	sub?: ReactNode;
	actions?: ReactNode;
	className?: string;
}) {
	return (
		<div className={cn("flex min-h-11.5 flex-wrap items-center gap-x-2.5 gap-y-0.5 px-4 py-2", className)}>
			<h2 className="text-sm font-semibold">{title}</h2>
			{sub && <span className="text-ink-3">{sub}</span>}
			{actions && <div className="ml-auto flex flex-wrap items-center gap-2 text-ink-3">{actions}</div>}
		</div>
	);
}

const SPLIT_FROM = {
	rail: "max-rail:divide-y rail:grid-cols-(--cols) rail:divide-x",
	/** For tables that need a desktop width side by side. */
	wide: "max-[90rem]:divide-y min-[90rem]:grid-cols-(--cols) min-[90rem]:divide-x",
};

type PanelSplitProps = { columns: string; from?: keyof typeof SPLIT_FROM; className?: string; children: ReactNode };

/**
 * Panels side by side in one border, divided by a hairline; stacked on narrow screens. `columns` is a grid template.
 */
export function PanelSplit({ columns, from = "rail", className, children }: PanelSplitProps) {
	return (
		<div
			style={{ "--cols": columns } as React.CSSProperties}
			className={cn("grid min-w-0 divide-line [&>*]:min-w-0", SPLIT_FROM[from], className)}
		>
			{children}
		</div>
	);
}
