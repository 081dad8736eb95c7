"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type Ref, useImperativeHandle, useLayoutEffect, useRef } from "react";
import { formatClockSeconds, formatExact } from "#components/time/format-time.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import type { LogLine } from "./log-lines.ts";

const LINE_PX = 20;
/** Distance from the end that still counts as the end. */
const END_PX = 30;

export type LogViewHandle = { show: (index: number) => void };

type LogViewProps = {
	ref: Ref<LogViewHandle>;
	lines: readonly LogLine[];
	complete: boolean;
	following: boolean;
	onFollow: (following: boolean) => void;
	/** Indexes of search matches, and the current match. */
	hits: readonly number[];
	hit: number | null;
	/** Number of earlier lines not loaded. */
	earlier: number;
	loading: boolean;
	onEarlier: () => void;
};

/**
 * Virtual scroll of log lines. Opens at the end, where results and errors are. Following keeps the end in view;
 * scrolling up stops following.
 */
export function LogView({ ref, lines, complete, following, onFollow, hits, hit, earlier, loading, onEarlier }: LogViewProps) {
	const box = useRef<HTMLDivElement>(null);
	const virtualizer = useVirtualizer({
		count: lines.length,
		getScrollElement: () => box.current,
		estimateSize: () => LINE_PX,
		getItemKey: (index) => lines[index]?.number ?? index,
		overscan: 20,
		initialRect: { width: 1_000, height: 416 },
		initialOffset: Math.max(0, lines.length * LINE_PX - 416),
	});
	useImperativeHandle(ref, () => ({ show: (index) => virtualizer.scrollToIndex(index, { align: "center" }) }), [virtualizer]);
	const last = lines.at(-1)?.number ?? 0;
	const first = lines[0]?.number ?? 0;
	// Synchronizes with the element's scroll position.
	useLayoutEffect(() => {
		if (following && last > 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
	}, [following, last]);
	const before = useRef({ first, count: lines.length });
	useLayoutEffect(() => {
		// Keeps the visible lines in place when earlier lines are prepended.
		const added = before.current.first > first ? lines.length - before.current.count : 0;
		before.current = { first, count: lines.length };
		if (added > 0 && box.current) box.current.scrollTop += added * LINE_PX;
	}, [first, lines.length]);
	const onScroll = () => {
		const el = box.current;
		if (!el || complete) return;
		const atEnd = el.scrollHeight - el.scrollTop - el.clientHeight < END_PX;
		if (atEnd !== following) onFollow(atEnd);
	};
	const found = new Set(hits);
	return (
		<div
			ref={box}
			onScroll={onScroll}
			role="log"
			aria-live="off"
			aria-label="Log lines"
			// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
			tabIndex={0}
			className="max-h-104 min-h-20 overflow-auto border-t bg-sunken py-2.5 font-mono text-xs leading-5 [font-variant-ligatures:none] focus-visible:-outline-offset-2"
		>
			{earlier > 0 && (
				<p className="sticky left-0 px-4 pb-2 font-sans text-ink-3">
					{formatCount(earlier)} earlier lines.{" "}
					<Button size="sm" busy={loading} onClick={onEarlier} className="ml-1">
						Load
					</Button>
				</p>
			)}
			{lines.length === 0 && <p className="px-4 font-sans text-ink-3">{complete ? "No output." : "No output yet."}</p>}
			<div className="relative min-w-max" style={{ height: virtualizer.getTotalSize() }}>
				{virtualizer.getVirtualItems().map((item) => {
					const line = lines[item.index];
					return (
						line && (
							<Line
								key={item.key}
								line={line}
								top={item.start}
								mark={item.index === hit ? "now" : found.has(item.index) ? "found" : null}
							/>
						)
					);
				})}
			</div>
		</div>
	);
}

function Line({ line, top, mark }: { line: LogLine; top: number; mark: "now" | "found" | null }) {
	const at = Date.parse(line.at);
	return (
		<div
			style={{ transform: `translateY(${top}px)` }}
			className={cn(
				"absolute inset-x-0 top-0 h-5 px-4 whitespace-pre",
				line.stream === "stderr" && "bg-[color-mix(in_oklab,var(--warn)_9%,transparent)] shadow-[inset_2px_0_var(--warn)]",
				line.stream === "spillway" && "font-sans text-ink-3",
				mark === "found" && "bg-[color-mix(in_oklab,var(--accent)_12%,transparent)]",
				mark === "now" && "bg-[color-mix(in_oklab,var(--accent)_26%,transparent)]",
			)}
		>
			<time
				dateTime={line.at}
				title={formatExact(at)}
				className={cn("mr-3.5 font-mono select-none", line.stream === "stderr" || mark ? "text-ink-2" : "text-ink-3")}
			>
				{formatClockSeconds(at)}
			</time>
			{line.stream === "stderr" && <span className="sr-only">stderr: </span>}
			{line.text}
		</div>
	);
}
