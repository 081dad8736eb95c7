import { z } from "zod";
import { approvalOfJob, countApprovals } from "#server/services/work/approval/list.ts";
import { changeApprovalSettings, changeApprovalSettingsInput } from "#server/services/work/approval/settings.ts";
import { approvalOperations } from "../operations/approvals.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

const id = z.string().min(1).max(64);
const _byId = z.strictObject({ id });

export const approvalRouter = router({
	...proceduresOf(approvalOperations),
	ofJob: procedure.input(z.strictObject({ jobId: id })).query(({ ctx, input }) => approvalOfJob(ctx.service, input.jobId)),
	count: procedure.query(({ ctx }) => countApprovals(ctx.service)),
	changeSettings: procedure.input(changeApprovalSettingsInput).mutation(({ ctx, input }) => changeApprovalSettings(ctx.service, input)),
});
