import { z } from "zod";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listProposals } from "#server/services/governance/proposal/list.ts";
import { askAgain, askAgainInput } from "#server/services/work/approval/ask-again.ts";
import { grantApproval, grantInput, refuseApproval, refuseInput } from "#server/services/work/approval/decide.ts";
import { approvalOfJob, countApprovals, getApproval, listApprovals, listApprovalsInput } from "#server/services/work/approval/list.ts";
import { approvalOutlook, outlookInput } from "#server/services/work/approval/outlook.ts";
import { changeApprovalSettings, changeApprovalSettingsInput } from "#server/services/work/approval/settings.ts";
import { procedure, router } from "./init.ts";

const id = z.string().min(1).max(64);
const byId = z.strictObject({ id });

export const approvalRouter = router({
	list: procedure.input(listApprovalsInput).query(({ ctx, input }) => listApprovals(ctx.service, input)),
	get: procedure.input(byId).query(({ ctx, input }) => getApproval(ctx.service, input.id)),
	ofJob: procedure.input(z.strictObject({ jobId: id })).query(({ ctx, input }) => approvalOfJob(ctx.service, input.jobId)),
	count: procedure.query(({ ctx }) => countApprovals(ctx.service)),
	outlook: procedure.input(outlookInput).query(({ ctx, input }) => approvalOutlook(ctx.service, input)),
	grant: procedure.input(grantInput).mutation(({ ctx, input }) => grantApproval(ctx.service, input)),
	refuse: procedure.input(refuseInput).mutation(({ ctx, input }) => refuseApproval(ctx.service, input)),
	askAgain: procedure.input(askAgainInput).mutation(({ ctx, input }) => askAgain(ctx.service, input)),
	changeSettings: procedure.input(changeApprovalSettingsInput).mutation(({ ctx, input }) => changeApprovalSettings(ctx.service, input)),
	/** Changes of caps and of policies that wait for a second person. */
	proposals: procedure.query(({ ctx }) => listProposals(ctx.service)),
	approveProposal: procedure.input(byId).mutation(({ ctx, input }) => approveProposal(ctx.service, input.id)),
	rejectProposal: procedure.input(byId).mutation(({ ctx, input }) => rejectProposal(ctx.service, input.id)),
});
