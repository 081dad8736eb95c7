import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export type Definition = { term: ReactNode; value: ReactNode; id: string };

/** Terms on the left, values on the right. */
export function DefinitionList({ items, className }: { items: readonly Definition[]; className?: string }) {
	return (
		<dl className={cn("grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.75", className)}>
			{items.map((item) => (
				<div key={item.id} className="contents">
					<dt className="text-ink-2">{item.term}</dt>
					<dd className="num">{item.value}</dd>
				</div>
			))}
		</dl>
	);
}
