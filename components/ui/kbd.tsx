import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export function Kbd({ children, className }: { children: ReactNode; className?: string }) {
	return (
		<kbd className={cn("inline-block rounded-sm border bg-panel px-1.25 font-mono text-2xs leading-4.25 text-ink-3", className)}>
			{children}
		</kbd>
	);
}
