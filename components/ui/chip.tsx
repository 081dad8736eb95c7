import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export type Tone = "neutral" | "accent" | "ok" | "warn" | "risk" | "owned" | "cloud" | "carbon";

const DOT: Record<Tone, string> = {
	neutral: "bg-ink-3",
	accent: "bg-accent",
	ok: "bg-ok",
	// A ring instead of a disc: a warning differs in shape too.
	warn: "border-2 border-warn",
	risk: "bg-risk rotate-45 rounded-none",
	owned: "bg-owned",
	cloud: "bg-cloud",
	carbon: "bg-carbon",
};

export function Dot({ tone = "neutral", className }: { tone?: Tone; className?: string }) {
	return <span aria-hidden className={cn("mark-exact inline-block size-1.75 flex-none rounded-full", DOT[tone], className)} />;
}

export function Chip({ tone, children, className }: { tone?: Tone; children: ReactNode; className?: string }) {
	return (
		<span
			className={cn(
				"inline-flex h-5.5 items-center gap-1.5 rounded-full border bg-panel px-2 text-xs font-strong whitespace-nowrap",
				className,
			)}
		>
			{tone && <Dot tone={tone} />}
			{children}
		</span>
	);
}

/** Health or freshness mark: dot and label. */
export function Health({
	tone,
	children,
	className,
}: {
	tone: "ok" | "warn" | "risk" | "neutral";
	children: ReactNode;
	className?: string;
}) {
	return (
		<span className={cn("inline-flex items-center gap-1.75 whitespace-nowrap", className)}>
			<Dot tone={tone} />
			{children}
		</span>
	);
}
