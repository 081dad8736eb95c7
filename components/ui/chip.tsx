import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";

export type Tone = "neutral" | "accent" | "ok" | "warn" | "risk" | "owned" | "cloud" | "carbon";

const DOT: Record<Tone, string> = {
	neutral: "bg-ink-3",
	accent: "bg-accent",
	ok: "bg-ok",
	// A ring, not a disc: a warning must differ from "all is well" by its shape too.
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

/** A health or freshness mark: dot and words. */
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

type FilterChipProps = { label: string; value?: string | null; onClear?: () => void; onOpen?: () => void; className?: string };

/** A filter of a list. Dashed while it is not set; with its value and a way to clear it when it is. */
export function FilterChip({ label, value, onClear, onOpen, className }: FilterChipProps) {
	const set = value !== undefined && value !== null && value !== "";
	return (
		<span
			className={cn(
				"inline-flex h-7.5 items-center rounded-lg border",
				set ? "border-line-strong bg-panel text-ink" : "border-dashed border-line-strong text-ink-2",
				className,
			)}
		>
			<button
				type="button"
				onClick={onOpen}
				className="flex h-full items-center gap-1.25 rounded-lg pr-2.5 pl-2.5 whitespace-nowrap hover:text-ink"
			>
				{label} {set && <b className="font-semibold">{value}</b>}
			</button>
			{set && (
				<button
					type="button"
					onClick={onClear}
					aria-label={`Clear the filter ${label}`}
					className="-ml-1.5 grid h-full w-6 place-items-center rounded-r-lg text-ink-3 hover:text-ink"
				>
					<Icon name="x" className="size-3" />
				</button>
			)}
		</span>
	);
}
