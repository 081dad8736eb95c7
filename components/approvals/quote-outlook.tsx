"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Role } from "#server/domain/vocabulary.ts";
import { outlookWords } from "./words.ts";

/** Shows who can approve and how long decisions usually take. */
export function QuoteOutlook({ role }: { role: string }) {
	const trpc = useTRPC();
	const asked: Role = role === "finance" ? "finance" : "platform";
	const { data } = useQuery(trpc.approval.outlook.queryOptions({ role: asked }));
	return data ? <> {outlookWords(data)}</> : null;
}
