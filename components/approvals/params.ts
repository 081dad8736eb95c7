import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { Outputs } from "#components/trpc/outputs.ts";

export type ApprovalItem = Outputs["approval"]["list"]["items"][number];
export type ProposalItem = Outputs["approval"]["proposals"][number];

export const APPROVAL_VIEWS = ["open", "past"] as const;
export type ApprovalsView = (typeof APPROVAL_VIEWS)[number];

const params = {
	/** Pending or decided approvals. */
	view: parseAsStringLiteral(APPROVAL_VIEWS).withDefault("open"),
	/** The selected approval, if any. */
	approval: parseAsString,
};
export const loadApprovalParams = createLoader(params);
const serialize = createSerializer(params);
export const approvalsHref = (to: { view?: ApprovalsView; approval?: string | null }): string => serialize("/approvals", to);

/** Shared by server and browser so that the prefetched query key matches. */
export const approvalsQuery = (view: ApprovalsView) => ({ state: view, limit: 50 });
