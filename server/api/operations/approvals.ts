import { approval } from "#server/contract/approval.ts";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listProposals } from "#server/services/governance/proposal/list.ts";
import { askAgain } from "#server/services/work/approval/ask-again.ts";
import { grantApproval, rejectApproval } from "#server/services/work/approval/decide.ts";
import { getApproval, listApprovals } from "#server/services/work/approval/list.ts";
import { approvalOutlook } from "#server/services/work/approval/outlook.ts";
import { bind } from "./bind.ts";

export const approvalOperations = {
	proposals: bind(approval.proposals, listProposals),
	approveProposal: bind(approval.approveProposal, (ctx, { id }) => approveProposal(ctx, id)),
	rejectProposal: bind(approval.rejectProposal, (ctx, { id }) => rejectProposal(ctx, id)),
	list: bind(approval.list, listApprovals),
	outlook: bind(approval.outlook, approvalOutlook),
	get: bind(approval.get, (ctx, { id }) => getApproval(ctx, id)),
	grant: bind(approval.grant, grantApproval),
	refuse: bind(approval.refuse, rejectApproval),
	askAgain: bind(approval.askAgain, askAgain),
};
