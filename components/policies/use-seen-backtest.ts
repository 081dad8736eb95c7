"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#components/trpc/client.tsx";
import { ACTIVE_POLICY } from "./params.ts";

/** The shown backtest, if finished and of exactly this draft; recorded on publication. */
export function useSeenBacktest(text: string): string | null {
	const trpc = useTRPC();
	const [chosen] = useQueryState("backtest", parseAsString);
	const newest = useQuery(trpc.backtest.list.queryOptions({ ...ACTIVE_POLICY, limit: 1 }, { enabled: chosen === null }));
	const id = chosen ?? newest.data?.[0]?.id ?? null;
	const { data } = useQuery(trpc.backtest.get.queryOptions({ id: id ?? "" }, { enabled: id !== null }));
	return data && data.result !== null && data.source === text ? data.id : null;
}
