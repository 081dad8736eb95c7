import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { Outputs } from "#components/trpc/outputs.ts";

export type ApprovalItem = Outputs["approval"]["list"]["items"][number];
export type ProposalItem = Outputs["approval"]["proposals"][number];

export const APPROVAL_VIEWS = ["open", "past"] as const;
export type ApprovalsView = (typeof APPROVAL_VIEWS)[number];

const params = {
	/** What waits, or what became of it. */
	view: parseAsStringLiteral(APPROVAL_VIEWS).withDefault("open"),
	/** The one that is looked at; none when left out. */
	approval: parseAsString,
};
export const loadApprovalParams = createLoader(params);
const serialize = createSerializer(params);
export const approvalsHref = (to: { view?: ApprovalsView; approval?: string | null }): string => serialize("/approvals", to);

/** One form of the query's input, so that what the server prefetches is what the browser asks for. */
export const approvalsQuery = (view: ApprovalsView) => ({ state: view, limit: 50 });
