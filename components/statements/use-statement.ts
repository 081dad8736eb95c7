"use client";
import { type StatementAt, statementQuery } from "#components/statements/statement-query.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

export type StatementView = Outputs["statement"]["get"];

export function useStatement(at: StatementAt): StatementView {
	const trpc = useTRPC();
	return useSuspenseQuery(trpc.statement.get.queryOptions(statementQuery(at))).data;
}
