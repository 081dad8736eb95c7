"use client";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";

export type TabLink = { id: string; label: ReactNode; href: string; count?: number };

type TabLinksProps = {
	label: string;
	current: string;
	tabs: readonly TabLink[];
	end?: ReactNode;
	/** Shows `end` on phones too; otherwise it is hidden there. */
	endOnPhones?: boolean /** Full width below the page header, with the page's padding. */;
	edge?: boolean;
	className?: string;
};

/** On phones the row scrolls: brings the current tab into view. */
function showCurrent(row: HTMLElement | null): void {
	const tab = row?.querySelector("[aria-current=page]");
	if (!row || !tab) return;
	const [outer, inner] = [row.getBoundingClientRect(), tab.getBoundingClientRect()];
	row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}

/** Views of a screen. They are in the URL, so they are links, not ARIA tabs. */
export function TabLinks({ label, current, tabs, end, endOnPhones = false, edge = false, className }: TabLinksProps) {
	return (
		<div className={cn("flex items-center gap-5 border-b", edge && "px-4 md:px-6", className)}>
			<nav ref={showCurrent} aria-label={label} className="-mb-px flex min-w-0 gap-5 overflow-x-auto no-scrollbar">
				{tabs.map((tab) => (
					<Link
						key={tab.id}
						href={tab.href}
						scroll={false}
						aria-current={tab.id === current ? "page" : undefined}
						className={cn(
							"flex h-11 items-center gap-1.5 border-b-2 font-medium whitespace-nowrap focus-visible:-outline-offset-2",
							tab.id === current ? "border-ink font-semibold text-ink" : "border-transparent text-ink-2 hover:text-ink",
						)}
					>
						{tab.label}
						{tab.count !== undefined && <span className="tabular font-book text-ink-3">{tab.count.toLocaleString("en-US")}</span>}
					</Link>
				))}
			</nav>
			{end && <div className={cn("ml-auto flex shrink-0 items-center gap-2", !endOnPhones && "max-md:hidden")}>{end}</div>}
		</div>
	);
}
