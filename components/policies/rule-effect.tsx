"use client";
import { useQuery } from "@tanstack/react-query";
import { formatMoney } from "#components/money/format-money.ts";
import { ACTIVE_POLICY } from "#components/policies/params.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatCount } from "#components/ui/format-number.ts";

type Effects = Outputs["policy"]["effects"];
export type RuleEffect = Effects["rules"][number];

const FETCH_MS = 60_000;

/** Effects of the active policy's rules; null while loading, after an error, and without permission. */
export function useEffects(enabled: boolean): Effects | null {
	const trpc = useTRPC();
	return useQuery(trpc.policy.effects.queryOptions(ACTIVE_POLICY, { enabled, staleTime: FETCH_MS })).data ?? null;
}

/** "excluded places for 12 jobs · changed 3 placements, about $41 more"; empty without a recorded effect. */
export function effectText({ jobs, changed, costMicroUsd, sent }: Omit<RuleEffect, "ruleId" | "places">): string {
	const count = (n: number, noun: string) => `${formatCount(n)} ${noun}${n === 1 ? "" : "s"}`;
	const cost = BigInt(costMicroUsd ?? "0");
	const money = cost === 0n ? "same cost" : `about ${formatMoney(cost < 0n ? -cost : cost, "whole")} ${cost < 0n ? "saved" : "more"}`;
	const parts = [
		...(jobs > 0 ? [`excluded places for ${count(jobs, "job")}`] : []),
		...(changed > 0 ? [`changed ${count(changed, "placement")}, ${money}`] : []),
		...(sent > 0 ? [`sent ${count(sent, "job")} to clouds`] : []),
	];
	return parts.join(" · ");
}
