import type { ReactNode } from "react";
import { Link } from "#components/ui/link.tsx";

type PageHeaderProps = {
	title: ReactNode;
	/** Breadcrumbs: [{ label: "Jobs", href: "/jobs" }]. */
	crumbs?: readonly { label: string; href: string }[];
	/** After the title: a LiveStamp, a state chip or an ID. */
	meta?: ReactNode;
	actions?: ReactNode;
};

/** Sticky header of a screen. */
export function PageHeader({ title, crumbs = [], meta, actions }: PageHeaderProps) {
	return (
		<div
			data-page-header
			className="sticky top-0 z-20 flex h-(--header-h) flex-none items-center gap-3 border-b bg-[color-mix(in_oklab,var(--panel)_88%,var(--bg))] px-4 md:px-6 print:static"
		>
			{crumbs.length > 0 && (
				<nav aria-label="Breadcrumbs" className="flex flex-none gap-2 text-md font-medium">
					{crumbs.map((crumb) => (
						<span key={crumb.href} className="flex gap-2 text-ink-3">
							<Link href={crumb.href} className="hover:text-ink">
								{crumb.label}
							</Link>
							<span aria-hidden className="text-line-strong">
								/
							</span>
						</span>
					))}
				</nav>
			)}
			<h1 className="truncate text-md font-bold tracking-tight">{title}</h1>
			{meta}
			<div className="flex-1" />
			{actions && <div className="flex flex-none items-center gap-2">{actions}</div>}
		</div>
	);
}

/** Screen content below the header. */
export function PageBody({ children }: { children: ReactNode }) {
	return (
		<div className="grid w-full max-w-440 grid-cols-[minmax(0,1fr)] content-start gap-4 px-3.5 pt-4 pb-10 md:px-6 md:pt-5">{children}</div>
	);
}

/** Summary sentences above the charts. Use <b> for key facts and links for details. */
export function Lead({ children }: { children: ReactNode }) {
	return (
		<p className="my-1 max-w-280 text-[1rem] leading-normal tracking-[-0.011em] text-pretty text-ink-2 md:text-lg [&_a]:text-ink [&_a]:underline [&_a]:decoration-line-strong [&_a]:underline-offset-4 [&_a:hover]:decoration-current [&_b]:font-bold [&_b]:text-ink">
			{children}
		</p>
	);
}
