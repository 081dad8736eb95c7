import { cn } from "#components/ui/cn.ts";

/** A gray placeholder. Give it the size of its content. */
export function Skeleton({ className }: { className?: string }) {
	return <span aria-hidden className={cn("animate-skeleton block h-3 rounded-sm bg-line", className)} />;
}

/** Placeholder table rows. Widths depend on position, not chance, so that server and browser match. */
export function TableSkeleton({ rows = 6, columns = 5, label = "Loading" }: { rows?: number; columns?: number; label?: string }) {
	const widths = ["w-3/4", "w-1/2", "w-2/3", "w-2/5", "w-3/5"];
	return (
		<div role="status" aria-label={label}>
			{Array.from({ length: rows }, (_, row) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move.
				<div key={row} className="hairline-b flex h-9.5 items-center gap-4 px-4 last:border-b-0">
					{Array.from({ length: columns }, (_, column) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: as above.
						<span key={column} className={column === 0 ? "flex-2" : "flex-1"}>
							<Skeleton className={widths[(row * 2 + column * 3) % widths.length] ?? "w-1/2"} />
						</span>
					))}
				</div>
			))}
		</div>
	);
}

export function ChartSkeleton({ height = 280, label = "Loading" }: { height?: number; label?: string }) {
	const heights = [35, 48, 62, 58, 70, 66, 40, 32, 38, 55, 74, 80, 68, 60, 52, 57, 64, 72, 50, 44];
	return (
		<div role="status" aria-label={label} style={{ height }} className="flex items-end gap-1.5 px-4 pb-4">
			{heights.map((h, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a fixed picture.
				<span key={i} aria-hidden style={{ height: `${h}%` }} className="animate-skeleton flex-1 rounded-t-xs bg-line" />
			))}
		</div>
	);
}

export function TextSkeleton({ lines = 3, label = "Loading", className }: { lines?: number; label?: string; className?: string }) {
	const widths = ["w-11/12", "w-4/5", "w-3/5", "w-2/3"];
	return (
		<div role="status" aria-label={label} className={cn("grid gap-2.5 px-4 pb-4", className)}>
			{Array.from({ length: lines }, (_, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a fixed picture.
				<Skeleton key={i} className={widths[i % widths.length] ?? "w-1/2"} />
			))}
		</div>
	);
}

export function KpiSkeleton({ count = 6, label = "Loading" }: { count?: number; label?: string }) {
	return (
		<div
			role="status"
			aria-label={label}
			style={{ "--n": count } as React.CSSProperties}
			className="grid grid-cols-2 gap-x-7 gap-y-4 rounded-xl border bg-panel px-4.5 py-3.5 md:grid-cols-3 xl:grid-cols-[repeat(var(--n),minmax(0,1fr))]"
		>
			{Array.from({ length: count }, (_, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a fixed picture.
				<span key={i} className="grid h-25 content-start gap-3 pt-1">
					<Skeleton className="w-2/3" />
					<Skeleton className="h-5 w-1/2" />
					<Skeleton className="h-2.5" />
					<Skeleton className="w-4/5" />
				</span>
			))}
		</div>
	);
}
