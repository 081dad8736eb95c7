"use client";
import { useQuery } from "@tanstack/react-query";
import type { ChartMark } from "#components/charts/marks.ts";
import { formatClock, formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Events of a range as marks; none until they are read. `shareOf`: place on the axis, null outside. */
export function useMarks({ fromMs, toMs }: { fromMs: number; toMs: number }, shareOf: (atMs: number) => number | null): ChartMark[] {
	// Whole hours, so that a range that ends now is not a new query every minute.
	const range = { fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS };
	// The part that draws them may hydrate after another part has read them, and must then match the server's output.
	const hydrated = useHydrated();
	const { data } = useQuery(useTRPC().overview.annotations.queryOptions(range));
	return ((hydrated && data) || []).flatMap(({ id, kind, atMs, text }) => {
		const share = shareOf(atMs);
		const when = `${formatDay(atMs, false)}, ${formatClock(atMs)} UTC`;
		return share === null || share < 0 || share > 1 ? [] : [{ id, kind, atMs, text, when, share }];
	});
}
