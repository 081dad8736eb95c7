"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { ACTIVE_POLICY } from "./params.ts";

/** The shown backtest, running or finished, if it is of exactly this draft. A finished one is recorded on publication. */
export function useSeenBacktest(text: string): Outputs["backtest"]["get"] | null {
	const trpc = useTRPC();
	const [chosen] = useQueryState("backtest", parseAsString);
	const newest = useQuery(trpc.backtest.list.queryOptions({ ...ACTIVE_POLICY, limit: 1 }, { enabled: chosen === null }));
	const id = chosen ?? newest.data?.[0]?.id ?? null;
	const { data } = useQuery(trpc.backtest.get.queryOptions({ id: id ?? "" }, { enabled: id !== null }));
	return data && data.source === text ? data : null;
}
