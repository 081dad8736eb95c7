"use client";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { jobSearchParams } from "./search-params.ts";
import { wholeView } from "./views.ts";

/** Jobs that choosing a filter value would list. Asked only while its menu is open. */
export function FacetCount({ facet, id }: { facet: "state" | "team" | "class" | "site"; id: string }) {
	const [search] = useQueryStates(jobSearchParams);
	const { data } = useQuery(useTRPC().job.facets.queryOptions(wholeView(search, useToday())));
	return data ? formatCount(data[facet][id] ?? 0) : null;
}

/** 00:00 UTC today, ms. */
export function useToday(): number {
	return useTime(useCallback((now: number) => Math.floor(now / DAY_MS) * DAY_MS, []));
}
